/**
 * Works through the queue, on each replica: woken by the commit that put something there and by a timer. One batch per team
 * at a time, teams in turn, so that one team's storm does not stand before another's alert.
 */
import type { TeamId } from "@svc/contract";
import type { Knex } from "knex";
import type { Logger } from "pino";
import { INCIDENT_QUEUE_CHANNEL, readWaitingTeams } from "../../outbox/incident-queue-store.ts";
import type { Clock } from "../../platform/clock.ts";
import { isDatabaseUnavailable } from "../../platform/db/errors.ts";
import { listenForWakeUps } from "../../platform/db/wake-ups.ts";
import { processOneByOne, processQueue } from "./queue-batch.ts";

const POLL_INTERVAL_MS = 1_000;
/** Alerts of one transaction: large enough to cost little each, small enough that the first of a storm is told soon. */
const BATCH_MAX = 250;
const TEAMS_AT_ONCE = 4;
const TEAMS_LOOKED_AT = 64;

export interface IncidentWorkerOptions {
  knex: Knex;
  log: Logger;
  clock: Clock;
  pollIntervalMs?: number;
}

export class IncidentWorker {
  readonly #options: IncidentWorkerOptions;
  readonly #stopping = new AbortController();
  #working: Promise<void> | undefined;
  #workAgain = false;
  #timer: NodeJS.Timeout | undefined;
  #hasFailed = false;

  constructor(options: IncidentWorkerOptions) {
    this.#options = options;
  }

  start(): void {
    const { knex, log, pollIntervalMs = POLL_INTERVAL_MS } = this.#options;
    const wake = () => this.wake();
    void listenForWakeUps({
      knex,
      log,
      channel: INCIDENT_QUEUE_CHANNEL,
      onWakeUp: wake,
      signal: this.#stopping.signal,
    });
    this.#timer = setInterval(wake, pollIntervalMs);
    wake();
  }

  /** Looks for something to do; asked while it works, it looks once more. */
  wake(): void {
    if (this.#stopping.signal.aborted) return;
    this.#workAgain = true;
    this.#working ??= this.#workWhileAsked().finally(() => {
      this.#working = undefined;
    });
  }

  /** Lets the batches at hand come to their end. */
  async close(): Promise<void> {
    this.#stopping.abort();
    clearInterval(this.#timer);
    await this.#working;
  }

  async #workWhileAsked(): Promise<void> {
    while (this.#workAgain && !this.#stopping.signal.aborted) {
      this.#workAgain = false;
      try {
        if (await this.#workOnce()) this.#workAgain = true;
        this.#hasFailed = false;
      } catch (err) {
        if (!this.#hasFailed && !this.#stopping.signal.aborted)
          this.#options.log.warn({ err }, "alerts can't be placed in incidents; trying again");
        this.#hasFailed = true;
      }
    }
  }

  /** A batch of each waiting team. @returns whether there was anything */
  async #workOnce(): Promise<boolean> {
    const teams = await readWaitingTeams(this.#options.knex, TEAMS_LOOKED_AT);
    for (let from = 0; from < teams.length && !this.#stopping.signal.aborted; from += TEAMS_AT_ONCE)
      await Promise.all(teams.slice(from, from + TEAMS_AT_ONCE).map((teamId) => this.#workFor(teamId)));
    return teams.length > 0;
  }

  async #workFor(teamId: TeamId): Promise<void> {
    const { knex, log, clock } = this.#options;
    const options = { teamId, limit: BATCH_MAX, nowMs: clock.nowMs() };
    try {
      await processQueue(knex, options);
    } catch (err) {
      if (isDatabaseUnavailable(err)) throw err;
      log.error({ err, teamId }, "a batch of alerts can't be placed in incidents; trying one by one");
      await processOneByOne(knex, log, options);
    }
  }
}
