import { describe, expect, it } from "vitest";
import { pushRoutes } from "../api/pushes.ts";
import { parseInput } from "../base/validation.ts";
import { createCheckSchema, pushedFrequencySeconds } from "../resources/check.ts";
import { refuseCondition } from "../resources/refuse-condition.ts";
import { frequencySecondsOf, nextExpected, PUSH_LOCATION_ID } from "./pushed.ts";
import { checkTypes, checkTypesBy, pushedTraitsOf } from "./registry.ts";

const [type] = checkTypesBy("pushed");
const graceSeconds = 60;
const berlin = (expression: string) => ({ cron: { expression, timezone: "Europe/Berlin" }, graceSeconds });
const at = (text: string) => Date.parse(text);

describe("the next expected report", () => {
  it.each([
    [
      "a period after the last",
      { periodSeconds: 3600, graceSeconds },
      "2026-03-01T10:00:00.5Z",
      "2026-03-01T11:00:00.5Z",
    ],
    [
      "on the zone's clock in winter",
      berlin("0 3 * * *"),
      "2026-03-28T01:59:59.999Z",
      "2026-03-28T02:00:00Z",
    ],
    ["on the zone's clock in summer", berlin("0 3 * * *"), "2026-03-29T02:00:00Z", "2026-03-30T01:00:00Z"],
    [
      "right after the gap, at a time that the clocks skip",
      berlin("30 2 * * *"),
      "2026-03-28T12:00:00Z",
      "2026-03-29T01:00:00Z",
    ],
    ["behind its own instant", berlin("0 3 * * *"), "2026-01-05T02:00:00Z", "2026-01-06T02:00:00Z"],
    ["at midnight, by a name", berlin("@daily"), "2026-01-05T02:00:00Z", "2026-01-05T23:00:00Z"],
    ["on Sunday, by a name", berlin("@weekly"), "2026-01-05T02:00:00Z", "2026-01-10T23:00:00Z"],
    ["once in four years", berlin("0 0 29 2 *"), "2026-01-01T00:00:00Z", "2028-02-28T23:00:00Z"],
  ])("comes %s", (_name, expectation, after, next) => {
    expect(nextExpected(expectation, at(after))).toBe(at(next));
  });
});

it.each([
  [{ periodSeconds: 90, graceSeconds }, 90],
  [{ periodSeconds: 7 * 86_400, graceSeconds }, 86_400],
  [berlin("*/15 * * * *"), 900],
  [berlin("0 3,4 * * *"), 3600],
  [berlin("0 3 1 * *"), 86_400],
  [berlin("@hourly"), 3600],
  [berlin("@yearly"), 86_400],
])("the frequency of %j is %i s", (expectation, seconds) => {
  expect(frequencySecondsOf(expectation)).toBe(seconds);
});

const body = (config: object, more: object = {}) => ({
  name: "Backup",
  type,
  heartbeatConfig: config,
  ...more,
});
const problemsOf = (input: object) => {
  const parsed = parseInput<unknown>(createCheckSchema, input);
  return parsed.success ? {} : parsed.details.fieldErrors;
};

it("a new check has the one location of reports, no retry and no frequency of its own", () => {
  expect(createCheckSchema.parse(body({ periodSeconds: 60 }))).toMatchObject({
    locations: [PUSH_LOCATION_ID],
    retry: null,
    heartbeatConfig: { periodSeconds: 60, graceSeconds: 300 },
  });
  expect(pushedFrequencySeconds(type as string, { periodSeconds: 60, graceSeconds })).toBe(60);
  expect(pushedFrequencySeconds("http", {})).toBeUndefined();
});

it.each([
  ["neither period nor cron", {}, {}, "heartbeatConfig"],
  ["both", { periodSeconds: 60, cron: "0 3 * * *" }, {}, "heartbeatConfig"],
  ["a short period", { periodSeconds: 29 }, {}, "heartbeatConfig"],
  ["a long period", { periodSeconds: 366 * 86_400 + 1 }, {}, "heartbeatConfig"],
  ["seconds in cron", { cron: "0 0 3 * * *" }, {}, "heartbeatConfig"],
  ["a name that stands for no time", { cron: "@reboot" }, {}, "heartbeatConfig"],
  ["four fields in cron", { cron: "0 3 * *" }, {}, "heartbeatConfig"],
  ["a cron that never occurs", { cron: "0 0 30 2 *" }, {}, "heartbeatConfig"],
  ["an odd cron", { cron: "'; DROP TABLE checks" }, {}, "heartbeatConfig"],
  ["an endless cron", { cron: "0,".repeat(500) }, {}, "heartbeatConfig"],
  ["a zone without cron", { periodSeconds: 60, timezone: "UTC" }, {}, "heartbeatConfig"],
  ["an unknown zone", { cron: "0 3 * * *", timezone: "Mars/Base" }, {}, "heartbeatConfig"],
  ["assertions", { periodSeconds: 60, assertions: [] }, {}, "heartbeatConfig"],
  ["another location", { periodSeconds: 60 }, { locations: ["loc_us_east"] }, "locations"],
  ["a second location", { periodSeconds: 60 }, { locations: [PUSH_LOCATION_ID, "loc_us_east"] }, "locations"],
  [
    "a retry",
    { periodSeconds: 60 },
    { retry: { strategy: "fixed", maxRetries: 1, baseBackoffSeconds: 1, maxDurationSeconds: 9 } },
    "retry",
  ],
])("%s is refused, and the field is named", (_name, config, more, field) => {
  expect(Object.keys(problemsOf(body(config, more))).join()).toContain(field);
});

