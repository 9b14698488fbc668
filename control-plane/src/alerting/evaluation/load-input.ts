/** Loads the facts that the rules of the touched checks ask for, and no others: one statement per kind of fact. */
import type { BaselineMetric } from "@svc/contract";
import { DAY_MS } from "@svc/contract";
import type { Knex } from "knex";
import { DETAIL_METRICS, hourOfWeek } from "../baselines/metric-values.ts";
import { cellId, readBaselines } from "../baselines/store.ts";
import type { FactNeeds } from "../conditions/condition.ts";
import { type FreshResult, isSuccess, type ResultFact } from "../conditions/condition-input.ts";
import { ruleOf } from "../conditions/registry.ts";
import type { ReadBurnRates } from "../inputs/burn-rates.ts";
import { placeId, readMissedSlots } from "../inputs/missed-slots.ts";
import {
  type AlertCheckRow,
  type NamedLocation,
  type PlacedResult,
  type PlacedTlsObservation,
  type PlaceToRead,
  readNewestResults,
  readTlsObservations,
} from "../inputs/result-store.ts";
import type { StoredFacts } from "./result-replay.ts";
import type { EvaluatedRule } from "./transitions.ts";

/** A check whose rules are to be judged. */
export interface CheckInQuestion {
  row: AlertCheckRow;
  /** At least those that it runs from. */
  locations: readonly NamedLocation[];
  rules: readonly EvaluatedRule[];
  fresh: readonly FreshResult[];
}

/** Results older than this before the newest are no part of a row of failures. Longer for checks that run less often. */
const LOOK_BACK_MS = 2 * DAY_MS;

/** @returns by check key */
export async function loadFacts(
  trx: Knex,
  checks: readonly CheckInQuestion[],
  nowMs: number,
  readBurnRates: ReadBurnRates,
): Promise<Map<number, StoredFacts>> {
  const questions = checks.map((check) => ({ ...check, needs: mergedNeeds(check.rules) }));
  const results = await loadResults(trx, questions, nowMs);
  const tls = await readTlsObservations(
    trx,
    placesOf(questions, nowMs, ({ tls }) => (tls ? 2 : 0)),
  );
  const tlsAt = groupByPlace<PlacedTlsObservation>(tls);
  const missed = await readMissedSlots(
    trx,
    questions
      .filter(({ needs }) => needs.missedSlots > 0)
      .map(({ row, needs }) => ({ ...row, slots: needs.missedSlots })),
    nowMs,
  );
  const baselines = await readBaselines(trx, cellsOf(questions, results));
  const burnRates = await readBurnRates(
    trx,
    questions.flatMap(({ row, needs }) =>
      needs.burnRates.map((question) => ({ ...question, teamId: row.teamId })),
    ),
    nowMs,
  );
  return new Map(
    questions.map(({ row, locations }) => [
      row.key,
      {
        checkKey: row.key,
        nowMs,
        locations: row.locationKeys.map((locationKey) => ({
          locationKey,
          locationId: locations.find(({ key }) => key === locationKey)?.id ?? "",
          name: locations.find(({ key }) => key === locationKey)?.name ?? "",
          results: results.get(placeId(row.key, locationKey)) ?? [],
          tls: wasPlain(results.get(placeId(row.key, locationKey))?.[0])
            ? []
            : (tlsAt.get(placeId(row.key, locationKey)) ?? []),
          missedSlotsMs: missed.get(placeId(row.key, locationKey)) ?? [],
        })),
        baselineOf: (metric: BaselineMetric, locationKey: number, slotMs: number) =>
          baselines.get(cellId({ checkKey: row.key, locationKey, metric, hour: hourOfWeek(slotMs) })),
        burnRateOf: (sloId: string, windowMinutes: number) => burnRates(row.teamId, sloId, windowMinutes),
      },
    ]),
  );
}

/**
 * Whether the newest result came without TLS: what was seen of a certificate before holds no more (the check was moved to
 * http). Only a success tells: a handshake that fails has no time, and what it saw of the certificate counts.
 */
function wasPlain(newest: ResultFact | undefined): boolean {
  return newest !== undefined && isSuccess(newest) && newest.tlsHandshakeUs === null;
}

