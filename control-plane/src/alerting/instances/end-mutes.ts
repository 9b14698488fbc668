/** Ends mutes whose time is up: those of people with an end, and those of maintenance windows that are over. */
import type { CheckId, TeamId } from "@svc/contract";
import type { Knex } from "knex";
import { activeWindowsFor } from "../../checks/maintenance/held-store.ts";
import { lockChecks } from "../evaluation/locks.ts";
import { changeInstance, isOpen } from "./change-instance.ts";
import { unmute } from "./lift-mute.ts";
import type { InstanceDetailRow } from "./row.ts";
import { findInstanceRow, readMutedInstances } from "./store.ts";

const INSTANCES_AT_ONCE = 500;

/**
 * Lets instances speak again that nothing mutes any more; what of one that lasts was not told is told now. An instance whose
 * mute by someone ends inside a window stays muted by the window.
 */
export async function endMutes(
  knex: Knex,
  nowMs: number,
  instancesAtOnce = INSTANCES_AT_ONCE,
): Promise<void> {
  let afterId = "";
  for (;;) {
    const muted = await readMutedInstances(knex, nowMs, { afterId, limit: instancesAtOnce });
    await endMutesOf(knex, muted, nowMs);
    if (muted.length < instancesAtOnce) return;
    afterId = muted.at(-1)?.id ?? "";
  }
}

async function endMutesOf(knex: Knex, muted: readonly InstanceDetailRow[], nowMs: number): Promise<void> {
  const stillHeld = await findHeld(knex, muted, nowMs);
  for (const { id, teamId, checkKey, checkId, mutedBy } of muted) {
    const isHeld = stillHeld.has(checkId);
    if (isHeld && mutedBy === "window") continue;
    await knex.transaction(async (trx) => {
      await lockChecks(trx, [checkKey]);
      const row = await findInstanceRow(trx, teamId, id);
      if (row && isOpen(row) && isOver(row, nowMs)) await endMute(trx, row, isHeld, nowMs);
    });
  }
}

function isOver({ mutedBy, mutedUntil }: InstanceDetailRow, nowMs: number): boolean {
  if (mutedBy === "window") return true;
  return mutedBy === "user" && mutedUntil !== null && Date.parse(mutedUntil) <= nowMs;
}

async function endMute(trx: Knex, row: InstanceDetailRow, isHeld: boolean, nowMs: number): Promise<void> {
  if (isHeld) {
    const event = { type: "muted" as const, actorId: null, detail: { by: "window" } };
    await changeInstance(trx, row, { mutedBy: "window", mutedUntil: null }, event, nowMs);
    return;
  }
  await unmute(trx, row, { actorId: null, detail: { by: row.mutedBy } }, nowMs);
}

/** Ids of the checks that a window holds for now. */
async function findHeld(
  knex: Knex,
  instances: readonly InstanceDetailRow[],
  nowMs: number,
): Promise<Set<string>> {
  const byTeam = new Map<TeamId, Set<CheckId>>();
  for (const { teamId, checkId } of instances)
    byTeam.set(teamId, (byTeam.get(teamId) ?? new Set<CheckId>()).add(checkId));
  const held = new Set<string>();
  for (const [teamId, checkIds] of byTeam)
    for (const { checkId } of await activeWindowsFor(knex, { teamId, checkIds: [...checkIds], atMs: nowMs }))
      held.add(checkId);
  return held;
}
