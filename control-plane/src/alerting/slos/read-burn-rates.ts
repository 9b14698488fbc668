/** Reads the burn rates that conditions ask for, from the counts that an SLO's status is made of. */
import { MINUTE_MS, type SloId, type TeamId } from "@svc/contract";
import type { Knex } from "knex";
import { bucketOf } from "../../results/rollups/buckets.ts";
import { burnRateOf } from "./burn-rate.ts";
import { countSlos } from "./count-slos.ts";
import { findActiveSlos } from "./store.ts";

/** A burn rate that is asked for. */
export interface BurnRateQuestion {
  /** Team of the rule that asks. Another team's SLO has no known rate. */
  teamId: TeamId;
  sloId: SloId;
  windowMinutes: number;
}

/** Returns a burn rate; undefined: not known. */
export type BurnRates = (teamId: TeamId, sloId: SloId, windowMinutes: number) => number | undefined;

/** Longest window that begins exactly. Results of longer ago may be gone; whole buckets are not. */
const EXACT_MINUTES_MAX = 1_440;

/**
 * Returns the rates asked for, over windows that end at `nowMs`. No rate is known for an SLO that is switched off,
 * deleted, or of another team than the rule that asks.
 */
export async function readBurnRates(
  trx: Knex,
  questions: readonly BurnRateQuestion[],
  nowMs: number,
): Promise<BurnRates> {
  const rates = new Map<string, number>();
  if (questions.length > 0) {
    const slos = await findActiveSlos(trx, [...new Set(questions.map(({ sloId }) => sloId))]);
    const asked = questions.flatMap((question) => {
      const slo = slos.find(({ id, teamId }) => id === question.sloId && teamId === question.teamId);
      return slo ? [{ ...question, slo }] : [];
    });
    const counts = await countSlos(
      trx,
      asked.map(({ slo, windowMinutes }) => ({
        slo,
        fromMs: windowStart(nowMs, windowMinutes),
        toMs: nowMs,
      })),
    );
    for (const [index, { teamId, slo, windowMinutes }] of asked.entries()) {
      const counted = counts[index];
      if (counted)
        rates.set(rateId(teamId, slo.id, windowMinutes), burnRateOf(counted, slo.targetBasisPoints));
    }
  }
  return (teamId, sloId, windowMinutes) => rates.get(rateId(teamId, sloId, windowMinutes));
}

function rateId(teamId: TeamId, sloId: SloId, windowMinutes: number): string {
  return `${teamId}:${sloId}:${windowMinutes}`;
}

/** Returns where a window of so many minutes begins, Unix ms. */
export function windowStart(nowMs: number, windowMinutes: number): number {
  const fromMs = nowMs - windowMinutes * MINUTE_MS;
  return windowMinutes > EXACT_MINUTES_MAX ? bucketOf(fromMs) : fromMs;
}
