/**
 * Keeps the baselines that rules use up to date, apart from ingest, by a cursor per check and metric: each stored success is
 * folded in once, in the order of its slots. A new rule begins with the stored results of the last weeks. The cost grows
 * with the results that came since the last update, never with the history.
 */
import { DAY_MS, HOUR_MS, hourOfWeek, MINUTE_MS } from "@svc/contract";
import type { Knex } from "knex";
import { foldSample, NO_SUMS, type RunningSums, robustSums, SAMPLES_MIN } from "./fold.ts";
import { lockProgress, type MetricOfCheck, readCursors, saveProgress } from "./progress-store.ts";
import { readSamples, type SampleSpan } from "./sample-store.ts";
import { baselineId, readSums, type StoredSums, writeSums } from "./store.ts";

/** A new rule begins with four weeks: at least four samples of each hour of the week. */
const SEED_MS = 28 * DAY_MS;
/** Results younger than this may still be on their way; one that comes later is left out of the baseline. */
const SETTLE_MS = 2 * MINUTE_MS;
/** Time whose results are folded in one transaction. */
const STEP_MS = DAY_MS;

/** Brings every baseline up to date. Safe on several replicas at once: a cursor is locked while its results are folded. */
export async function updateBaselines(knex: Knex, nowMs: number, signal?: AbortSignal): Promise<void> {
  const toMs = nowMs - SETTLE_MS;
  for (const { checkKey, metric, doneUntilMs } of await readCursors(knex)) {
    let fromMs = doneUntilMs ?? toMs - SEED_MS;
    while (fromMs < toMs && !signal?.aborted) {
      const untilMs = Math.min(toMs, fromMs + STEP_MS);
      fromMs = await foldStep(knex, { checkKey, metric }, { fromMs, untilMs });
    }
    if (signal?.aborted) return;
  }
}

/** Folds one step. Returns the instant up to which results are folded, possibly by another replica. */
async function foldStep(knex: Knex, of: MetricOfCheck, { fromMs, untilMs }: SampleSpan): Promise<number> {
  return knex.transaction(async (trx) => {
    const doneUntilMs = await lockProgress(trx, of, fromMs);
    if (doneUntilMs >= untilMs) return doneUntilMs;
    const samples = await readSamples(trx, of, [{ fromMs: doneUntilMs, untilMs }]);
    const stored = await readSums(
      trx,
      samples.map((sample) => sample.key),
    );
    const folded = new Map<string, StoredSums>();
    for (const { key, value } of samples) {
      const id = baselineId(key);
      folded.set(id, { ...key, ...foldSample(folded.get(id) ?? stored.get(id) ?? NO_SUMS, value) });
    }
    const completed = [...folded].filter(
      ([id, sums]) => sums.sampleCount >= SAMPLES_MIN && countOf(stored.get(id)) < SAMPLES_MIN,
    );
    for (const [id, sums] of await recompute(trx, of, { completed, untilMs })) folded.set(id, sums);
    await writeSums(trx, [...folded.values()]);
    await saveProgress(trx, of, untilMs);
    return untilMs;
  });
}

function countOf(sums: RunningSums | undefined): number {
  return sums?.sampleCount ?? 0;
}

/**
 * Recomputes sums that just reached SAMPLES_MIN from their stored samples; keeps the running sums when retention has
 * dropped most of them, as for checks that run rarely.
 */
async function recompute(
  trx: Knex,
  of: MetricOfCheck,
  { completed, untilMs }: { completed: readonly (readonly [string, StoredSums])[]; untilMs: number },
): Promise<Map<string, StoredSums>> {
  const hours = new Set(completed.map(([, { hour }]) => hour));
  if (hours.size === 0) return new Map();
  const values = new Map<string, number[]>();
  for (const { key, value } of await readSamples(trx, of, spansOfHours(hours, untilMs))) {
    const id = baselineId(key);
    const known = values.get(id);
    if (known) known.push(value);
    else values.set(id, [value]);
  }
  const recomputed = new Map<string, StoredSums>();
  for (const [id, sums] of completed) {
    const samples = values.get(id) ?? [];
    if (samples.length >= SAMPLES_MIN) recomputed.set(id, { ...sums, ...robustSums(samples) });
  }
  return recomputed;
}

/** Returns the spans of the last weeks that belong to these hours of the week. */
function spansOfHours(hours: ReadonlySet<number>, untilMs: number): SampleSpan[] {
  const spans: SampleSpan[] = [];
  for (let fromMs = untilMs - SEED_MS - (untilMs % HOUR_MS); fromMs < untilMs; fromMs += HOUR_MS)
    if (hours.has(hourOfWeek(fromMs))) spans.push({ fromMs, untilMs: Math.min(untilMs, fromMs + HOUR_MS) });
  return spans;
}
