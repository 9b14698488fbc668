import type { AlertInstanceId, TeamId } from "@svc/contract";
import type { Knex } from "knex";
import { lockSubjects } from "../evaluation/locks.ts";
import { announceKeptBack } from "../instances/announce-kept-back.ts";
import { changeInstance } from "../instances/change-instance.ts";
import { findChecksInMaintenance } from "../instances/maintenance-mutes.ts";
import { postgresInstanceWriter } from "../instances/mute-store.ts";
import { type InstanceDetailRow, isOpen } from "../instances/row.ts";
import { findInstanceRow } from "../instances/store.ts";
import { deleteHold, turnIntoDependencyHold } from "./store.ts";

/** The alert that is held back. */
export interface LiftHoldInput {
  instanceId: AlertInstanceId;
  teamId: TeamId;
  checkKey: number;
}

/**
 * Holds an alert back no longer: if it still lasts, the channels are notified of it as of its begin, or at the end of its mute, which
 * a maintenance window of now begins. One that was held because of its locations, and whose check depends on others, may be theirs: it is held
 * because of these from then on. Harmless when it has been released, or is over.
 */
export async function liftHold(
  knex: Knex,
  { instanceId, teamId, checkKey }: LiftHoldInput,
  nowMs: number,
): Promise<void> {
  await knex.transaction(async (trx) => {
    await lockSubjects(trx, [{ checkKey, sloKey: null }]);
    const instance = await findInstanceRow(trx, teamId, instanceId);
    if (!instance || !isOpen(instance)) return;
    if (instance.heldReason === "location" && (await turnIntoDependencyHold(trx, instanceId))) return;
    if (!(await deleteHold(trx, instanceId))) return;
    const { heldReason: reason, heldCheckName: check } = instance;
    const isInMaintenance = instance.mutedBy === null && (await isMutedByWindow(trx, instance, nowMs));
    const isAnnounced = instance.mutedBy === null && !isInMaintenance;
    await changeInstance(trx, {
      instance,
      patch: {
        wasAnnounced: isAnnounced || instance.wasAnnounced,
        hasUnannouncedEscalation: !isAnnounced && instance.hasUnannouncedEscalation,
      },
      event: { type: "released", actorId: null, detail: { reason, ...(check !== null && { check }) } },
      atMs: nowMs,
    });
    if (isInMaintenance)
      await changeInstance(trx, {
        instance,
        patch: { mutedBy: "window" },
        event: { type: "muted", actorId: null, detail: { by: "window" } },
        atMs: nowMs,
      });
    if (isAnnounced) await announceKeptBack(postgresInstanceWriter(trx), { instance, atMs: nowMs });
  });
}

async function isMutedByWindow(
  trx: Knex,
  { teamId, checkId }: InstanceDetailRow,
  nowMs: number,
): Promise<boolean> {
  return checkId !== null && (await findChecksInMaintenance(trx, [{ teamId, checkId }], nowMs)).has(checkId);
}
