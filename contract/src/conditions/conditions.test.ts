import { readdirSync } from "node:fs";
import { describe, expect, it } from "vitest";
import { newId } from "../base/ids.ts";
import { parseInput } from "../base/validation.ts";
import { conditionSchema, conditionsSchema, conditionTypes } from "./registry.ts";

function problems(condition: unknown): string[] {
  const parsed = parseInput(conditionSchema, condition);
  return parsed.success
    ? []
    : [...Object.values(parsed.details.fieldErrors).flat(), ...parsed.details.formErrors];
}

const sloId = newId("slo");
const burnRate = {
  type: "burn_rate",
  sloId,
  burnRateThreshold: 14.4,
  longWindowMinutes: 60,
  shortWindowMinutes: 5,
};
const anomaly = { type: "baseline_anomaly", metric: "ttfb" };

it("each member's file is in the registry", () => {
  const files = readdirSync(import.meta.dirname).filter(
    (file) => !/registry|fields|define-condition|test/.test(file),
  );
  expect(files.map((file) => file.replace(".ts", "").replaceAll("-", "_")).sort()).toEqual(
    [...conditionTypes.types].sort(),
  );
});

it("a rule has at least one condition", () => {
  expect(conditionsSchema.safeParse([]).error?.issues[0]?.message).toBe("at least one condition");
});

describe("defaults", () => {
  it.each([
    [{ type: "consecutive_failures" }, { count: 2 }],
    [{ type: "response_time_threshold", maxMs: 500 }, {}],
    [{ type: "multi_location_failure" }, { minLocations: 2, windowSeconds: 300 }],
    [{ type: "ssl_expiry" }, { daysBeforeExpiry: 14 }],
    [{ type: "ssl_certificate_changed", severity: "info" }, {}],
    [{ type: "ssl_self_signed" }, {}],
    [{ type: "ssl_protocol_deprecated" }, { minProtocol: "TLSv1.2" }],
    [burnRate, {}],
    [{ type: "mcp_schema_drift" }, { changeTypes: ["added", "removed", "modified"], severity: "warning" }],
    [anomaly, { sigmaThreshold: 3, consecutiveCount: 3, direction: "above", severity: "warning" }],
    [{ type: "failure_ratio", failures: 3, total: 5 }, {}],
    [{ type: "missed_runs" }, { count: 2 }],
  ])("%j", (given, defaults) => {
    expect(conditionSchema.parse(given)).toEqual({ ...given, ...defaults });
  });
});

describe("limits", () => {
  it.each([
    [{ type: "consecutive_failures", count: 1 }, undefined],
    [{ type: "consecutive_failures", count: 0 }, "smallest is 1"],
    [{ type: "response_time_threshold" }, "required"],
    [{ type: "multi_location_failure", minLocations: 1 }, "smallest is 2"],
    [{ type: "ssl_expiry", daysBeforeExpiry: 0 }, "smallest is 1"],
    [{ type: "ssl_expiry", severity: "fatal" }, "expected one of critical, warning, info"],
    [{ type: "ssl_protocol_deprecated", minProtocol: "TLSv1.1" }, "expected one of TLSv1.2, TLSv1.3"],
    [{ ...burnRate, sloId: newId("check") }, "expected an id of the form slo_..."],
    [{ ...burnRate, burnRateThreshold: 0 }, "greater than 0"],
    [{ ...burnRate, longWindowMinutes: 59 }, "smallest is 60"],
    [{ ...burnRate, shortWindowMinutes: 4 }, "smallest is 5"],
    [{ ...burnRate, shortWindowMinutes: 60 }, "less than longWindowMinutes"],
    [{ type: "mcp_schema_drift", changeTypes: ["escalated", "server"] }, undefined],
    [
      { type: "mcp_schema_drift", changeTypes: ["renamed"] },
      "expected one of added, removed, modified, escalated, server",
    ],
    [{ ...anomaly, metric: "speed" }, "expected one of response_time"],
    [{ ...anomaly, sigmaThreshold: 1.9 }, "smallest is 2"],
    [{ ...anomaly, sigmaThreshold: 10.1 }, "largest is 10"],
    [{ ...anomaly, consecutiveCount: 1 }, "smallest is 2"],
    [{ ...anomaly, consecutiveCount: 21 }, "largest is 20"],
    [{ ...anomaly, consecutiveCount: 2.5 }, "expected"],
    [{ type: "failure_ratio", failures: 5, total: 5 }, undefined],
    [{ type: "failure_ratio", failures: 6, total: 5 }, "at most total"],
    [{ type: "missed_runs", runs: 1 }, 'unknown field "runs"'],
    [{ type: "telepathy" }, "expected one of consecutive_failures"],
  ])("%j", (condition, message) => {
    if (message === undefined) expect(problems(condition)).toEqual([]);
    else expect(problems(condition).join("\n")).toContain(message);
  });
});
