/**
 * The prebuilt dashboards against what the service exports: every panel groups by, measures and filters attributes that records
 * of its own events carry. What is told by pure functions is told here; of events that come with a transaction the source is read.
 */
import { readFileSync } from "node:fs";
import { telemetryEvents } from "@svc/contract";
import { expect, it } from "vitest";
import { attributesOf, PACKS } from "../../cli/src/packs/registry.ts";
import {
  alertRecord,
  type ExportedAlertEvent,
} from "../../control-plane/src/telemetry/records/alert-records.ts";
import { ATTR } from "../../control-plane/src/telemetry/records/attributes.ts";
import {
  type ExportedResult,
  recordsOfResult,
} from "../../control-plane/src/telemetry/records/check-records.ts";
import { checkResource } from "../../control-plane/src/telemetry/records/check-resource.ts";

const CHECK = {
  key: 1,
  id: "chk_1",
  name: "Shop",
  type: "http",
  url: "https://a.example/",
  labels: [],
} as const;
const RESULT: ExportedResult = {
  checkKey: 1,
  locationKey: 1,
  slotMs: 0,
  locationId: "loc_1",
  locationName: "Here",
  status: 2,
  startDelayMs: 0,
  elapsedUs: 1,
  responseTimeUs: 1,
  dnsLookupUs: 1,
  tcpConnectUs: 1,
  tlsHandshakeUs: 1,
  ttfbUs: 1,
  contentTransferUs: 1,
  httpStatusCode: 503,
  traceId: null,
  createdAtMs: 0,
  errorCategory: "assertion",
  errorMessage: "expected 200",
  drift: { added: ["a"] },
  steps: [
    {
      name: "Open",
      status: "failure",
      startedAt: "2026-01-01T00:00:00.000Z",
      durationMs: 1,
      errorMessage: "no",
    },
  ],
};
const ALERT: ExportedAlertEvent = {
  id: "aev_1",
  type: "triggered",
  state: "active",
  severity: "critical",
  actorId: "usr_1",
  summary: "s",
  createdAtMs: 0,
  instanceId: "ainst_1",
  traceId: null,
  ruleId: "alert_1",
  ruleName: "Down",
  checkId: "chk_1",
  checkName: "Shop",
  labels: [],
};

/** Where events of a kind get their attributes, by the beginning of their names. */
const SOURCES: readonly (readonly [string, readonly string[]])[] = [
  ["synthetics.slo.", ["alerting/slos/budget-warnings.ts"]],
  ["synthetics.incident.", ["response/incidents/telemetry-event.ts"]],
  ["synthetics.deployment.", ["telemetry/deployment-markers/create-deployment.ts"]],
  ["synthetics.correlation.", ["telemetry/correlation/detect.ts"]],
  ["synthetics.maintenance_window.", ["telemetry/records/maintenance-records.ts"]],
  [
    "synthetics.tls.",
    ["telemetry/certificates/certificate-events.ts", "telemetry/records/tls-attributes.ts"],
  ],
];

function writtenIn(file: string): string[] {
  const text = readFileSync(new URL(`../../control-plane/src/${file}`, import.meta.url), "utf8");
  const known: Readonly<Record<string, string>> = ATTR;
  return [
    ...[...text.matchAll(/"(synthetics\.[a-z0-9_.]+)":/g)].map((match) => match[1] ?? ""),
    ...[...text.matchAll(/\[ATTR\.(\w+)\]/g)].map((match) => known[match[1] ?? ""] ?? ""),
  ];
}

const records = [...recordsOfResult(RESULT, CHECK.name, checkResource(CHECK)), alertRecord(ALERT)];
const carried = new Map<string, Set<string>>();
for (const { eventName = "", attributes, resource } of records)
  carried.set(eventName, new Set([...Object.keys(attributes), ...Object.keys(resource.attributes)]));
for (const [prefix, files] of SOURCES)
  for (const event of telemetryEvents.types.filter((name) => name.startsWith(prefix)))
    carried.set(event, new Set(files.flatMap(writtenIn)));

it("every event that is exported is known here", () => {
  expect(telemetryEvents.types.filter((event) => (carried.get(event)?.size ?? 0) === 0)).toEqual([]);
});

it.each(PACKS.map((pack) => [pack.id, pack] as const))(
  "%s: each panel asks its events only for what they carry",
  (_id, pack) => {
    const missing = pack.panels.flatMap((panel) =>
      panel.events.flatMap((event) =>
        attributesOf({ panels: [panel] })
          .filter((attribute) => !carried.get(event)?.has(attribute))
          .map((attribute) => `${panel.title}: ${event} has no ${attribute}`),
      ),
    );
    expect(missing).toEqual([]);
  },
);
