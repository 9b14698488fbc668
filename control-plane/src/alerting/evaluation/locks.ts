/**
 * Keeps evaluations of one check apart, over all replicas: two that each stored half of what makes a rule fire would both
 * miss it, or both fire. A lock is held until its transaction ends. Checks share a fixed number of locks, because each held
 * lock takes shared memory of the database and a little time, and a group of results may touch thousands of checks.
 */
import type { Knex } from "knex";
import { ADVISORY_LOCK_CLASSES } from "../../platform/db/advisory-locks.ts";

const LOCK_COUNT = 128;

/**
 * Waits for the locks of these checks, in one order, so that no two transactions wait for each other. Call it before any
 * row of alerting is locked.
 */
export async function lockChecks(trx: Knex, checkKeys: Iterable<number>): Promise<void> {
  const locks = [...new Set([...checkKeys].map((key) => key % LOCK_COUNT))].sort((a, b) => a - b);
  if (locks.length === 0) return;
  await trx.raw("SELECT pg_advisory_xact_lock(?, lock) FROM unnest(?::integer[]) AS lock", [
    ADVISORY_LOCK_CLASSES.checkEvaluation,
    locks,
  ]);
}

/** The subject of a rule or instance, by the keys of which its evaluations are kept apart. */
export interface LockedSubject {
  checkKey: number | null;
  /** The SLO that generated the rule; null: a person wrote it. */
  sloKey: number | null;
}

/** Does the work of {@link lockChecks} for a check or, where there is none, for the SLO. Both share the locks. */
export async function lockSubjects(trx: Knex, subjects: readonly LockedSubject[]): Promise<void> {
  await lockChecks(
    trx,
    subjects.flatMap(({ checkKey, sloKey }) => checkKey ?? sloKey ?? []),
  );
}
