/** The metrics that have baselines, read off a result. Milliseconds; cls is a score. Pure. */
import type { BaselineMetric } from "@svc/contract";
import { HOUR_MS } from "@svc/contract";
import type { ResultFact } from "../conditions/condition-input.ts";

export type MeasuredResult = Pick<
  ResultFact,
  "responseTimeUs" | "dnsLookupUs" | "tlsHandshakeUs" | "ttfbUs" | "contentTransferUs" | "webVitals"
>;

const READ: Record<BaselineMetric, (result: MeasuredResult) => number | null | undefined> = {
  response_time: (result) => msOf(result.responseTimeUs),
  dns_lookup: (result) => msOf(result.dnsLookupUs),
  tls_handshake: (result) => msOf(result.tlsHandshakeUs),
  ttfb: (result) => msOf(result.ttfbUs),
  content_transfer: (result) => msOf(result.contentTransferUs),
  lcp: (result) => result.webVitals?.lcpMs,
  fcp: (result) => result.webVitals?.fcpMs,
  cls: (result) => result.webVitals?.cls,
};

/** Metrics that only a result's detail has. */
export const DETAIL_METRICS: readonly BaselineMetric[] = ["lcp", "fcp", "cls"];

/** @returns undefined: the run did not measure it */
export function metricOf(result: MeasuredResult, metric: BaselineMetric): number | undefined {
  return READ[metric](result) ?? undefined;
}

function msOf(us: number | null): number | null {
  return us === null ? null : us / 1000;
}

const HOURS_A_WEEK = 168;
/** 1970-01-01 was a Thursday; hour 0 of the week is Monday 00:00 UTC. */
const EPOCH_HOUR = 72;

/** 0-167, UTC, Monday first. */
export function hourOfWeek(atMs: number): number {
  return (Math.floor(atMs / HOUR_MS) + EPOCH_HOUR) % HOURS_A_WEEK;
}
