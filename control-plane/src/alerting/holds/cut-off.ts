/** Judges which alerts begin because of locations that can't reach the targets of a team. The locations are judged by the caller. */
import type { TeamId } from "@svc/contract";
import type { EvaluatedSubject, Transition } from "../evaluation/transitions.ts";
import type { TeamLocation } from "./reach-store.ts";

/** Time by which results may be newer than the one that made a rule fire, and count: slots of one moment arrive in any order. */
export const SAME_MOMENT_MS = 30_000;
/** Most instants at which a location is judged for one batch of results. One that brings more is judged in longer steps. */
const INSTANTS_MAX = 12;

/** Beginnings of alerts of which nothing but locations that can't reach their targets shows anything. */
export type BlamedTriggers = ReadonlySet<Transition>;

/** No beginning. */
export const NONE_BLAMED: BlamedTriggers = new Set();

/** Returns the location, as the team sees it, as a key of sets. */
export function cutOffId({ teamId, locationKey }: { teamId: TeamId; locationKey: number }): string {
  return `${teamId}:${locationKey}`;
}

/** Returns the location at its instant, as the team sees it, as a key of sets. */
export function instantId(location: TeamLocation): string {
  return `${cutOffId(location)}:${location.atMs}`;
}

/** Judges locations, each at its instant. @returns ids of those that can't reach their targets: see {@link instantId} */
type JudgeLocations = (asked: readonly TeamLocation[]) => Promise<ReadonlySet<string>>;

/** The beginning of an alert that may be due to locations. */
interface Doubt {
  transition: Transition;
  teamId: TeamId;
  slotMs: number;
  unreachedFrom: readonly number[];
}

/**
 * Returns the beginnings of alerts all of whose failing locations can't reach their targets, at the instant of the failure. The locations of
 * an alert are judged one after another up to the first that reaches them, those of all alerts together.
 */
export async function findBlamed(
  evaluated: readonly EvaluatedSubject[],
  judge: JudgeLocations,
): Promise<BlamedTriggers> {
  const doubts = doubtsOf(evaluated);
  const instantOf = instantsOf(doubts);
  const locationAt = (doubt: Doubt, position: number): TeamLocation => ({
    teamId: doubt.teamId,
    locationKey: doubt.unreachedFrom[position] as number,
    atMs: instantOf(doubt),
  });
  const blamed = new Set<Transition>();
  let open: readonly Doubt[] = doubts;
  for (let position = 0; open.length > 0; position++) {
    const asked = new Map(
      open.map((doubt) => {
        const location = locationAt(doubt, position);
        return [instantId(location), location];
      }),
    );
    const cutOff = await judge([...asked.values()]);
    open = open.filter((doubt) => cutOff.has(instantId(locationAt(doubt, position))));
    for (const { transition, unreachedFrom } of open)
      if (unreachedFrom.length === position + 1) blamed.add(transition);
    open = open.filter(({ unreachedFrom }) => unreachedFrom.length > position + 1);
  }
  return blamed;
}

function doubtsOf(evaluated: readonly EvaluatedSubject[]): Doubt[] {
  return evaluated.flatMap(({ transitions }) =>
    transitions.flatMap((transition) => {
      if (transition.kind !== "triggered" || !transition.newResult || transition.unreachedFrom.length === 0)
        return [];
      const { rule, newResult, unreachedFrom } = transition;
      return [{ transition, teamId: rule.teamId, slotMs: newResult.slotMs, unreachedFrom }];
    }),
  );
}

/** Returns the instant at which the locations of a doubt are judged: shortly after its slot, with others of about that moment. */
function instantsOf(doubts: readonly Doubt[]): (doubt: Doubt) => number {
  const slots = doubts.map(({ slotMs }) => slotMs);
  const firstMs = slots.reduce((first, slotMs) => Math.min(first, slotMs), Number.POSITIVE_INFINITY);
  const lastMs = slots.reduce((last, slotMs) => Math.max(last, slotMs), 0);
  const stepMs = Math.max(SAME_MOMENT_MS, Math.ceil((lastMs - firstMs + 1) / INSTANTS_MAX));
  const stepOf = ({ slotMs }: Doubt) => Math.floor((slotMs - firstMs) / stepMs);
  const newest = new Map<number, number>();
  for (const doubt of doubts) {
    const step = stepOf(doubt);
    newest.set(step, Math.max(doubt.slotMs, newest.get(step) ?? 0));
  }
  return (doubt) => (newest.get(stepOf(doubt)) as number) + SAME_MOMENT_MS;
}
