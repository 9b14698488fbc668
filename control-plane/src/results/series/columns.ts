/** Makes columns of rows of buckets. Pure. */
import type { Series } from "@svc/contract";
import { Distribution } from "../rollups/distribution.ts";
import type { SeriesGrid } from "./buckets.ts";
import type { BucketRow } from "./store.ts";

type Columns = Omit<Series["series"][number], "locationId">;

/** Phases in the order of their sums. */
const PHASES = ["dnsLookupMs", "tcpConnectMs", "tlsHandshakeMs", "ttfbMs", "contentTransferMs"] as const;

/** Returns a value per bucket for each column; rows of one bucket are added up. */
export function columnsOf(
  rows: readonly BucketRow[],
  grid: Pick<SeriesGrid, "fromMs" | "widthMs" | "count">,
): Columns {
  const buckets: BucketRow[][] = Array.from({ length: grid.count }, () => []);
  for (const row of rows) buckets[(row.bucketMs - grid.fromMs) / grid.widthMs]?.push(row);
  const each = <Value>(from: (bucket: readonly BucketRow[]) => Value) => buckets.map(from);
  const counted = (status: "success" | "failure" | "error" | "timeout") =>
    each((bucket) => sum(bucket.map((row) => row[status])));
  const quantiles = each(quantilesOf);
  return {
    success: counted("success"),
    failure: counted("failure"),
    error: counted("error"),
    timeout: counted("timeout"),
    avgMs: each((bucket) =>
      ms(bucket.length === 0 ? null : sum(bucket.map((row) => row.sumUs)) / countOf(bucket)),
    ),
    minMs: each((bucket) => ms(bucket.length === 0 ? null : Math.min(...bucket.map((row) => row.minUs)))),
    maxMs: each((bucket) => ms(bucket.length === 0 ? null : Math.max(...bucket.map((row) => row.maxUs)))),
    p50Ms: quantiles.map(([p50]) => ms(p50 ?? null)),
    p95Ms: quantiles.map(([, p95]) => ms(p95 ?? null)),
    p99Ms: quantiles.map(([, , p99]) => ms(p99 ?? null)),
    phasesMs: Object.fromEntries(
      PHASES.map((phase, i) => [phase, each((bucket) => ms(meanPhase(bucket, i)))]),
    ) as Columns["phasesMs"],
  };
}

/** Returns the figures of all rows together, whatever their buckets and locations. */
export function wholeOf(rows: readonly BucketRow[]): Series["whole"] {
  const counted = (status: "success" | "failure" | "error" | "timeout") =>
    sum(rows.map((row) => row[status]));
  const [p50, p95, p99] = quantilesOf(rows);
  return {
    success: counted("success"),
    failure: counted("failure"),
    error: counted("error"),
    timeout: counted("timeout"),
    avgMs: ms(rows.length === 0 ? null : sum(rows.map((row) => row.sumUs)) / countOf(rows)),
    p50Ms: ms(p50 ?? null),
    p95Ms: ms(p95 ?? null),
    p99Ms: ms(p99 ?? null),
  };
}

const SHARES = [0.5, 0.95, 0.99];

/** Returns the quantiles of a bucket: exact ones where every single time is known. */
function quantilesOf(bucket: readonly BucketRow[]): readonly number[] {
  if (bucket.length === 0 || bucket.some(({ times, distributions }) => !times && !distributions)) return [];
  const times = bucket.flatMap((row) => timesOf(row));
  if (bucket.every((row) => row.times)) {
    const sorted = Int32Array.from(times).sort();
    return SHARES.map((share) => sorted[Math.max(0, Math.ceil(share * sorted.length) - 1)] as number);
  }
  const distribution = new Distribution();
  for (const row of bucket) if (row.distributions) distribution.addStored(row.distributions);
  for (const time of times) distribution.addTime(time);
  const longest = bucket.reduce((max, { maxUs }) => Math.max(max, maxUs), 0);
  return SHARES.map((share) => Math.min(distribution.quantile(share) ?? 0, longest));
}

function timesOf({ times }: BucketRow): number[] {
  return times ? Array.from({ length: times.length / 4 }, (_, i) => times.readInt32BE(4 * i)) : [];
}

function meanPhase(bucket: readonly BucketRow[], phase: number): number | null {
  if (bucket.length === 0 || bucket.some(({ phaseSumsUs }) => phaseSumsUs === null)) return null;
  return sum(bucket.map(({ phaseSumsUs }) => phaseSumsUs?.[phase] ?? 0)) / countOf(bucket);
}

function countOf(bucket: readonly BucketRow[]): number {
  return sum(bucket.map(({ success, failure, error, timeout }) => success + failure + error + timeout));
}

/** Returns microseconds as ms with three decimals. */
function ms(us: number | null): number | null {
  return us === null ? null : Math.round(us) / 1000;
}

function sum(numbers: readonly number[]): number {
  return numbers.reduce((total, one) => total + one, 0);
}
