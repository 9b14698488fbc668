import type { AlertInstanceId, TeamId } from "@svc/contract";
import type { Knex } from "knex";
import { lockSubjects } from "../evaluation/locks.ts";
import { changeInstance, notifyChannels } from "../instances/change-instance.ts";
import { isOpen } from "../instances/row.ts";
import { findInstanceRow } from "../instances/store.ts";
import { deleteHold } from "./store.ts";

/** The alert that is held back. */
export interface LiftHoldInput {
  instanceId: AlertInstanceId;
  teamId: TeamId;
  checkKey: number;
}

/**
 * Holds an alert back no longer: if it still lasts, the channels are notified of it as of its begin, or at the end of its mute.
 * Harmless when it has been released, or is over.
 */
export async function liftHold(
  knex: Knex,
  { instanceId, teamId, checkKey }: LiftHoldInput,
  nowMs: number,
): Promise<void> {
  await knex.transaction(async (trx) => {
    await lockSubjects(trx, [{ checkKey, sloKey: null }]);
    const instance = await findInstanceRow(trx, teamId, instanceId);
    if (!instance || !isOpen(instance) || !(await deleteHold(trx, instanceId))) return;
    const { heldReason: reason, heldCheckName: check } = instance;
    const isAnnounced = instance.mutedBy === null;
    await changeInstance(trx, {
      instance,
      patch: { wasAnnounced: isAnnounced, hasUnannouncedEscalation: false },
      event: { type: "released", actorId: null, detail: { reason, ...(check !== null && { check }) } },
      atMs: nowMs,
    });
    if (isAnnounced) await notifyChannels(trx, { instance, kind: "triggered", atMs: nowMs });
  });
}
