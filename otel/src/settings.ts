/**
 * The standard OTEL_* variables as svc's programs honour them. OpenTelemetry's SDK reads most of them itself and passes over
 * what it does not understand; a program that is started must rather say so. Pure.
 */

/** The three signals of OpenTelemetry. */
export const OTEL_SIGNALS = ["traces", "metrics", "logs"] as const;
/** A signal of OpenTelemetry. */
export type OtelSignal = (typeof OTEL_SIGNALS)[number];

/** Which of a program's signals are sent, and how. */
export interface OtelSettings {
  traces: boolean;
  metrics: boolean;
  logs: boolean;
  /** True when a request's `traceparent` is continued, false when each request begins a trace of its own. */
  continuesTraces: boolean;
  /** Time between two exports of the metrics, and the longest that one may take, ms. */
  metricIntervalMs: number;
  metricTimeoutMs: number;
  /** Limits of the log records that wait to be sent; the SDK's defaults where they are undefined. */
  logBatch: {
    scheduledDelayMillis?: number;
    exportTimeoutMillis?: number;
    maxQueueSize?: number;
    maxExportBatchSize?: number;
  };
  /** Where signals that are on are sent to, as far as variables say so. */
  endpoints: { variable: string; url: string }[];
  /** Variables that are set and have no effect here. */
  ignored: string[];
}

/** Settings of a program that sends nothing. */
const OTEL_OFF: OtelSettings = {
  traces: false,
  metrics: false,
  logs: false,
  continuesTraces: false,
  metricIntervalMs: 60_000,
  metricTimeoutMs: 30_000,
  logBatch: {},
  endpoints: [],
  ignored: [],
};

type Environment = Record<string, string | undefined>;
/** Returns what is wrong with a value; undefined: nothing. */
type Rule = (value: string) => string | undefined;

const oneOf =
  (...values: string[]): Rule =>
  (value) =>
    values.includes(value) ? undefined : `expected ${values.join(" or ")}`;
const anything: Rule = () => undefined;
const wholeNumber: Rule = (value) =>
  /^[1-9]\d{0,8}$/.test(value) ? undefined : "expected a whole number from 1 on";
const httpUrl: Rule = (value) =>
  /^https?:$/.test(URL.canParse(value) ? new URL(value).protocol : "")
    ? undefined
    : "expected an http:// or https:// URL";
const pairs: Rule = (value) =>
  value.split(",").every((pair) => /^\s*[^=\s]+\s*=/.test(pair))
    ? undefined
    : "expected name=value,name=value";

/** Rules of the variables that hold for one exporter or for all: `OTEL_EXPORTER_OTLP_<name>`, `OTEL_EXPORTER_OTLP_TRACES_<name>`. */
const OF_EXPORTERS: Record<string, Rule> = {
  ENDPOINT: httpUrl,
  HEADERS: pairs,
  TIMEOUT: wholeNumber,
  COMPRESSION: oneOf("gzip", "none"),
  PROTOCOL: (value) =>
    value === "http/protobuf"
      ? undefined
      : "expected http/protobuf, the only protocol that is spoken; collectors take it at port 4318",
  CERTIFICATE: anything,
  CLIENT_CERTIFICATE: anything,
  CLIENT_KEY: anything,
};

/** Records in one export unless a variable says otherwise. */
const BATCH_DEFAULT = 512;

const SAMPLERS = ["always_on", "always_off", "traceidratio"];

/** Rules of all other variables, by their names. */
const RULES: Record<string, Rule> = {
  OTEL_SDK_DISABLED: oneOf("true", "false"),
  OTEL_SERVICE_NAME: anything,
  OTEL_RESOURCE_ATTRIBUTES: pairs,
  OTEL_TRACES_EXPORTER: oneOf("otlp", "none"),
  OTEL_METRICS_EXPORTER: oneOf("otlp", "none"),
  OTEL_LOGS_EXPORTER: oneOf("otlp", "none"),
  OTEL_PROPAGATORS: oneOf("tracecontext,baggage", "tracecontext", "none"),
  OTEL_TRACES_SAMPLER: oneOf(...SAMPLERS, ...SAMPLERS.map((name) => `parentbased_${name}`)),
  OTEL_TRACES_SAMPLER_ARG: (value) =>
    Number(value) >= 0 && Number(value) <= 1 ? undefined : "expected a number from 0 to 1",
  OTEL_ATTRIBUTE_VALUE_LENGTH_LIMIT: wholeNumber,
  OTEL_ATTRIBUTE_COUNT_LIMIT: wholeNumber,
  OTEL_SPAN_ATTRIBUTE_VALUE_LENGTH_LIMIT: wholeNumber,
  OTEL_SPAN_ATTRIBUTE_COUNT_LIMIT: wholeNumber,
  OTEL_METRIC_EXPORT_INTERVAL: wholeNumber,
  OTEL_METRIC_EXPORT_TIMEOUT: wholeNumber,
  OTEL_EXPORTER_OTLP_METRICS_TEMPORALITY_PREFERENCE: oneOf("cumulative"),
  OTEL_BSP_SCHEDULE_DELAY: wholeNumber,
  OTEL_BSP_EXPORT_TIMEOUT: wholeNumber,
  OTEL_BSP_MAX_QUEUE_SIZE: wholeNumber,
  OTEL_BSP_MAX_EXPORT_BATCH_SIZE: wholeNumber,
  OTEL_BLRP_SCHEDULE_DELAY: wholeNumber,
  OTEL_BLRP_EXPORT_TIMEOUT: wholeNumber,
  OTEL_BLRP_MAX_QUEUE_SIZE: wholeNumber,
  OTEL_BLRP_MAX_EXPORT_BATCH_SIZE: wholeNumber,
};
for (const part of ["", "TRACES_", "METRICS_", "LOGS_"])
  for (const [name, rule] of Object.entries(OF_EXPORTERS)) RULES[`OTEL_EXPORTER_OTLP_${part}${name}`] = rule;

