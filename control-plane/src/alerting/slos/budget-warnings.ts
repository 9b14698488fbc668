/**
 * Tells when an SLO's budget begins to burn faster than a pace's threshold: one event per crossing, however many replicas
 * look. What was told is noted on the SLO in the event's own transaction; it is told again after it fell back.
 */
import type { Knex } from "knex";
import { attributesOfEvent } from "../../telemetry/derived-events/define-derived-event.ts";
import { sloBudgetWarning } from "../../telemetry/derived-events/slo-budget-warning.ts";
import { type DerivedEvent, recordDerivedEvents } from "../../telemetry/derived-events/store.ts";
import { burnRateOf, isBurning, PACES, type Pace } from "./burn-rate.ts";
import { countResults } from "./count-results.ts";
import { readStatusCounts } from "./get-slo-status.ts";
import { windowStart } from "./read-burn-rates.ts";
import { NO_COUNTS } from "./result-counts.ts";
import type { SloRow } from "./row.ts";
import { statusOf } from "./slo-status.ts";
import {
  findSloRow,
  forgetBurningOfUnjudged,
  nextJudgedSlos,
  replaceBurning,
  type WatchedSlo,
} from "./store.ts";

const SLOS_AT_ONCE = 100;

/** Looks at every enabled SLO. Harmless to repeat, and to overlap with another replica's look. @param nowMs Unix ms */
export async function warnOfBurning(knex: Knex, nowMs: number, signal?: AbortSignal): Promise<void> {
  await forgetBurningOfUnjudged(knex);
  let afterKey = 0;
  while (!signal?.aborted) {
    const slos = await nextJudgedSlos(knex, afterKey, SLOS_AT_ONCE);
    const rates = await ratesOf(knex, slos, nowMs);
    for (const [index, slo] of slos.entries()) await note(knex, slo, rates[index] ?? [], nowMs);
    if (slos.length < SLOS_AT_ONCE) return;
    afterKey = slos.at(-1)?.key ?? afterKey;
  }
}

interface PaceRates {
  pace: Pace;
  long: number;
  short: number;
}

async function ratesOf(knex: Knex, slos: readonly WatchedSlo[], nowMs: number): Promise<PaceRates[][]> {
  const windows = PACES.flatMap(({ longWindowMinutes, shortWindowMinutes }) => [
    longWindowMinutes,
    shortWindowMinutes,
  ]);
  const counts = await countResults(
    knex,
    slos.flatMap(({ checkKey, perfThresholdMs }) =>
      windows.map((minutes) => ({
        ...{ checkKey: checkKey as number, thresholdMs: perfThresholdMs },
        ...{ fromMs: windowStart(nowMs, minutes), toMs: nowMs },
      })),
    ),
  );
  return slos.map(({ targetBasisPoints }, index) => {
    const rate = (window: number) =>
      burnRateOf(counts[index * windows.length + window] ?? NO_COUNTS, targetBasisPoints);
    return PACES.map((pace, place) => ({ pace, long: rate(place * 2), short: rate(place * 2 + 1) }));
  });
}

async function note(knex: Knex, slo: WatchedSlo, rates: readonly PaceRates[], nowMs: number): Promise<void> {
  const above = rates.filter((rate) => isBurning(rate.pace, slo.burning.includes(rate.pace.name), rate));
  const burning = above.map(({ pace }) => pace.name);
  if (burning.join() === slo.burning.join()) return;
  const isNew = above.filter(({ pace }) => !slo.burning.includes(pace.name));
  await knex.transaction(async (trx) => {
    if (!(await replaceBurning(trx, slo.key, slo.burning, burning)) || isNew.length === 0) return;
    const row = await findSloRow(trx, slo.teamId, slo.id);
    if (row) await recordDerivedEvents(trx, await eventsOf(trx, row, isNew, nowMs));
  });
}

async function eventsOf(
  trx: Knex,
  slo: SloRow,
  rates: readonly PaceRates[],
  nowMs: number,
): Promise<DerivedEvent[]> {
  const status = statusOf(slo, await readStatusCounts(trx, slo, nowMs));
  return rates.map(({ pace, long, short }) => ({
    teamId: slo.teamId,
    name: sloBudgetWarning.name,
    severity: pace.name === "fast" ? "critical" : "warning",
    attributes: attributesOfEvent(sloBudgetWarning, {
      id: slo.id,
      name: slo.name,
      checkId: slo.checkId,
      sliType: slo.sliType,
      targetBasisPoints: slo.targetBasisPoints,
      windowDays: slo.windowDays,
      burnRateThreshold: pace.burnRateThreshold,
      longBurnRate: long,
      longWindowMinutes: pace.longWindowMinutes,
      shortBurnRate: short,
      shortWindowMinutes: pace.shortWindowMinutes,
      budgetConsumedRatio: status.budgetConsumedRatio,
      budgetRemainingMinutes: status.errorBudgetRemaining,
    }),
    occurredAtMs: nowMs,
  }));
}
