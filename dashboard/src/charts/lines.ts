/** Decides which lines a chart of response times has. Pure. */
import type { Series } from "../api/queries/history.ts";
import { countText } from "../time/format.ts";

/** Ways to look at response times. */
export const MODES = {
  location: "Median by location",
  percentiles: "Percentiles",
  phases: "Phases",
} as const;
/** Way to look at response times. */
export type Mode = keyof typeof MODES;

/** A line: its name, and a value in ms for each bucket; null where nothing was measured. */
export interface Line {
  name: string;
  values: readonly (number | null)[];
}

/** The phases in the order in which they follow one another. */
const PHASES = [
  ["DNS", "dnsLookupMs"],
  ["TCP", "tcpConnectMs"],
  ["TLS", "tlsHandshakeMs"],
  ["Waiting", "ttfbMs"],
  ["Transfer", "contentTransferMs"],
] as const;

/** Returns the lines of a mode. @param nameOf names a location */
export function linesOf({ series }: Series, mode: Mode, nameOf: (locationId: string) => string): Line[] {
  if (mode === "location")
    return series.map(({ locationId, p50Ms, avgMs }) => ({
      name: locationId === null ? "All locations" : nameOf(locationId),
      // Hours that an earlier version rolled up have no median.
      values: p50Ms.map((value, i) => value ?? avgMs[i] ?? null),
    }));
  const [all] = series;
  if (!all) return [];
  if (mode === "phases") return PHASES.map(([name, field]) => ({ name, values: all.phasesMs[field] }));
  return [
    { name: "Median", values: all.p50Ms },
    { name: "95th percentile", values: all.p95Ms },
    { name: "99th percentile", values: all.p99Ms },
  ];
}

/** Returns lines that stand on one another, in their order. */
export function stacked(lines: readonly Line[]): Line[] {
  const sums: number[] = [];
  return lines.map(({ name, values }) => ({
    name,
    values: values.map((value, i) => {
      sums[i] = (sums[i] ?? 0) + (value ?? 0);
      return value === null ? null : sums[i];
    }),
  }));
}

/** Returns what a chart says in one sentence. @param msText writes a duration @param textOf shows an instant */
export function summaryOf(
  series: Series,
  msText: (ms: number) => string,
  textOf: (ms: number) => string,
): string {
  let highest: { ms: number; i: number } | undefined;
  let results = 0;
  let failures = 0;
  for (const { maxMs, success, failure, error, timeout } of series.series)
    for (const [i, ms] of maxMs.entries()) {
      const failed = (failure[i] ?? 0) + (error[i] ?? 0) + (timeout[i] ?? 0);
      failures += failed;
      results += failed + (success[i] ?? 0);
      if (ms !== null && (!highest || ms > highest.ms)) highest = { ms, i };
    }
  if (!highest) return "No result in this range.";
  const at = textOf(Date.parse(series.from) + highest.i * series.bucketMs);
  return `${countText(results, "result")}, ${failures} not successful; highest ${msText(highest.ms)} at ${at}`;
}
