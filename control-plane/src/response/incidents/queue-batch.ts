/**
 * Processes one batch of a team's incident queue: alerts that began open incidents or join them, transitions of others
 * change theirs. One transaction, with the removal from the queue, under the lock of the team's incidents: so each
 * entry is processed exactly once, whichever process crashes when.
 */
import type { TeamId } from "@svc/contract";
import type { Knex } from "knex";
import type { Logger } from "pino";
import { claimHeldAlerts } from "../../outbox/held-alert-queue-store.ts";
import { type QueuedAlert, readQueue, removeFromQueue } from "../../outbox/incident-queue-store.ts";
import { beginAlerts } from "./begin-alerts.ts";
import { beginLocationIncidents } from "./begin-location-incidents.ts";
import { changeAlerts } from "./change-alerts.ts";
import { foldIntoOutages } from "./fold-into-outages.ts";
import { notifyAlone } from "./notify-alone.ts";
import { lockIncidents } from "./store.ts";
import type { TeamBatch } from "./team-batch.ts";

/** The team of the batch, and the size of the batch. */
export interface QueueBatchOptions extends TeamBatch {
  /** Most entries of the batch. */
  limit: number;
}

/**
 * Processes the team's oldest entries; when they are too many, held alerts are taken first. Beginnings come first: within a batch the order
 * of different alerts means nothing, and the beginning of an alert is its first entry in any case.
 * @returns the number of entries
 */
export async function processQueue(knex: Knex, { limit, ...batch }: QueueBatchOptions): Promise<number> {
  return knex.transaction(async (trx) => {
    await lockIncidents(trx, batch.teamId);
    const held = await claimHeldAlerts(trx, batch.teamId, limit);
    const queued = await readQueue(trx, batch.teamId, limit - held.length);
    await removeFromQueue(
      trx,
      queued.map(({ key }) => key),
    );
    const isBeginning = ({ kind }: QueuedAlert) => kind === "triggered";
    const beginning = queued.filter(isBeginning);
    // An incident of a location takes in the incidents that are there as it begins.
    await beginAlerts(trx, batch, beginning);
    await beginLocationIncidents(
      trx,
      batch,
      held.filter(({ isOpen }) => isOpen),
    );
    await foldIntoOutages(trx, batch, beginning);
    await changeAlerts(
      trx,
      batch,
      queued.filter((alert) => !isBeginning(alert)),
    );
    return held.length + queued.length;
  });
}

/**
 * Processes entries one at a time, after a batch failed by a fault of ours. An entry that still fails is notified as an
 * alert of its own, so that nobody stays uninformed and no entry holds up the others. A held alert is not: its hold ends
 * soon when no incident lists it.
 * @returns the number of entries
 */
export async function processOneByOne(knex: Knex, log: Logger, options: QueueBatchOptions): Promise<number> {
  let done = 0;
  for (; done < options.limit; done++) {
    try {
      if ((await processQueue(knex, { ...options, limit: 1 })) === 0) break;
    } catch (error) {
      log.error(
        { err: error, teamId: options.teamId },
        "an alert can't be placed in an incident; it is notified alone",
      );
      await passOverOldest(knex, options.teamId);
    }
  }
  return done;
}

async function passOverOldest(knex: Knex, teamId: TeamId): Promise<void> {
  await knex.transaction(async (trx) => {
    await lockIncidents(trx, teamId);
    if ((await claimHeldAlerts(trx, teamId, 1)).length > 0) return;
    const [oldest] = await readQueue(trx, teamId, 1);
    if (!oldest) return;
    await notifyAlone(trx, teamId, [oldest]);
    await removeFromQueue(trx, [oldest.key]);
  });
}
