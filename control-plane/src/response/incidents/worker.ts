/**
 * The incident worker of a replica: processes the incident queue, woken by the commits that append to it and by a timer. One
 * batch per team at a time and teams in turn, so that one team's storm does not delay another's alert.
 */
import type { TeamId } from "@svc/contract";
import type { Knex } from "knex";
import type { Logger } from "pino";
import { readTeamsWithHeldAlerts } from "../../outbox/held-alert-queue-store.ts";
import { INCIDENT_QUEUE_CHANNEL, readWaitingTeams } from "../../outbox/incident-queue-store.ts";
import type { Clock } from "../../platform/clock.ts";
import { isDatabaseUnavailable } from "../../platform/db/errors.ts";
import { wakeUpsOf } from "../../platform/db/wake-ups.ts";
import { WakeableWorker } from "../../platform/wakeable-worker.ts";
import { processOneByOne, processQueue } from "./queue-batch.ts";

const POLL_INTERVAL_MS = 1_000;
/** Most alerts of one transaction: enough to cost little each, few enough that the first of a storm is notified soon. */
const BATCH_MAX = 250;
const TEAMS_AT_ONCE = 4;
/** Most teams with alerts, and most with held ones, that one round reads. */
const TEAMS_MAX = 64;

/** The database, clock and log of the worker, and the time between its polls. */
export interface IncidentWorkerOptions {
  knex: Knex;
  log: Logger;
  clock: Clock;
  /** Default 1 s. */
  pollIntervalMs?: number;
}

/** Starts the worker. `close` lets the batches under way come to their end. */
export function startIncidentWorker(options: IncidentWorkerOptions): WakeableWorker {
  const { knex, log, pollIntervalMs = POLL_INTERVAL_MS } = options;
  const worker = new WakeableWorker({
    log,
    failureMessage: "alerts can't be placed in incidents; trying again",
    pollIntervalMs,
    wakeUps: wakeUpsOf({ knex, log, channel: INCIDENT_QUEUE_CHANNEL }),
    work: (signal) => processWaitingTeams(options, signal),
  });
  worker.start();
  return worker;
}

/** Processes a batch of each waiting team. Returns true when any team was waiting. */
async function processWaitingTeams(options: IncidentWorkerOptions, signal: AbortSignal): Promise<boolean> {
  const { knex } = options;
  const teams = [
    ...new Set([
      ...(await readWaitingTeams(knex, TEAMS_MAX)),
      ...(await readTeamsWithHeldAlerts(knex, TEAMS_MAX)),
    ]),
  ];
  for (let from = 0; from < teams.length && !signal.aborted; from += TEAMS_AT_ONCE)
    await Promise.all(teams.slice(from, from + TEAMS_AT_ONCE).map((teamId) => processTeam(options, teamId)));
  return teams.length > 0;
}

async function processTeam({ knex, log, clock }: IncidentWorkerOptions, teamId: TeamId): Promise<void> {
  const batch = { teamId, limit: BATCH_MAX, nowMs: clock.nowMs() };
  try {
    await processQueue(knex, batch);
  } catch (error) {
    if (isDatabaseUnavailable(error)) throw error;
    log.error(
      { err: error, teamId },
      "a batch of alerts can't be placed in incidents; trying them one by one",
    );
    await processOneByOne(knex, log, batch);
  }
}
