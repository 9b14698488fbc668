/**
 * Compares the prebuilt dashboards with the records that the service exports: every panel groups by, measures and filters
 * attributes that records of its own events carry. Derived events carry the attributes of their definitions.
 */
import { newId, telemetryEventTypes } from "@svc/contract";
import { expect, it } from "vitest";
import { attributesOf, PACKS } from "../../cli/src/packs/registry.ts";
import { derivedEvents } from "../../control-plane/src/telemetry/derived-events/registry.ts";
import {
  alertRecord,
  type ExportedAlertEvent,
} from "../../control-plane/src/telemetry/records/alert-records.ts";
import {
  type ExportedResult,
  recordsOfResult,
} from "../../control-plane/src/telemetry/records/check-records.ts";
import { checkResource } from "../../control-plane/src/telemetry/records/check-resource.ts";
import {
  type ExportedMaintenanceEvent,
  maintenanceRecord,
} from "../../control-plane/src/telemetry/records/maintenance-records.ts";

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
  locationId: newId("location"),
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
  instanceId: newId("alertInstance"),
  traceId: null,
  ruleId: newId("alertRule"),
  ruleName: "Down",
  checkId: newId("check"),
  checkName: "Shop",
  labels: [],
};

const WINDOW_EVENT: ExportedMaintenanceEvent = {
  id: "mevt_1",
  windowId: "mw_1",
  windowName: "Release",
  mode: "pause",
  type: "started",
  occurrenceStartsAt: "2026-01-01T00:00:00.000Z",
  occurrenceEndsAt: "2026-01-01T01:00:00.000Z",
  createdAt: "2026-01-01T00:00:00.000Z",
} as ExportedMaintenanceEvent;

const records = [
  ...recordsOfResult(RESULT, CHECK.name, checkResource(CHECK)),
  alertRecord(ALERT),
  maintenanceRecord(WINDOW_EVENT),
  maintenanceRecord({ ...WINDOW_EVENT, type: "ended" }),
];
const carried = new Map<string, Set<string>>();
for (const { eventName = "", attributes, resource } of records)
  carried.set(eventName, new Set([...Object.keys(attributes), ...Object.keys(resource.attributes)]));
for (const { type, attributes } of derivedEvents.members)
  carried.set(type, new Set(Object.values(attributes)));

it("every event that is exported is known here", () => {
  expect(telemetryEventTypes.types.filter((event) => (carried.get(event)?.size ?? 0) === 0)).toEqual([]);
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
