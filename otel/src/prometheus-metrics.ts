/**
 * Hands the metrics of a Prometheus registry to OpenTelemetry's SDK, so that what leaves over OTLP has the names and values of
 * `/metrics`: each metric is declared once, beside the code that it counts.
 */
import { type HrTime, ValueType } from "@opentelemetry/api";
import { millisToHrTime } from "@opentelemetry/core";
import { emptyResource } from "@opentelemetry/resources";
import {
  AggregationTemporality,
  type DataPoint,
  DataPointType,
  type Histogram,
  type MetricData,
  type MetricProducer,
} from "@opentelemetry/sdk-metrics";
import type { MetricObjectWithValues, MetricValue, Registry } from "prom-client";

type PrometheusMetric = MetricObjectWithValues<MetricValue<string> & { metricName?: string }>;
/** The instants that every point has: since when its value counts, and when it was read. */
interface Times {
  startTime: HrTime;
  endTime: HrTime;
}

/** Names of units as OpenTelemetry writes them, by the end of a metric's name. */
const UNITS: [RegExp, string][] = [
  [/_seconds(_total)?$/, "s"],
  [/_ms(_total)?$/, "ms"],
  [/_bytes(_total)?$/, "By"],
];

/**
 * Returns a source of a registry's metrics for a metric reader.
 * @param registry asked at each collection
 * @param startedAtMs since when counters count, Unix ms
 * @param scope name and version of the program
 */
export function prometheusMetrics(
  registry: () => Registry | undefined,
  startedAtMs: number,
  scope: { name: string; version: string },
): MetricProducer {
  const startTime = millisToHrTime(startedAtMs);
  return {
    async collect() {
      const found = ((await registry()?.getMetricsAsJSON()) ?? []) as PrometheusMetric[];
      const times = { startTime, endTime: millisToHrTime(Date.now()) };
      const metrics = found.flatMap((metric) => metricData(metric, times) ?? []);
      return {
        resourceMetrics: { resource: emptyResource(), scopeMetrics: [{ scope, metrics }] },
        errors: [],
      };
    },
  };
}

/** Returns one metric with all of its points; undefined for a summary, which OpenTelemetry has no form for. */
function metricData(metric: PrometheusMetric, times: Times): MetricData | undefined {
  const descriptor = {
    name: metric.name,
    description: metric.help,
    unit: UNITS.find(([pattern]) => pattern.test(metric.name))?.[1] ?? "",
    valueType: ValueType.DOUBLE,
  };
  const common = { descriptor, aggregationTemporality: AggregationTemporality.CUMULATIVE };
  // prom-client gives the type's name, though its types say a number.
  switch (String(metric.type)) {
    case "counter":
      return {
        ...common,
        dataPointType: DataPointType.SUM,
        isMonotonic: true,
        dataPoints: pointsOf(metric, times),
      };
    case "gauge":
      return { ...common, dataPointType: DataPointType.GAUGE, dataPoints: pointsOf(metric, times) };
    case "histogram":
      return { ...common, dataPointType: DataPointType.HISTOGRAM, dataPoints: histogramsOf(metric, times) };
    default:
      return undefined;
  }
}

function pointsOf({ values }: PrometheusMetric, times: Times): DataPoint<number>[] {
  return values.map(({ value, labels }) => ({ ...times, value, attributes: { ...labels } }));
}

/** Joins the samples of each histogram, whose buckets count everything below them, to one point with buckets of their own. */
function histogramsOf({ name, values }: PrometheusMetric, times: Times): DataPoint<Histogram>[] {
  const byLabels = new Map<
    string,
    { attributes: Record<string, string>; below: [number, number][]; sum: number }
  >();
  for (const { labels, value, metricName } of values) {
    const { le, ...attributes } = labels as Record<string, string>;
    const key = JSON.stringify(attributes);
    const one = byLabels.get(key) ?? { attributes, below: [], sum: 0 };
    byLabels.set(key, one);
    if (metricName === `${name}_sum`) one.sum = value;
    else if (metricName === `${name}_bucket`)
      one.below.push([String(le) === "+Inf" ? Number.POSITIVE_INFINITY : Number(le), value]);
  }
  return [...byLabels.values()].map(({ attributes, below, sum }) => {
    below.sort(([a], [b]) => a - b);
    const counts = below.map(([, count], index) => count - (below[index - 1]?.[1] ?? 0));
    const boundaries = below.map(([bound]) => bound).filter(Number.isFinite);
    return {
      ...times,
      attributes,
      value: { buckets: { boundaries, counts }, sum, count: below.at(-1)?.[1] ?? 0 },
    };
  });
}
