/** Locations that can't reach the targets of a team, as the evaluation asks about them. Pure. */
import type { TeamId } from "@svc/contract";
import type { EvaluatedSubject } from "../evaluation/transitions.ts";
import type { TeamLocation } from "./reach-store.ts";

/** Ids of locations that can't reach the targets of a team: see {@link cutOffId}. */
export type CutOffLocations = ReadonlySet<string>;

/** No location. */
export const NONE_CUT_OFF: CutOffLocations = new Set();

/** Time by which results may be newer than the one that made a rule fire, and count: slots of one moment arrive in any order. */
const SAME_MOMENT_MS = 30_000;

/** Returns the location, as the team sees it, as a key of sets. */
export function cutOffId({ teamId, locationKey }: { teamId: TeamId; locationKey: number }): string {
  return `${teamId}:${locationKey}`;
}

/** Returns the locations that may be to blame for what begins, each once, with the newest instant that matters. */
export function locationsInDoubt(evaluated: readonly EvaluatedSubject[]): TeamLocation[] {
  const inDoubt = new Map<string, TeamLocation>();
  for (const { transitions } of evaluated)
    for (const transition of transitions) {
      if (transition.kind !== "triggered" || !transition.newResult) continue;
      const { teamId } = transition.rule;
      const atMs = transition.newResult.slotMs + SAME_MOMENT_MS;
      for (const locationKey of transition.unreachedFrom) {
        const id = cutOffId({ teamId, locationKey });
        inDoubt.set(id, { teamId, locationKey, atMs: Math.max(atMs, inDoubt.get(id)?.atMs ?? 0) });
      }
    }
  return [...inDoubt.values()];
}
