/** SQL by which the samples of baselines are read from results. */
import { hourOfWeek, STATUS_CODES, wholeMs } from "@svc/contract";
import type { Knex } from "knex";
import { sentAlong } from "../../platform/db/engine-sql.ts";
import { queryRows } from "../../platform/db/rows.ts";
import { REVISIONS_OF_CHECK } from "../../results/store.ts";
import { isVital, type MeasuredResult, metricValueOf } from "./metric-values.ts";
import type { MetricOfCheck } from "./progress-store.ts";
import type { BaselineKey } from "./store.ts";

/** A span of slots, Unix ms; the end is excluded. */
export interface SampleSpan {
  fromMs: number;
  untilMs: number;
}

/** Value of a metric in one success, with the baseline that it belongs to. */
export interface Sample {
  key: BaselineKey;
  value: number;
}

/** Returns the values of the check's successes in these spans, oldest first; runs that did not measure it are left out. */
export async function readSamples(
  trx: Knex,
  { checkKey, metric }: MetricOfCheck,
  spans: readonly SampleSpan[],
): Promise<Sample[]> {
  const vitals = isVital(metric)
    ? `(SELECT d.detail -> 'webVitals' FROM result_details d WHERE d.check_key = r.check_key
          AND d.location_key = r.location_key AND d.slot_ms = r.slot_ms AND d.slot_ms >= :fromMs AND d.slot_ms < :untilMs)`
    : "NULL::jsonb";
  const rows = await queryRows<MeasuredResult & { locationKey: number; slotMs: number }>(
    trx,
    `${sentAlong(trx, { check_revisions: REVISIONS_OF_CHECK })}SELECT r.location_key, r.slot_ms, r.response_time_us, r.dns_lookup_us, r.tls_handshake_us, r.ttfb_us,
       r.content_transfer_us, ${vitals} AS web_vitals
     FROM (SELECT DISTINCT unnest(location_keys) AS location_key FROM check_revisions WHERE check_key = :checkKey) active
     CROSS JOIN unnest(CAST(:froms AS bigint[]), CAST(:untils AS bigint[])) AS spans (from_ms, until_ms)
     CROSS JOIN LATERAL (SELECT * FROM results WHERE check_key = :checkKey AND location_key = active.location_key
       AND slot_ms >= spans.from_ms AND slot_ms < spans.until_ms
       AND slot_ms >= :fromMs AND slot_ms < :untilMs AND status = ${STATUS_CODES.success} OFFSET 0) r
     ORDER BY r.slot_ms`,
    {
      checkKey,
      froms: spans.map(({ fromMs }) => wholeMs(fromMs)),
      untils: spans.map(({ untilMs }) => wholeMs(untilMs)),
      // The outer bounds as constants let the planner leave out other partitions.
      fromMs: wholeMs(spans[0]?.fromMs ?? 0),
      untilMs: wholeMs(spans.at(-1)?.untilMs ?? 0),
    },
  );
  return rows.flatMap((row) => {
    const value = metricValueOf(row, metric);
    if (value === undefined) return [];
    const key = { checkKey, locationKey: row.locationKey, metric, hour: hourOfWeek(row.slotMs) };
    return [{ key, value }];
  });
}
