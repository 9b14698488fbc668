/** Ends mutes whose time is up: those of people with an end, and those of maintenance windows that are over. */
import type { Knex } from "knex";
import { activeWindowsFor } from "../maintenance/store.ts";
import { changeInstance, isOpen, tellChannels } from "./change-instance.ts";
import { findInstanceRow, readMutedInstances } from "./instance-reads.ts";
import type { InstanceDetailRow } from "./instance-row.ts";
import { lockChecks } from "./locks.ts";

const INSTANCES_AT_ONCE = 500;

/**
 * Lets instances speak again that nothing mutes any more; one that lasts and was never told is told now. An instance whose
 * mute by someone ends inside a window stays muted by the window.
 */
export async function endMutes(knex: Knex, nowMs: number): Promise<void> {
  const muted = await readMutedInstances(knex, nowMs, INSTANCES_AT_ONCE);
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
  const patch = { mutedBy: null, mutedUntil: null, wasAnnounced: true };
  await changeInstance(
    trx,
    row,
    patch,
    { type: "unmuted", actorId: null, detail: { by: row.mutedBy } },
    nowMs,
  );
  if (!row.wasAnnounced) await tellChannels(trx, row, "triggered", nowMs);
}

/** Ids of the checks that a window holds for now. */
async function findHeld(
  knex: Knex,
  instances: readonly InstanceDetailRow[],
  nowMs: number,
): Promise<Set<string>> {
  const byTeam = new Map<string, Set<string>>();
  for (const { teamId, checkId } of instances)
    byTeam.set(teamId, (byTeam.get(teamId) ?? new Set()).add(checkId));
  const held = new Set<string>();
  for (const [teamId, checkIds] of byTeam)
    for (const { checkId } of await activeWindowsFor(knex, teamId, [...checkIds], nowMs)) held.add(checkId);
  return held;
}
