/** Judges whether the service does its work, further than that it answers. */
import { MINUTE_MS } from "@svc/contract";
import type { Knex } from "knex";
import { reasonOf } from "../../platform/db/errors.ts";
import type { ReadinessState } from "../../platform/http/lifecycle.ts";
import { readDoneUntil } from "../../results/rollups/store.ts";
import { NOTIFICATIONS_STUCK_MS } from "../notifications/metrics.ts";
import { areNotificationsStuck } from "../notifications/queue-store.ts";
import { storeHeartbeat } from "./store.ts";

/** Age of the newest rollup beyond which something is wrong, ms: a bucket has 5 minutes, and is computed within the next. */
export const ROLLUPS_BEHIND_MAX_MS = 20 * MINUTE_MS;

/** The database, readiness and clock of the service that is judged. */
export interface FaultFinderParts {
  knex: Knex;
  readiness: { check(): Promise<ReadinessState> };
  nowMs: () => number;
}

/** Looks for faults, and remembers how far the rollups were: those that catch up after a long pause are no fault. */
export class FaultFinder {
  readonly #parts: FaultFinderParts;
  #rollupsDoneUntilMs: number | undefined;

  constructor(parts: FaultFinderParts) {
    this.#parts = parts;
  }

  /** Returns what keeps the service from its work, as a clause for the log; undefined when nothing does. Never rejects. */
  async find(): Promise<string | undefined> {
    try {
      return await this.#find();
    } catch (error) {
      return `the database stores nothing: ${reasonOf(error)}`;
    }
  }

  async #find(): Promise<string | undefined> {
    const { knex, readiness, nowMs } = this.#parts;
    const state = await readiness.check();
    if (state.status !== "ready") return state.reason;
    await storeHeartbeat(knex, nowMs());
    if (await areNotificationsStuck(knex, NOTIFICATIONS_STUCK_MS))
      return `notifications have been due for ${NOTIFICATIONS_STUCK_MS / MINUTE_MS} minutes and none was sent`;
    const doneUntilMs = await readDoneUntil(knex);
    const hasAdvanced = doneUntilMs !== this.#rollupsDoneUntilMs;
    this.#rollupsDoneUntilMs = doneUntilMs;
    const behindMs = doneUntilMs === undefined ? 0 : nowMs() - doneUntilMs;
    if (behindMs > ROLLUPS_BEHIND_MAX_MS && !hasAdvanced)
      return `results have not been counted for ${Math.floor(behindMs / MINUTE_MS)} minutes: the background jobs stand still`;
    return undefined;
  }
}
