/**
 * The newest results of checks as metrics in Prometheus' text format, under the names of Prometheus' blackbox_exporter where it has one:
 * dashboards and rules for that go on. Format: https://prometheus.io/docs/instrumenting/exposition_formats/. Pure.
 */
import { firstCharacters, isSuccessCode, maskUrl, SECOND_MS } from "@svc/contract";
import type { NewestResultRow } from "./store.ts";

const US_PER_S = 1e6;

/** A result without its texts: a team's targets may be long, and each counts once for every location. */
type Figures = Omit<NewestResultRow, "checkId" | "name" | "type" | "target" | "locationId">;

/** A series of a metric: further labels, and the value of a result; undefined: the result has none. */
interface Series {
  labels?: string;
  value: (result: Figures) => number | undefined;
}

/** A metric. All are gauges. */
interface Metric {
  name: string;
  help: string;
  series: readonly Series[];
}

const seconds = (us: number | null) => (us === null ? undefined : us / US_PER_S);
const phase = (name: string, value: (result: Figures) => number | null): Series => ({
  labels: `phase="${name}"`,
  value: (result) => seconds(value(result)),
});

const METRICS: readonly Metric[] = [
  {
    name: "probe_success",
    help: "1: the run succeeded; 0: it did not.",
    series: [{ value: ({ status }) => (isSuccessCode(status) ? 1 : 0) }],
  },
  {
    name: "probe_duration_seconds",
    help: "Response time of the run.",
    series: [{ value: ({ responseTimeUs }) => seconds(responseTimeUs) }],
  },
  {
    name: "probe_dns_lookup_time_seconds",
    help: "Time of the DNS lookup.",
    series: [{ value: ({ dnsLookupUs }) => seconds(dnsLookupUs) }],
  },
  {
    name: "probe_http_duration_seconds",
    help: "Duration of the phases of an HTTP request.",
    series: [
      phase("resolve", ({ dnsLookupUs }) => dnsLookupUs),
      phase("connect", ({ tcpConnectUs }) => tcpConnectUs),
      phase("tls", ({ tlsHandshakeUs }) => tlsHandshakeUs),
      phase("processing", ({ ttfbUs }) => ttfbUs),
      phase("transfer", ({ contentTransferUs }) => contentTransferUs),
    ],
  },
  {
    name: "probe_http_status_code",
    help: "Status code of the HTTP response.",
    series: [{ value: ({ httpStatusCode }) => httpStatusCode ?? undefined }],
  },
  {
    name: "probe_ssl_earliest_cert_expiry",
    help: "End of the target's certificate, Unix time in seconds.",
    series: [
      {
        value: ({ certificateEndsAt }) =>
          certificateEndsAt === null ? undefined : Date.parse(certificateEndsAt) / SECOND_MS,
      },
    ],
  },
  {
    name: "svc_check_slot_timestamp_seconds",
    help: "When the run was due, Unix time in seconds.",
    series: [{ value: ({ slotMs }) => slotMs / SECOND_MS }],
  },
];

/** Labels of a result's series, and its figures. */
export interface LabelledResult {
  labels: string;
  result: Figures;
}

/** Longest target in a label, characters. */
const INSTANCE_LENGTH_MAX = 500;

/** Most samples in a piece of the text: a piece is written without a pause. */
const SAMPLES_PER_PIECE = 2_000;

/** Yields the text in pieces, metric by metric, as the format demands. Results are of one team. */
export function* metricsText(results: readonly LabelledResult[]): Generator<string> {
  for (const metric of METRICS) yield* textOfMetric(metric, results);
}

/** Returns a result with its labels in place of its texts. */
export function withLabels({
  checkId,
  name,
  type,
  target,
  locationId,
  ...result
}: NewestResultRow): LabelledResult {
  return { labels: labelsOf({ checkId, name, type, target, locationId }), result };
}

function* textOfMetric(
  { name, help, series }: Metric,
  results: readonly LabelledResult[],
): Generator<string> {
  const head = `# HELP ${name} ${help}\n# TYPE ${name} gauge\n`;
  let lines: string[] = [];
  let isBegun = false;
  for (const { labels, result } of results)
    for (const { labels: further, value } of series) {
      const sample = value(result);
      if (sample === undefined) continue;
      lines.push(`${name}{${labels}${further ? `,${further}` : ""}} ${sample}\n`);
      if (lines.length < SAMPLES_PER_PIECE) continue;
      yield (isBegun ? "" : head) + lines.join("");
      isBegun = true;
      lines = [];
    }
  if (lines.length > 0) yield (isBegun ? "" : head) + lines.join("");
}

/** `instance` is the target, as with blackbox_exporter. A credential in its URL is masked. */
function labelsOf({ target, checkId, name, type, locationId }: Omit<NewestResultRow, keyof Figures>): string {
  const labels = {
    instance: target === null ? name : firstCharacters(maskUrl(target), INSTANCE_LENGTH_MAX),
    check_id: checkId,
    check_name: name,
    check_type: type,
    location: locationId,
  };
  return Object.entries(labels)
    .map(([label, value]) => `${label}="${escaped(value)}"`)
    .join(",");
}

/** Escapes what would end a label's value. */
function escaped(value: string): string {
  return value.replaceAll("\\", "\\\\").replaceAll('"', '\\"').replaceAll("\n", "\\n");
}
