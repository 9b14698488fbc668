/** Ends the alerts of checks that are not run any more, because each of their locations was retired. */
import type { Knex } from "knex";
import { lockChecks } from "../evaluation/locks.ts";
import { resolveInstancesOfCheck } from "./resolve-open-instances.ts";
import { readOpenChecksOutOfService } from "./store.ts";

const CHECKS_AT_ONCE = 500;

/** How the work is bounded and ended. */
export interface OutOfServiceOptions {
  /** Aborting it ends the work after the check at hand. */
  signal?: AbortSignal;
  /** Default 500; each is resolved in a transaction of its own. */
  checksAtOnce?: number;
}

/**
 * Resolves the open instances of every check that no location in service runs: no result will ever show that they are over.
 * Harmless to overlap with another replica's call.
 * @param nowMs Unix ms
 */
export async function resolveOutOfService(
  knex: Knex,
  nowMs: number,
  { signal, checksAtOnce = CHECKS_AT_ONCE }: OutOfServiceOptions = {},
): Promise<void> {
  for (;;) {
    const checkKeys = await readOpenChecksOutOfService(knex, { limit: checksAtOnce });
    for (const checkKey of checkKeys) {
      if (signal?.aborted) return;
      await knex.transaction((trx) => resolveOf(trx, checkKey, nowMs));
    }
    if (checkKeys.length < checksAtOnce) return;
  }
}

async function resolveOf(trx: Knex, checkKey: number, atMs: number): Promise<void> {
  await lockChecks(trx, [checkKey]);
  // The check may have got another location since it was found.
  const [found] = await readOpenChecksOutOfService(trx, { limit: 1, checkKey });
  if (found === undefined) return;
  await resolveInstancesOfCheck(trx, { checkKey, reason: "all locations of the check were retired", atMs });
}
