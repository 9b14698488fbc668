/** Evaluates what may begin to hold although no result came: slots without results, burn rates. */
import type { Knex } from "knex";
import { TYPES_BETWEEN_RESULTS } from "../conditions/registry.ts";
import { readChecksWithConditions } from "../rules/evaluation-store.ts";
import type { AlertEvaluator } from "./evaluator.ts";

/** Checks that are evaluated in one transaction, which holds their locks. */
const CHECKS_AT_ONCE = 200;

/** How the evaluation is bounded and ended. */
export interface BetweenResultsOptions {
  /** Aborting it ends the evaluation after the checks at hand. */
  signal?: AbortSignal;
  /** Default 200. */
  checksAtOnce?: number;
}

/**
 * Evaluates every check that has a condition which may begin to hold between results. For one replica at a time; an overlap
 * is harmless.
 */
export async function evaluateBetweenResults(
  knex: Knex,
  evaluator: Pick<AlertEvaluator, "evaluateNow">,
  { signal, checksAtOnce = CHECKS_AT_ONCE }: BetweenResultsOptions = {},
): Promise<void> {
  let afterKey = 0;
  while (!signal?.aborted) {
    const page = { types: TYPES_BETWEEN_RESULTS, afterKey, limit: checksAtOnce };
    const checkKeys = await readChecksWithConditions(knex, page);
    if (checkKeys.length > 0) await knex.transaction((trx) => evaluator.evaluateNow(trx, checkKeys));
    if (checkKeys.length < checksAtOnce) return;
    afterKey = checkKeys.at(-1) as number;
  }
}