it("a missing run is no condition of a check that reports by itself", () => {
  const check = { type: type as never, config: { periodSeconds: 60, graceSeconds } };
  expect(refuseCondition({ type: "missed_runs", count: 2 }, check)).toMatch(/can never hold here/);
  expect(refuseCondition({ type: "consecutive_failures", count: 1 }, check)).toBeUndefined();
});

it.each([
  ["an unknown zone", { cron: "0 3 * * *", timezone: "Mars/Base" }, "timezone"],
  ["a date in the place of five fields", { cron: "2026-01-01T00:00:00", timezone: "UTC" }, "cron"],
  ["a name that is none", { cron: "@fortnightly", timezone: "Europe/Berlin" }, "cron"],
  ["six fields", { cron: "0 0 3 * * *" }, "cron"],
])("%s is one issue, of that field", (_name, config, field) => {
  const { error } = checkTypes.get("heartbeat").configSchema.safeParse(config);
  expect(error?.issues.map(({ path }) => path.join("."))).toEqual([field]);
});

it.each([
  ["@hourly", "0 * * * *"],
  ["@daily", "0 0 * * *"],
  ["@midnight", "0 0 * * *"],
  ["@weekly", "0 0 * * 0"],
  ["@monthly", "0 0 1 * *"],
  ["@yearly", "0 0 1 1 *"],
  ["@annually", "0 0 1 1 *"],
  [" @Daily ", "0 0 * * *"],
])("%j is kept as it is written, and means %s", (name, fields) => {
  const config = { cron: name, timezone: "America/New_York" };
  expect(checkTypes.get("heartbeat").configSchema.parse(config)).toMatchObject(config);
  const newYork = (expression: string) => ({
    cron: { expression, timezone: config.timezone },
    graceSeconds,
  });
  for (const after of ["2026-03-08T06:59:59Z", "2026-06-30T23:10:00Z", "2027-01-01T05:00:00Z"])
    expect(nextExpected(newYork(name), at(after))).toBe(nextExpected(newYork(fields), at(after)));
});

it.each(["abc", "256", "999", "-1"])("the exit code %s is one issue", (signal) => {
  const { params } = pushRoutes.signal;
  expect(params?.safeParse({ token: "t", signal }).error?.issues).toHaveLength(1);
});

it.each([".", "..", ".1"])("the DNS name %s is one issue", (domain) => {
  const { error } = checkTypes.get("dns").configSchema.safeParse({ domain });
  expect(error?.issues.map(({ message }) => message)).toEqual([
    expect.stringContaining("expected a host name"),
  ]);
});

it.each(["dns_lookup", "tls_handshake", "ttfb", "content_transfer"] as const)(
  "the %s of a report is no measure, and its run's time is",
  (metric) => {
    const check = { type: type as never, config: { periodSeconds: 60, graceSeconds } };
    const anomaly = { type: "baseline_anomaly", sigmaThreshold: 3, consecutiveCount: 3 } as const;
    const rest = { direction: "above", severity: "warning" } as const;
    expect(refuseCondition({ ...anomaly, ...rest, metric }, check)).toMatch(/can never hold here.*no phases/);
    expect(refuseCondition({ ...anomaly, ...rest, metric: "response_time" }, check)).toBeUndefined();
  },
);

it("a failure at several locations is no condition of a check that reports by itself", () => {
  const condition = { type: "multi_location_failure", minLocations: 2, windowSeconds: 300 } as const;
  const check = { type: type as never, config: { periodSeconds: 60, graceSeconds } };
  expect(refuseCondition(condition, check)).toMatch(/can never hold here.*come to one location/);
});

it("every type is either pushed or probed", () => {
  expect([...checkTypesBy("pushed"), ...checkTypesBy("probed")].sort()).toEqual([...checkTypes.types].sort());
  expect(pushedTraitsOf("no such type")).toBeUndefined();
});
