/**
 * Keeps baselines of the checks that a rule asks for, outside of ingest, from a cursor per check and metric: each stored
 * success is folded in once, in its turn. A new rule begins with what is stored of the last weeks. What is done costs by
 * the results that came since, never by the history.
 */
import type { BaselineMetric } from "@svc/contract";
import { DAY_MS, HOUR_MS, STATUS_CODES } from "@svc/contract";
import type { Knex } from "knex";
import { queryRows } from "../../platform/db/rows.ts";
import { type Cell, EMPTY_CELL, foldSample, SAMPLES_MIN, settledCell } from "./fold.ts";
import { DETAIL_METRICS, hourOfWeek, type MeasuredResult, metricOf } from "./metric-values.ts";
import { type CellKey, cellId, readCells, writeCells } from "./store.ts";

/** A new rule begins with four weeks: four samples of each hour of the week at least. */
export const SEED_MS = 28 * DAY_MS;
/** Results younger than this may still be on their way; one that comes later is left out of the baseline. */
export const SETTLE_MS = 120_000;
/** Folded in one transaction. */
const STEP_MS = DAY_MS;

/** A check and metric that some enabled rule watches, and until when its results are folded in. */
interface Cursor {
  checkKey: number;
  metric: BaselineMetric;
  doneUntilMs: number | null;
}

/** Brings every baseline up to date. Safe on several replicas at once: a cursor is one's at a time. */
export async function updateBaselines(knex: Knex, nowMs: number, signal?: AbortSignal): Promise<void> {
  const toMs = nowMs - SETTLE_MS;
  for (const { checkKey, metric, doneUntilMs } of await readCursors(knex)) {
    let fromMs = doneUntilMs ?? toMs - SEED_MS;
    while (fromMs < toMs && !signal?.aborted) {
      const untilMs = Math.min(toMs, fromMs + STEP_MS);
      fromMs = await foldStep(knex, { checkKey, metric }, fromMs, untilMs);
    }
    if (signal?.aborted) return;
  }
}

function readCursors(knex: Knex): Promise<Cursor[]> {
  return queryRows(
    knex,
    `SELECT w.check_key AS "checkKey", w.metric, p.done_until_ms AS "doneUntilMs"
     FROM (SELECT DISTINCT r.check_key, c ->> 'metric' AS metric
           FROM alert_rules r CROSS JOIN jsonb_array_elements(r.conditions) AS c
           WHERE r.enabled AND r.deleted_at IS NULL AND c ->> 'type' = 'baseline_anomaly') w
     LEFT JOIN baseline_progress p ON p.check_key = w.check_key AND p.metric = w.metric
     ORDER BY 1, 2`,
  );
}

/** @returns until when it is done: someone else may have been there in between */
async function foldStep(
  knex: Knex,
  key: { checkKey: number; metric: BaselineMetric },
  fromMs: number,
  untilMs: number,
): Promise<number> {
  return knex.transaction(async (trx) => {
    const doneUntilMs = await lockProgress(trx, key, fromMs);
    if (doneUntilMs >= untilMs) return doneUntilMs;
    const samples = await readSamples(trx, key, [{ fromMs: doneUntilMs, untilMs }]);
    const cells = await readCells(
      trx,
      samples.map((sample) => sample.cell),
    );
    const folded = new Map<string, CellKey & Cell>();
    for (const { cell, value } of samples) {
      const id = cellId(cell);
      folded.set(id, { ...cell, ...foldSample(folded.get(id) ?? cells.get(id) ?? EMPTY_CELL, value) });
    }
    const grown = [...folded].filter(
      ([id, cell]) => cell.sampleCount >= SAMPLES_MIN && (cells.get(id)?.sampleCount ?? 0) < SAMPLES_MIN,
    );
    for (const [id, settled] of await settleCells(trx, key, new Map(grown), untilMs)) folded.set(id, settled);
    await writeCells(trx, [...folded.values()]);
    await trx("baselineProgress").where(key).update({ doneUntilMs: untilMs });
    return untilMs;
  });
}

/**
 * The cells that have enough samples now, made anew of those that are still stored. A check that runs so rarely that most are
 * not, keeps what was folded.
 */
