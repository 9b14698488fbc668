/**
 * One batch of a team's queue: alerts that began open incidents or join them, what happened to others changes theirs. In one
 * transaction with the removal from the queue, under the lock of the team's incidents: done once, whoever crashes when.
 */
import type { TeamId } from "@svc/contract";
import type { Knex } from "knex";
import type { Logger } from "pino";
import { type QueuedAlert, readQueue, removeFromQueue } from "../../outbox/incident-queue-store.ts";
import { beginAlerts } from "./begin-alerts.ts";
import { changeAlerts } from "./change-alerts.ts";
import { lockIncidents } from "./store.ts";
import { enqueueAsAlerts } from "./tell-unplaced.ts";

export interface BatchOptions {
  teamId: TeamId;
  limit: number;
  nowMs: number;
}

/**
 * Works through the oldest entries. Beginnings come first: within a batch the order of different alerts means nothing, and
 * of one alert the beginning is the first in any case.
 * @returns how many there were
 */
export async function processQueue(knex: Knex, { teamId, limit, nowMs }: BatchOptions): Promise<number> {
  return knex.transaction(async (trx) => {
    await lockIncidents(trx, teamId);
    const queued = await readQueue(trx, teamId, limit);
    if (queued.length === 0) return 0;
    await removeFromQueue(
      trx,
      queued.map(({ key }) => key),
    );
    const isBeginning = ({ kind }: QueuedAlert) => kind === "triggered";
    await beginAlerts(trx, teamId, queued.filter(isBeginning), nowMs);
    await changeAlerts(
      trx,
      teamId,
      queued.filter((alert) => !isBeginning(alert)),
      nowMs,
    );
    return queued.length;
  });
}

/**
 * For when a batch failed by a fault of ours: one entry at a time, and what still fails is told to its channels as an alert
 * of its own. Nobody is left untold, and nothing keeps the others waiting.
 */
export async function processOneByOne(knex: Knex, log: Logger, options: BatchOptions): Promise<number> {
  let done = 0;
  for (; done < options.limit; done++) {
    try {
      if ((await processQueue(knex, { ...options, limit: 1 })) === 0) break;
    } catch (err) {
      log.error({ err, teamId: options.teamId }, "an alert can't be placed in an incident; it is told alone");
      await tellOldestAlone(knex, options);
    }
  }
  return done;
}

async function tellOldestAlone(knex: Knex, { teamId }: BatchOptions): Promise<void> {
  await knex.transaction(async (trx) => {
    await lockIncidents(trx, teamId);
    const [oldest] = await readQueue(trx, teamId, 1);
    if (!oldest) return;
    await enqueueAsAlerts(trx, teamId, [oldest]);
    await removeFromQueue(trx, [oldest.key]);
  });
}
