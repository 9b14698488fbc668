/** Answers what the burn_rate condition asks, from the same counts as an SLO's status. */

import { MINUTE_MS } from "@svc/contract";
import { bucketOf } from "../../results/rollups/buckets.ts";
import type { ReadBurnRates } from "../inputs/burn-rates.ts";
import { burnRateOf } from "./burn-rate.ts";
import { countResults } from "./count-results.ts";
import { findJudgedSlos } from "./store.ts";

/** The results of longer ago may be gone; whole buckets are not. */
const EXACT_MINUTES_MAX = 1_440;

/** Nothing is known of an SLO that is switched off, of no check, deleted, or another team's than the rule that asks. */
export const readBurnRates: ReadBurnRates = async (trx, questions, nowMs) => {
  const rates = new Map<string, number>();
  if (questions.length > 0) {
    const rows = await findJudgedSlos(trx, [...new Set(questions.map(({ sloId }) => sloId))]);
    const asked = questions.flatMap((question) => {
      const slo = rows.find(({ id, teamId }) => id === question.sloId && teamId === question.teamId);
      return slo?.checkKey ? [{ ...question, slo, checkKey: slo.checkKey }] : [];
    });
    const counts = await countResults(
      trx,
      asked.map(({ slo, checkKey, windowMinutes }) => ({
        ...{ checkKey, thresholdMs: slo.perfThresholdMs },
        ...{ fromMs: windowStart(nowMs, windowMinutes), toMs: nowMs },
      })),
    );
    for (const [index, { teamId, slo, windowMinutes }] of asked.entries()) {
      const counted = counts[index];
      if (counted)
        rates.set(`${teamId}:${slo.id}:${windowMinutes}`, burnRateOf(counted, slo.targetBasisPoints));
    }
  }
  return (teamId, sloId, windowMinutes) => rates.get(`${teamId}:${sloId}:${windowMinutes}`);
};

/** Unix ms. */
export function windowStart(nowMs: number, windowMinutes: number): number {
  const fromMs = nowMs - windowMinutes * MINUTE_MS;
  return windowMinutes > EXACT_MINUTES_MAX ? bucketOf(fromMs) : fromMs;
}