interface MergedNeeds {
  results: number;
  newestSuccess: boolean;
  tls: boolean;
  baselines: BaselineMetric[];
  missedSlots: number;
  burnRates: { sloId: string; windowMinutes: number }[];
}
type Question = CheckInQuestion & { needs: MergedNeeds };

function mergedNeeds(rules: readonly EvaluatedRule[]): MergedNeeds {
  const needs: FactNeeds[] = rules.flatMap((rule) =>
    rule.conditions.map((condition) => ruleOf(condition).needs(condition)),
  );
  return {
    // Whether a result is its location's newest, and whether a failure is over, is asked of every rule.
    results: Math.max(
      1,
      ...rules.map(({ recoverySuccesses }) => recoverySuccesses),
      ...needs.map(({ results = 0 }) => results),
    ),
    newestSuccess: needs.some(({ newestSuccess }) => newestSuccess),
    tls: needs.some(({ tls }) => tls),
    baselines: [...new Set(needs.flatMap(({ baseline }) => baseline ?? []))],
    missedSlots: Math.max(0, ...needs.map(({ missedSlots = 0 }) => missedSlots)),
    burnRates: needs.flatMap(({ burnRates = [] }) => burnRates),
  };
}

/** The check's places, with how much of each: what is asked for, and the new ones on top. */
function placesOf(
  questions: readonly Question[],
  nowMs: number,
  take: (needs: MergedNeeds) => number,
): PlaceToRead[] {
  return questions.flatMap(({ row, needs, fresh }) => {
    const wanted = take(needs);
    if (wanted === 0) return [];
    const lookBackMs = Math.max(LOOK_BACK_MS, 2 * needs.results * row.frequencySeconds * 1000);
    const fromMs = fresh.reduce((min, { slotMs }) => Math.min(min, slotMs), nowMs) - lookBackMs;
    return row.locationKeys.map((locationKey) => ({
      checkKey: row.key,
      locationKey,
      limit: wanted + fresh.filter((result) => result.locationKey === locationKey).length,
      fromMs,
    }));
  });
}

async function loadResults(
  trx: Knex,
  questions: readonly Question[],
  nowMs: number,
): Promise<Map<string, ResultFact[]>> {
  const withVitals = questions.some(({ needs }) => needs.baselines.some((m) => DETAIL_METRICS.includes(m)));
  const newest = await readNewestResults(
    trx,
    placesOf(questions, nowMs, ({ results }) => results),
    { onlySuccesses: false, withVitals },
  );
  // Mostly the newest success is among them; only a place that keeps failing is asked again.
  const succeeding = new Set(newest.filter(isSuccess).map((r) => placeId(r.checkKey, r.locationKey)));
  const successes = await readNewestResults(
    trx,
    placesOf(questions, nowMs, ({ newestSuccess }) => (newestSuccess ? 1 : 0)).filter(
      ({ checkKey, locationKey }) => !succeeding.has(placeId(checkKey, locationKey)),
    ),
    { onlySuccesses: true, withVitals: false },
  );
  const bySlot = new Map<string, PlacedResult>();
  for (const result of [...successes, ...newest])
    bySlot.set(`${placeId(result.checkKey, result.locationKey)}:${result.slotMs}`, result);
  const places = groupByPlace([...bySlot.values()]);
  for (const results of places.values()) results.sort((a, b) => b.slotMs - a.slotMs);
  return places;
}

function cellsOf(questions: readonly Question[], results: ReadonlyMap<string, readonly ResultFact[]>) {
  return questions.flatMap(({ row, needs }) =>
    needs.baselines.flatMap((metric) =>
      row.locationKeys.flatMap((locationKey) => {
        const slots = results.get(placeId(row.key, locationKey)) ?? [];
        const hours = new Set(slots.map(({ slotMs }) => hourOfWeek(slotMs)));
        return [...hours].map((hour) => ({ checkKey: row.key, locationKey, metric, hour }));
      }),
    ),
  );
}

function groupByPlace<Row extends { checkKey: number; locationKey: number }>(
  rows: readonly Row[],
): Map<string, Row[]> {
  const places = new Map<string, Row[]>();
  for (const row of rows) {
    const id = placeId(row.checkKey, row.locationKey);
    const place = places.get(id);
    if (place) place.push(row);
    else places.set(id, [row]);
  }
  return places;
}
