import type { AlertInstanceId, AlertRuleId, LocationId } from "@svc/contract";
import { expect, it } from "vitest";
import { aLocationState, aMember } from "../../../test-support/incidents.ts";
import { hostOf } from "../../checks/target-host.ts";
import { type AlertToCorrelate, correlate } from "./correlate.ts";
import { dimensionsOf, domainOf } from "./dimensions.ts";
import { findFailingLocations } from "./failing-locations.ts";
import { sharedDimensions } from "./fingerprint.ts";
import type { FailingLocations } from "./member-profile.ts";

it.each([
  ["https://api.shop.example.co.uk:8443/x", "api.shop.example.co.uk", "example.co.uk"],
  ["http://127.0.0.1:9/", "127.0.0.1", null],
  ["https://someone.github.io/", "someone.github.io", "someone.github.io"],
  ["http://localhost/", "localhost", null],
  ["mail.example.org", "mail.example.org", "example.org"],
  ["mail.example.org:25", "mail.example.org", "example.org"],
  ["nonsense", null, null],
])("%s is on host %s of domain %s", (url, host, domain) => {
  expect(hostOf(url)).toBe(host);
  if (host !== null) expect(domainOf(host)).toBe(domain);
});

const [LOC_A, LOC_B] = ["loc_a", "loc_b"] as LocationId[] as [LocationId, LocationId];
const none: FailingLocations = new Map();
const down: FailingLocations = new Map([[LOC_A, { failing: 3, total: 4 }]]);
const ofStates = (states: Parameters<typeof aLocationState>[0][], failing = none) =>
  dimensionsOf(aMember({ host: null, locationStates: states.map(aLocationState) }), failing).filter((one) =>
    /^location:/.test(one),
  );

it.each([
  [
    "fails here, has succeeded elsewhere since",
    [{ locationId: LOC_A }, { locationId: LOC_B, isFailing: false, slotMs: 1000 }],
    none,
    ["location:loc_a"],
  ],
  [
    "the success elsewhere is older",
    [{ locationId: LOC_A }, { locationId: LOC_B, isFailing: false, slotMs: 999 }],
    none,
    [],
  ],
  [
    "the success elsewhere is older, and the location fails as a whole",
    [{ locationId: LOC_A }, { locationId: LOC_B, isFailing: false, slotMs: 999 }],
    down,
    ["location:loc_a"],
  ],
  ["fails everywhere", [{ locationId: LOC_A }, { locationId: LOC_B }], down, []],
  ["runs nowhere else", [{ locationId: LOC_A }], none, []],
])(
  "a location is a dimension of its own only where it must be its fault: %s",
  (_name, states, failing, expected) => {
    expect(ofStates(states, failing)).toEqual(expected);
  },
);

it.each([
  ["three of four fail here only", [1, 1, 1, 0], [0, 0, 0, 0], true],
  ["two are a coincidence", [1, 1], [0, 0], false],
  ["half is not most", [1, 1, 1, 0, 0, 0], [0, 0, 0, 0, 0, 0], false],
  ["they fail elsewhere, too", [1, 1, 1, 1], [1, 1, 0, 0], false],
])("a location fails as a whole: %s", (_name, here, elsewhere, isDown) => {
  const sampled = here.flatMap((failing, checkKey) => [
    { sampledKey: 1, checkKey, locationKey: 1, isFailing: failing === 1 },
    { sampledKey: 1, checkKey, locationKey: 2, isFailing: elsewhere[checkKey] === 1 },
  ]);
  expect(findFailingLocations(sampled).has(1)).toBe(isDown);
});

const alert = (name: string, startedAtMs: number, ...dimensions: string[]): AlertToCorrelate => ({
  instanceId: name as AlertInstanceId,
  startedAtMs,
  dimensions,
  ruleId: name as AlertRuleId,
});
const incidentKeysOf = (...alerts: ReturnType<typeof alert>[]) =>
  correlate(alerts, []).map(({ incidentKey }) => incidentKey);

it("alerts join in a chain: each shares something with the one before", () => {
  expect(
    incidentKeysOf(alert("a", 0, "host:x"), alert("b", 1, "host:x", "label:l"), alert("c", 2, "label:l")),
  ).toEqual([-1, -1, -1]);
});

it("the error category alone joins nothing", () => {
  expect(incidentKeysOf(alert("a", 0, "error_category:dns"), alert("b", 0, "error_category:dns"))).toEqual([
    -1, -2,
  ]);
});

it("an alert joins the incident with which it shares most; of equals the oldest", () => {
  const spans = (dimension: string) => new Map([[dimension, { firstMs: 0, lastMs: 0 }]]);
  const active = [
    { key: 7, spans: spans("host:x"), ruleIds: new Set<AlertRuleId>() },
    { key: 5, spans: spans("label:l"), ruleIds: new Set<AlertRuleId>() },
    { key: 9, spans: new Map([...spans("host:x"), ...spans("label:m")]), ruleIds: new Set<AlertRuleId>() },
  ];
  const keyOf = (...dimensions: string[]) =>
    correlate([alert("a", 1, ...dimensions)], active)[0]?.incidentKey;
  expect([keyOf("host:x", "label:l"), keyOf("host:x", "label:m"), keyOf("label:z")]).toEqual([5, 9, -1]);
});

it("a storm of thousands is correlated in linear time", () => {
  const storm = Array.from({ length: 20_000 }, (_, i) => alert(`a${i}`, i, `host:h${i % 10}`, `label:${i}`));
  expect(new Set(incidentKeysOf(...storm)).size).toBe(10);
});

it("the fingerprint is the dimensions that all members share, else those of at least two", () => {
  expect(
    sharedDimensions(
      new Map([
        ["a:1", 3],
        ["b:1", 2],
        ["c:1", 3],
      ]),
      3,
    ),
  ).toEqual(["a:1", "c:1"]);
  expect(
    sharedDimensions(
      new Map([
        ["a:1", 1],
        ["b:1", 2],
      ]),
      3,
    ),
  ).toEqual(["b:1"]);
});