/** Names of all variables that have an effect, sorted. */
export const OTEL_VARIABLES: readonly string[] = Object.keys(RULES).sort();

/**
 * Reads the settings. A signal is sent when its exporter is `otlp`, or when nothing is said of its exporter and an endpoint is
 * set, for it or for all. Empty variables count as unset.
 * @param offered the signals that the program has; another's exporter can't be asked for by its own variables
 * @param problems receives a line for each variable that can't be used
 */
export function parseOtelSettings(
  environment: Environment,
  offered: readonly OtelSignal[],
  problems: string[],
): OtelSettings {
  const given = Object.fromEntries(
    Object.entries(environment).filter(([name, value]) => name.startsWith("OTEL_") && value),
  ) as Record<string, string>;
  if (given.OTEL_SDK_DISABLED === "true") return OTEL_OFF;
  const ignored = Object.keys(given).filter((name) => RULES[name] === undefined);
  for (const [name, value] of Object.entries(given)) {
    const problem = RULES[name]?.(value);
    if (problem) problems.push(`${name}: ${problem}`);
  }
  for (const kind of ["BSP", "BLRP"]) {
    const [queue, batch] = [
      given[`OTEL_${kind}_MAX_QUEUE_SIZE`],
      given[`OTEL_${kind}_MAX_EXPORT_BATCH_SIZE`],
    ];
    if (queue !== undefined && Number(queue) < Number(batch ?? BATCH_DEFAULT))
      problems.push(
        `OTEL_${kind}_MAX_QUEUE_SIZE: smaller than OTEL_${kind}_MAX_EXPORT_BATCH_SIZE, which is ${batch ?? BATCH_DEFAULT}`,
      );
  }
  for (const signal of OTEL_SIGNALS)
    if (!offered.includes(signal) && isAskedFor(signal, given) && ownVariablesOf(signal, given).length > 0)
      problems.push(
        `${ownVariablesOf(signal, given).join(" and ")}: this program has no ${signal} of its own to send`,
      );
  const isOn = (signal: OtelSignal) => offered.includes(signal) && isAskedFor(signal, given);
  return {
    traces: isOn("traces"),
    metrics: isOn("metrics"),
    logs: isOn("logs"),
    continuesTraces: given.OTEL_PROPAGATORS !== "none",
    metricIntervalMs: numberOf(given.OTEL_METRIC_EXPORT_INTERVAL) ?? OTEL_OFF.metricIntervalMs,
    metricTimeoutMs: Math.min(
      numberOf(given.OTEL_METRIC_EXPORT_TIMEOUT) ?? OTEL_OFF.metricTimeoutMs,
      // The SDK refuses a time limit that is longer than the interval.
      numberOf(given.OTEL_METRIC_EXPORT_INTERVAL) ?? OTEL_OFF.metricIntervalMs,
    ),
    logBatch: logBatchOf(given),
    endpoints: offered.some(isOn) ? endpointsOf(given) : [],
    ignored,
  };
}

function isAskedFor(signal: OtelSignal, given: Record<string, string>): boolean {
  const upper = signal.toUpperCase();
  const exporter = given[`OTEL_${upper}_EXPORTER`];
  if (exporter !== undefined) return exporter === "otlp";
  return Boolean(given.OTEL_EXPORTER_OTLP_ENDPOINT ?? given[`OTEL_EXPORTER_OTLP_${upper}_ENDPOINT`]);
}

function ownVariablesOf(signal: OtelSignal, given: Record<string, string>): string[] {
  const upper = signal.toUpperCase();
  return [`OTEL_${upper}_EXPORTER`, `OTEL_EXPORTER_OTLP_${upper}_ENDPOINT`].filter((name) => name in given);
}

function endpointsOf(given: Record<string, string>): OtelSettings["endpoints"] {
  return Object.entries(given)
    .filter(([name]) => /^OTEL_EXPORTER_OTLP_(\w+_)?ENDPOINT$/.test(name))
    .map(([variable, url]) => ({ variable, url }));
}

function logBatchOf(given: Record<string, string>): OtelSettings["logBatch"] {
  const delay = numberOf(given.OTEL_BLRP_SCHEDULE_DELAY);
  const timeout = numberOf(given.OTEL_BLRP_EXPORT_TIMEOUT);
  const queue = numberOf(given.OTEL_BLRP_MAX_QUEUE_SIZE);
  const batch = numberOf(given.OTEL_BLRP_MAX_EXPORT_BATCH_SIZE);
  return {
    ...(delay !== undefined && { scheduledDelayMillis: delay }),
    ...(timeout !== undefined && { exportTimeoutMillis: timeout }),
    ...(queue !== undefined && { maxQueueSize: queue }),
    ...(batch !== undefined && { maxExportBatchSize: batch }),
  };
}

function numberOf(value: string | undefined): number | undefined {
  const number = Number(value);
  return value !== undefined && Number.isInteger(number) && number > 0 ? number : undefined;
}
