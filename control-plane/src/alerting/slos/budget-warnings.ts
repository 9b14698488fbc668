/**
 * Records an event when an SLO's budget begins to burn faster than a pace's threshold: one event per crossing, however many
 * replicas look. The SLO remembers the crossing in the event's own transaction, until the rate falls back.
 */
import type { Knex } from "knex";
import { attributesOfEvent } from "../../telemetry/derived-events/define-derived-event.ts";
import { sloBudgetWarning } from "../../telemetry/derived-events/slo-budget-warning.ts";
import { type DerivedEvent, recordDerivedEvents } from "../../telemetry/derived-events/store.ts";
import { burnRateOf, isBurning, PACES, type PaceRates } from "./burn-rate.ts";
import { countSlos } from "./count-slos.ts";
import { windowStart } from "./read-burn-rates.ts";
import { readStatusCounts } from "./read-status-counts.ts";
import { NO_COUNTS } from "./result-counts.ts";
import type { SloRow } from "./row.ts";
import { type StatusCounts, sloStatusOf } from "./slo-status.ts";
import { findSloRow } from "./store.ts";
import { clearBurningOfDisabled, readWatchedSlos, replaceBurning, type WatchedSlo } from "./warning-store.ts";

const SLOS_AT_ONCE = 100;

/**
 * Looks at every active SLO and records its new crossings. Harmless to repeat and to overlap with another replica's
 * call.
 */
export async function recordBudgetWarnings(knex: Knex, nowMs: number, signal?: AbortSignal): Promise<void> {
  await clearBurningOfDisabled(knex);
  let afterKey = 0;
  while (!signal?.aborted) {
    const slos = await readWatchedSlos(knex, afterKey, SLOS_AT_ONCE);
    const rates = await readPaceRates(knex, slos, nowMs);
    for (const [index, slo] of slos.entries())
      await recordCrossings(knex, { slo, rates: rates[index] ?? [], nowMs });
    if (slos.length < SLOS_AT_ONCE) return;
    afterKey = slos.at(-1)?.key ?? afterKey;
  }
}

/** Returns the burn rates of each SLO, in their order, by pace. */
async function readPaceRates(knex: Knex, slos: readonly WatchedSlo[], nowMs: number): Promise<PaceRates[][]> {
  const windows = PACES.flatMap(({ longWindowMinutes, shortWindowMinutes }) => [
    longWindowMinutes,
    shortWindowMinutes,
  ]);
  const counts = await countSlos(
    knex,
    slos.flatMap((slo) =>
      windows.map((minutes) => ({ slo, fromMs: windowStart(nowMs, minutes), toMs: nowMs })),
    ),
  );
  return slos.map(({ targetBasisPoints }, sloIndex) => {
    const rateOf = (window: number) =>
      burnRateOf(counts[sloIndex * windows.length + window] ?? NO_COUNTS, targetBasisPoints);
    return PACES.map((pace, index) => ({ pace, long: rateOf(index * 2), short: rateOf(index * 2 + 1) }));
  });
}

interface Crossings {
  slo: WatchedSlo;
  rates: readonly PaceRates[];
  nowMs: number;
}

async function recordCrossings(knex: Knex, { slo, rates, nowMs }: Crossings): Promise<void> {
  const above = rates.filter((rate) =>
    isBurning({ ...rate, wasBurning: slo.burning.includes(rate.pace.name) }),
  );
  const burning = above.map(({ pace }) => pace.name);
  if (burning.join() === slo.burning.join()) return;
  const crossed = above.filter(({ pace }) => !slo.burning.includes(pace.name));
  await knex.transaction(async (trx) => {
    const isFirst = await replaceBurning(trx, slo, burning);
    if (!isFirst || crossed.length === 0) return;
    const row = await findSloRow(trx, slo.teamId, slo.id);
    if (row) await recordDerivedEvents(trx, await eventsOf(trx, row, { rates: crossed, nowMs }));
  });
}

async function eventsOf(
  trx: Knex,
  slo: SloRow,
  { rates, nowMs }: { rates: readonly PaceRates[]; nowMs: number },
): Promise<DerivedEvent[]> {
  const [counts] = await readStatusCounts(trx, [slo], nowMs);
  const status = sloStatusOf(slo, counts as StatusCounts);
  return rates.map(({ pace, long, short }) => ({
    teamId: slo.teamId,
    name: sloBudgetWarning.type,
    severity: pace.name === "fast" ? "critical" : "warning",
    attributes: attributesOfEvent(sloBudgetWarning, {
      id: slo.id,
      name: slo.name,
      checkId: slo.checkId,
      patternId: slo.patternId,
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
