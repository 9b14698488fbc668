/**
 * Converts results to metrics: durations of runs, their success, days until certificates expire. The histogram has delta
 * temporality: each result is counted in exactly one export, so no replica has to remember sums. Pure.
 */
import { DAY_MS, isSuccessCode } from "@svc/contract";
import { ATTR } from "./attributes.ts";
import { type ExportedResult, endOf, startOf, statusOf } from "./check-records.ts";
import { attributesOf, type CheckMetrics, hrTimeOf, type Resource, SCOPE } from "./otlp.ts";
import { certificateHash } from "./tls-attributes.ts";

type MetricData = CheckMetrics["scopeMetrics"][number]["metrics"][number];

/** OpenTelemetry's DataPointType, ValueType and AggregationTemporality. */
const TYPE = { histogram: 0, gauge: 2 } as const;
const VALUE = { int: 0, double: 1 } as const;
const DELTA = 0;

/** Bounds of the buckets in seconds, as the semantic conventions advise for http.client.request.duration. */
const DURATION_BOUNDS = [0.005, 0.01, 0.025, 0.05, 0.075, 0.1, 0.25, 0.5, 0.75, 1, 2.5, 5, 7.5, 10];

/** Names, units and value types of the exported metrics. */
export const METRICS = {
  duration: {
    name: "synthetics.check.duration",
    description: "Response time of runs.",
    unit: "s",
    valueType: VALUE.double,
  },
  success: {
    name: "synthetics.check.success",
    description: "1: the run succeeded; 0: it did not.",
    unit: "1",
    valueType: VALUE.int,
  },
  certificateDaysLeft: {
    name: "synthetics.tls.certificate.days_left",
    description: "Whole days until the certificate expires; negative: it has expired.",
    unit: "d",
    valueType: VALUE.int,
  },
} as const;

/** The last certificate of a host that a check saw. */
export interface SeenCertificate {
  host: string;
  fingerprintSha256: string;
  validToMs: number;
}

/**
 * Returns the metrics of one check from its results in one export.
 * @param results at least one, all of the check
 */
export function metricsOfCheck(
  results: readonly ExportedResult[],
  certificates: readonly SeenCertificate[],
  resource: Resource,
): CheckMetrics {
  const endMs = results.reduce((latest, result) => Math.max(latest, endOf(result)), 0);
  const metrics = [durations(results), successes(results), daysLeft(certificates, endMs)];
  return {
    resource,
    scopeMetrics: [{ scope: SCOPE, metrics: metrics.filter(({ dataPoints }) => dataPoints.length > 0) }],
  };
}

function durations(results: readonly ExportedResult[]): MetricData {
  const series = new Map<string, ExportedResult[]>();
  for (const result of results) {
    const key = `${result.locationKey}:${result.status}`;
    const known = series.get(key);
    if (known) known.push(result);
    else series.set(key, [result]);
  }
  return {
    descriptor: METRICS.duration,
    dataPointType: TYPE.histogram,
    aggregationTemporality: DELTA,
    dataPoints: [...series.values()].map((of) => ({
      attributes: statusSeriesAttributes(of[0] as ExportedResult),
      startTime: hrTimeOf(Math.min(...of.map(startOf))),
      endTime: hrTimeOf(Math.max(...of.map(endOf))),
      value: histogram(of.map(({ responseTimeUs }) => responseTimeUs / 1e6)),
    })),
  } as MetricData;
}

function histogram(values: readonly number[]) {
  const counts = new Array<number>(DURATION_BOUNDS.length + 1).fill(0);
  for (const value of values) {
    const index = DURATION_BOUNDS.findIndex((bound) => value <= bound);
    const bucket = index < 0 ? DURATION_BOUNDS.length : index;
    counts[bucket] = (counts[bucket] ?? 0) + 1;
  }
  return {
    buckets: { boundaries: DURATION_BOUNDS, counts },
    count: values.length,
    sum: values.reduce((a, b) => a + b, 0),
    min: Math.min(...values),
    max: Math.max(...values),
  };
}

function successes(results: readonly ExportedResult[]): MetricData {
  return {
    descriptor: METRICS.success,
    dataPointType: TYPE.gauge,
    aggregationTemporality: DELTA,
    dataPoints: results.map((result) => ({
      attributes: attributesOf(locationAttributes(result)),
      startTime: hrTimeOf(startOf(result)),
      endTime: hrTimeOf(endOf(result)),
      value: isSuccessCode(result.status) ? 1 : 0,
    })),
  } as MetricData;
}

/** Returns the attributes of a series of one location and status. */
function statusSeriesAttributes(result: ExportedResult) {
  return attributesOf({ ...locationAttributes(result), [ATTR.checkStatus]: statusOf(result) });
}

function locationAttributes({ locationId, locationName }: ExportedResult) {
  return { [ATTR.locationId]: locationId, [ATTR.locationName]: locationName };
}

function daysLeft(certificates: readonly SeenCertificate[], atMs: number): MetricData {
  return {
    descriptor: METRICS.certificateDaysLeft,
    dataPointType: TYPE.gauge,
    aggregationTemporality: DELTA,
    dataPoints: certificates.map(({ host, fingerprintSha256, validToMs }) => ({
      attributes: attributesOf({
        [ATTR.serverAddress]: host,
        [ATTR.tlsSha256]: certificateHash(fingerprintSha256),
      }),
      startTime: hrTimeOf(atMs),
      endTime: hrTimeOf(atMs),
      value: Math.floor((validToMs - atMs) / DAY_MS),
    })),
  } as MetricData;
}
