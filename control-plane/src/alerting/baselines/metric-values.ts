/** The metrics that have baselines, read off a result. Values are milliseconds; cls is a score. Pure. */
import type { BaselineMetric } from "@svc/contract";
import type { StoredResult } from "../inputs/judged-result.ts";

/** The parts of a result that metrics are read from. */
export type MeasuredResult = Pick<
  StoredResult,
  "responseTimeUs" | "dnsLookupUs" | "tlsHandshakeUs" | "ttfbUs" | "contentTransferUs" | "webVitals"
>;

type ValueReader = (result: MeasuredResult) => number | null | undefined;

const READERS: Record<BaselineMetric, ValueReader> = {
  response_time: (result) => msOf(result.responseTimeUs),
  dns_lookup: (result) => msOf(result.dnsLookupUs),
  tls_handshake: (result) => msOf(result.tlsHandshakeUs),
  ttfb: (result) => msOf(result.ttfbUs),
  content_transfer: (result) => msOf(result.contentTransferUs),
  lcp: (result) => result.webVitals?.lcpMs,
  fcp: (result) => result.webVitals?.fcpMs,
  cls: (result) => result.webVitals?.cls,
};

const VITALS: readonly BaselineMetric[] = ["lcp", "fcp", "cls"];

/** True for a web vital, which is part of a result's detail, not of its row. */
export function isVital(metric: BaselineMetric): boolean {
  return VITALS.includes(metric);
}

/** Returns the metric's value; undefined when the run did not measure it. */
export function metricValueOf(result: MeasuredResult, metric: BaselineMetric): number | undefined {
  return READERS[metric](result) ?? undefined;
}

function msOf(us: number | null): number | null {
  return us === null ? null : us / 1000;
}
