import { type TelemetryEventName, telemetryEventTypes } from "@svc/contract";
import { describe, expect, it } from "vitest";
import { ATTR } from "./attributes.ts";
import { checkResource } from "./check-resource.ts";
import { derivedRecord } from "./derived-records.ts";

const HOST = { [ATTR.serverAddress]: "a.example.com", [ATTR.tlsNotAfter]: "2026-12-01T00:00:00.000Z" };
const record = (name: TelemetryEventName, attributes = {}) =>
  derivedRecord(
    {
      id: "evt",
      name,
      severity: "info",
      checkId: null,
      resourceAttributes: {},
      attributes,
      traceId: null,
      occurredAtMs: 0,
      createdAtMs: 0,
    },
    undefined,
  );

describe("the body", () => {
  it.each([
    [
      "synthetics.deployment.created",
      { "synthetics.deployment.service": "shop", "synthetics.deployment.version": "1.2" },
      "shop 1.2 was deployed",
    ],
    [
      "synthetics.slo.budget.warning",
      {
        "synthetics.slo.name": "Up",
        "synthetics.slo.burn_rate.long": 20.04,
        "synthetics.slo.burn_rate.long_window_minutes": 60,
        "synthetics.slo.burn_rate.threshold": 14.4,
      },
      "Up: burn rate 20 over 1 h, above 14.4",
    ],
    [
      "synthetics.tls.certificate_observed",
      HOST,
      "a.example.com: certificate valid until 2026-12-01T00:00:00.000Z",
    ],
    [
      "synthetics.tls.certificate_changed",
      HOST,
      "a.example.com: another certificate, valid until 2026-12-01T00:00:00.000Z",
    ],
    [
      "synthetics.tls.expiring_soon",
      { ...HOST, [ATTR.tlsDaysLeft]: 3 },
      "a.example.com: certificate expires in 3 days",
    ],
    [
      "synthetics.tls.expiring_soon",
      { ...HOST, [ATTR.tlsDaysLeft]: -1 },
      "a.example.com: certificate expired at 2026-12-01T00:00:00.000Z",
    ],
    [
      "synthetics.correlation.detected",
      { [ATTR.correlationCheckCount]: 2, [ATTR.correlationDependency]: "cdn.example.net" },
      "2 browser checks fail on cdn.example.net",
    ],
    [
      "synthetics.incident.auto_resolved",
      { "synthetics.incident.title": "Home page fails" },
      "Home page fails: auto resolved",
    ],
  ] as const)("of %s says what happened", (name, attributes, body) => {
    expect(record(name, attributes).body).toBe(body);
  });

  it("is there for every derived event", () => {
    const written = /^synthetics\.(check|step|alert|maintenance_window|mcp)\./;
    const derived = telemetryEventTypes.types.filter((name) => !written.test(name));
    expect(derived.filter((name) => record(name).body === undefined)).toEqual([]);
  });
});

it.each([
  ["http://a.example.com/x?q=1", "http://a.example.com/x?q=1"],
  ["https://bob:pw@a.example.com/x", "https://a.example.com/x"],
  ["https://a.example.com/x?q=1&token=s3", "https://a.example.com/x?q=1&token=***REDACTED***"],
  [
    "https://bob:pw@a.example.com/x?api_key=s3&X-Goog-Signature=s3",
    "https://a.example.com/x?api_key=***REDACTED***&X-Goog-Signature=***REDACTED***",
  ],
  ["not a url", undefined],
])("url.full of a check that requests %s holds no credential", (url, exported) => {
  const check = { key: 1, id: "chk_1", name: "c", type: "http" as const, url, labels: [] };
  expect(checkResource(check).attributes["url.full"]).toBe(exported);
});
