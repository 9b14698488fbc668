/** SQL that reads what a check's results were, in order and column by column, since they are many. */
import type { Knex } from "knex";
import { queryRows } from "../../platform/db/rows.ts";
import type { NewResult } from "../inputs/judged-result.ts";

/** Which results are read. */
export interface HistoryPart {
  checkKey: number;
  locationKeys: readonly number[];
  /** Unix ms, inclusive. */
  fromMs: number;
  /** Unix ms, exclusive. */
  toMs: number;
  rowsMax: number;
}

type Columns = Record<"slots" | "locations" | "statuses" | "runners" | "times" | "codes", string | null>;

/** Returns the results of the time span, oldest first; the oldest `rowsMax` of them. */
export async function readHistoryPart(
  db: Knex,
  { checkKey, locationKeys, fromMs, toMs, rowsMax }: HistoryPart,
): Promise<NewResult[]> {
  const [columns] = await queryRows<Columns>(
    db,
    `SELECT string_agg(slot_ms::text, ',') AS slots, string_agg(location_key::text, ',') AS locations,
       string_agg(status::text, ',') AS statuses, string_agg(runner_key::text, ',') AS runners,
       string_agg(response_time_us::text, ',') AS times, string_agg(coalesce(http_status_code, 0)::text, ',') AS codes
     FROM (SELECT slot_ms, location_key, status, runner_key, response_time_us, http_status_code FROM results
           WHERE check_key = ? AND location_key = ANY(?) AND slot_ms >= ? AND slot_ms < ?
           ORDER BY slot_ms, location_key LIMIT ?) AS r`,
    [checkKey, locationKeys, fromMs, toMs, rowsMax],
  );
  const [slots, locations, statuses, runners, times, codes] = [
    numbers(columns?.slots),
    numbers(columns?.locations),
    numbers(columns?.statuses),
    numbers(columns?.runners),
    numbers(columns?.times),
    numbers(columns?.codes),
  ];
  return slots.map((slotMs, i) => ({
    slotMs,
    locationKey: locations[i] as number,
    status: statuses[i] as number,
    runnerKey: runners[i] as number,
    responseTimeUs: times[i] as number,
    // No condition that can be replayed asks for these.
    dnsLookupUs: null,
    tlsHandshakeUs: null,
    ttfbUs: null,
    contentTransferUs: null,
    httpStatusCode: codes[i] || null,
    traceId: null,
    hasTlsFacts: false,
  }));
}

function numbers(text: string | null | undefined): number[] {
  return text ? text.split(",").map(Number) : [];
}
