import { conditionTypes } from "@svc/contract";
import { describe, expect, it } from "vitest";
import { SAID_TYPES, sayCondition } from "./registry.ts";

/** Per condition type what the evaluation records, and a part of each of sentence, threshold and observed. */
const RECORDED: [string, unknown, unknown, [string, string, string]][] = [
  ["consecutive_failures", 2, 3, ["3 failures in a row; the rule fires at 2", "2 in a row", "3 in a row"]],
  ["consecutive_failures", 1, 1, ["1 failure in a row", "1 in", "1 in"]],
  ["response_time_threshold", 500, 812.4, ["took 812 ms; the rule allows 500 ms", "500 ms", "812 ms"]],
  [
    "multi_location_failure",
    { minLocations: 2, windowSeconds: 300 },
    3,
    ["3 locations failed within 300 seconds; the rule fires at 2", "2 locations within 300 s", "3 locations"],
  ],
  [
    "ssl_expiry",
    14,
    { daysLeft: 2.5, validTo: "2026-12-01T00:00:00Z", fingerprintSha256: "ab", subject: "shop.test" },
    ["shop.test ends in 2.5 days, at 2026-12-01", "14 days before", "2.5 days left"],
  ],
  [
    "ssl_expiry",
    1,
    { daysLeft: -1, validTo: "2026-12-01T00:00:00Z" },
    ["The certificate ended at", "1 day before", "ended"],
  ],
  ["ssl_certificate_changed", "aa", "bb", ["another certificate", "before: aa", "now: bb"]],
  [
    "ssl_self_signed",
    "a trusted root",
    { isSelfSigned: false, trustError: "INVALID_CA", issuer: "Acme" },
    ["no trusted root; its issuer is Acme", "a trusted root", "INVALID_CA"],
  ],
  [
    "ssl_protocol_deprecated",
    "TLSv1.2",
    "TLSv1",
    ["used TLSv1; the rule wants TLSv1.2", "TLSv1.2 or", "TLSv1"],
  ],
  [
    "burn_rate",
    { sloId: "slo_1", burnRateThreshold: 14.4, longWindowMinutes: 60, shortWindowMinutes: 5 },
    { long: 20, short: 31.26 },
    [
      "20.0 times as fast as planned over 60 minutes and 31.3 times over 5",
      "14.4 over 60 and 5",
      "20.0 and 31.3",
    ],
  ],
  [
    "mcp_schema_drift",
    { changeTypes: ["added", "removed"] },
    { removed: ["search", "fetch"] },
    ["removed: search, fetch", "no tool added, removed", "2 removed"],
  ],
  [
    "baseline_anomaly",
    { metric: "response_time", sigmaThreshold: 3, consecutiveCount: 2, direction: "above" },
    { value: 950, sigma: 4.25, mean: 200.12345, deviation: 10, sampleCount: 30 },
    ["response time was 950, 4.3 standard deviations above the usual 200.123", "3 standard", "4.3 above"],
  ],
  ["failure_ratio", { failures: 3, total: 10 }, 4, ["4 runs of the last 10 failed", "3 of 10", "4 of 10"]],
  [
    "missed_runs",
    2,
    [{ locationId: "loc_office", missedSlots: ["2026-11-23T08:00:00Z", "2026-11-23T08:01:00Z"] }],
    ["last 2 slots have no result at loc_office", "2 slots", "2 slots at 1 location"],
  ],
];

describe("why an alert fired", () => {
  it("can be said of every condition type, and each is tried here", () => {
    expect([...SAID_TYPES].sort()).toEqual([...conditionTypes.types].sort());
    expect([...new Set(RECORDED.map(([type]) => type))].sort()).toEqual([...conditionTypes.types].sort());
  });

  it.each(RECORDED)("%s is said with threshold and observed value", (type, threshold, observed, parts) => {
    const said = sayCondition(type, { threshold, observed });
    const texts = [said?.sentence, said?.threshold, said?.observed];
    for (const [index, part] of parts.entries()) expect(texts[index]).toContain(part);
  });

  it.each(RECORDED)(
    "%s of another shape is left to the table of what was recorded",
    (type, threshold, observed) => {
      expect(sayCondition(type, { threshold, observed: {} })).toBeUndefined();
      expect(sayCondition(type, { threshold: null, observed })).toBeUndefined();
    },
  );

  it("of a type of a later version is left to that table, too", () => {
    expect(sayCondition("later_condition", { threshold: 1, observed: 1 })).toBeUndefined();
  });
});