async function settleCells(
  trx: Knex,
  key: { checkKey: number; metric: BaselineMetric },
  grown: ReadonlyMap<string, CellKey & Cell>,
  untilMs: number,
): Promise<Map<string, CellKey & Cell>> {
  const hours = new Set([...grown.values()].map(({ hour }) => hour));
  if (hours.size === 0) return new Map();
  const spans: Span[] = [];
  for (let atMs = untilMs - SEED_MS - (untilMs % HOUR_MS); atMs < untilMs; atMs += HOUR_MS)
    if (hours.has(hourOfWeek(atMs))) spans.push({ fromMs: atMs, untilMs: Math.min(untilMs, atMs + HOUR_MS) });
  const values = new Map<string, number[]>();
  for (const { cell, value } of await readSamples(trx, key, spans)) {
    const id = cellId(cell);
    const known = values.get(id);
    if (known) known.push(value);
    else values.set(id, [value]);
  }
  const settled = new Map<string, CellKey & Cell>();
  for (const [id, cell] of grown) {
    const stored = values.get(id) ?? [];
    if (stored.length >= SAMPLES_MIN) settled.set(id, { ...cell, ...settledCell(stored) });
  }
  return settled;
}

async function lockProgress(
  trx: Knex,
  key: { checkKey: number; metric: BaselineMetric },
  fromMs: number,
): Promise<number> {
  await trx("baselineProgress")
    .insert({ ...key, doneUntilMs: fromMs })
    .onConflict(["checkKey", "metric"])
    .ignore();
  const row: { doneUntilMs: number } = await trx("baselineProgress")
    .where(key)
    .forUpdate()
    .first("doneUntilMs");
  return row.doneUntilMs;
}

/** Unix ms; its end is not part of it. */
interface Span {
  fromMs: number;
  untilMs: number;
}

/** The check's successes of these spans, oldest first, with what the metric was. */
async function readSamples(
  trx: Knex,
  { checkKey, metric }: { checkKey: number; metric: BaselineMetric },
  spans: readonly Span[],
): Promise<{ cell: CellKey; value: number }[]> {
  const vitals = DETAIL_METRICS.includes(metric)
    ? `(SELECT d.detail -> 'webVitals' FROM result_details d WHERE d.check_key = r.check_key
          AND d.location_key = r.location_key AND d.slot_ms = r.slot_ms AND d.slot_ms >= :fromMs AND d.slot_ms < :untilMs)`
    : "NULL::jsonb";
  const rows = await queryRows<MeasuredResult & { locationKey: number; slotMs: number }>(
    trx,
    `SELECT r.location_key AS "locationKey", r.slot_ms AS "slotMs", r.response_time_us AS "responseTimeUs",
       r.dns_lookup_us AS "dnsLookupUs", r.tls_handshake_us AS "tlsHandshakeUs", r.ttfb_us AS "ttfbUs",
       r.content_transfer_us AS "contentTransferUs", ${vitals} AS "webVitals"
     FROM (SELECT DISTINCT unnest(location_keys) AS location_key FROM check_revisions WHERE check_key = :checkKey) places
     CROSS JOIN unnest(CAST(:froms AS bigint[]), CAST(:untils AS bigint[])) AS spans (from_ms, until_ms)
     CROSS JOIN LATERAL (SELECT * FROM results WHERE check_key = :checkKey AND location_key = places.location_key
       AND slot_ms >= spans.from_ms AND slot_ms < spans.until_ms
       AND slot_ms >= :fromMs AND slot_ms < :untilMs AND status = ${STATUS_CODES.success} OFFSET 0) r
     ORDER BY r.slot_ms`,
    {
      checkKey,
      froms: spans.map(({ fromMs }) => fromMs),
      untils: spans.map(({ untilMs }) => untilMs),
      // As constants, too: they let the planner leave out other partitions.
      fromMs: spans[0]?.fromMs ?? 0,
      untilMs: spans.at(-1)?.untilMs ?? 0,
    },
  );
  return rows.flatMap((row) => {
    const value = metricOf(row, metric);
    if (value === undefined) return [];
    const cell = { checkKey, locationKey: row.locationKey, metric, hour: hourOfWeek(row.slotMs) };
    return [{ cell, value }];
  });
}
