/** What must be looked at although no result came: slots without results, burn rates. On one replica at a time. */
import type { Knex } from "knex";
import { TIMED_CONDITIONS } from "../conditions/registry.ts";
import { readChecksOfTimedRules } from "../rules/store.ts";
import type { AlertEvaluator } from "./evaluator.ts";

/** Checks judged in one transaction, which holds their locks. */
const CHECKS_AT_ONCE = 200;

/** Judges every check with a condition that may begin to hold between results. */
export async function lookPeriodically(
  knex: Knex,
  evaluator: Pick<AlertEvaluator, "lookAt">,
  signal?: AbortSignal,
  checksAtOnce = CHECKS_AT_ONCE,
): Promise<void> {
  let afterKey = 0;
  while (!signal?.aborted) {
    const checkKeys = await readChecksOfTimedRules(knex, TIMED_CONDITIONS, afterKey, checksAtOnce);
    if (checkKeys.length > 0) await knex.transaction((trx) => evaluator.lookAt(trx, checkKeys));
    if (checkKeys.length < checksAtOnce) return;
    afterKey = checkKeys.at(-1) as number;
  }
}
