/** Judges whether this process can do its work: by its own state, and by the database's answer. */
import { setTimeout as sleep } from "node:timers/promises";
import type { Knex } from "knex";
import { monotonicMs } from "../clock.ts";
import { reasonOf } from "../db/errors.ts";
import { NEWEST_MIGRATION } from "../db/migrations/registry.ts";
import type { Lifecycle, ReadinessState } from "./lifecycle.ts";

/** Longest wait of `/readyz` for the database's answer. */
const DATABASE_PATIENCE_MS = 2_000;

/** Time for which a good answer of the database holds, ms: anybody may ask for `/readyz`, without being counted. */
const ANSWER_HOLDS_MS = 1_000;

/** Judges readiness, and asks a healthy database at most once a second, however many ask here. */
export class Readiness {
  readonly #lifecycle: Lifecycle;
  readonly #knex: Knex;
  readonly #clockMs: () => number;
  #problem: Promise<string | undefined> | undefined;
  #askedAtMs = 0;

  /** @param clockMs monotonic clock, ms; default the process's */
  constructor(lifecycle: Lifecycle, knex: Knex, clockMs = monotonicMs) {
    this.#lifecycle = lifecycle;
    this.#knex = knex;
    this.#clockMs = clockMs;
  }

  /** Returns the lifecycle's state; when that is `ready`, `unavailable` unless the database answers and is migrated. */
  async check(): Promise<ReadinessState> {
    if (this.#lifecycle.state.status !== "ready") return this.#lifecycle.state;
    const nowMs = this.#clockMs();
    if (!this.#problem || nowMs - this.#askedAtMs >= ANSWER_HOLDS_MS) {
      this.#askedAtMs = nowMs;
      this.#problem = patientlyAsked(this.#knex);
    }
    const asked = this.#problem;
    const problem = await asked;
    // A fault may be over at any moment; only who asks meanwhile shares its answer.
    if (problem && this.#problem === asked) this.#problem = undefined;
    return problem ? { status: "unavailable", reason: problem } : { status: "ready" };
  }
}

function patientlyAsked(knex: Knex): Promise<string | undefined> {
  return Promise.race([
    databaseProblem(knex),
    sleep(DATABASE_PATIENCE_MS, `the database does not answer within ${DATABASE_PATIENCE_MS} ms`, {
      ref: false,
    }),
  ]);
}

async function databaseProblem(knex: Knex): Promise<string | undefined> {
  try {
    const newest = await knex("svc_migrations").where({ name: NEWEST_MIGRATION }).first("name");
    return newest ? undefined : `the database lacks migration ${NEWEST_MIGRATION}`;
  } catch (error) {
    return `the database can't be reached: ${reasonOf(error)}`;
  }
}
