/** Judges whether this process can do its work: by its own state, and by the database's answer. */
import { setTimeout as sleep } from "node:timers/promises";
import type { Knex } from "knex";
import { reasonOf } from "../db/errors.ts";
import { NEWEST_MIGRATION } from "../db/migrations/registry.ts";
import type { Lifecycle, ReadinessState } from "./lifecycle.ts";

/** Longest wait of `/readyz` for the database's answer. */
const DATABASE_PATIENCE_MS = 2_000;

/** Returns the lifecycle's state; when that is `ready`, `unavailable` unless the database answers and is migrated. */
export async function checkReadiness(lifecycle: Lifecycle, knex: Knex): Promise<ReadinessState> {
  if (lifecycle.state.status !== "ready") return lifecycle.state;
  const problem = await Promise.race([
    databaseProblem(knex),
    sleep(DATABASE_PATIENCE_MS, `the database does not answer within ${DATABASE_PATIENCE_MS} ms`, {
      ref: false,
    }),
  ]);
  return problem ? { status: "unavailable", reason: problem } : { status: "ready" };
}

async function databaseProblem(knex: Knex): Promise<string | undefined> {
  try {
    const newest = await knex("svc_migrations").where({ name: NEWEST_MIGRATION }).first("name");
    return newest ? undefined : `the database lacks migration ${NEWEST_MIGRATION}`;
  } catch (error) {
    return `the database can't be reached: ${reasonOf(error)}`;
  }
}
