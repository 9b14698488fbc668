import { expect, it } from "vitest";
import { aMember, aPlace } from "../../../test-support/incidents.ts";
import { correlate } from "./correlate.ts";
import { dimensionsOf, domainOf, hostOf } from "./dimensions.ts";
import { findFailingLocations } from "./failing-locations.ts";
import { sharedDimensions } from "./fingerprint.ts";

it.each([
  ["https://api.shop.example.co.uk:8443/x", "api.shop.example.co.uk", "example.co.uk"],
  ["http://127.0.0.1:9/", "127.0.0.1", null],
  ["https://someone.github.io/", "someone.github.io", "someone.github.io"],
  ["http://localhost/", "localhost", null],
  ["nonsense", null, null],
])("%s is on host %s of domain %s", (url, host, domain) => {
  expect(hostOf(url)).toBe(host);
  if (host !== null) expect(domainOf(host)).toBe(domain);
});

const none = new Map();
const down = new Map([["loc_a", { failing: 3, total: 4 }]]);
const ofPlaces = (places: Parameters<typeof aPlace>[0][], failing = none) =>
  dimensionsOf(aMember({ host: null, places: places.map(aPlace) }), failing).filter((one) =>
    /^location:/.test(one),
  );

it.each([
  [
    "fails here, has succeeded elsewhere since",
    [{ locationId: "loc_a" }, { locationId: "loc_b", isFailing: false, slotMs: 1000 }],
    none,
    ["location:loc_a"],
  ],
  [
    "the success elsewhere is older",
    [{ locationId: "loc_a" }, { locationId: "loc_b", isFailing: false, slotMs: 999 }],
    none,
    [],
  ],
  [
    "the same, and the location is down",
    [{ locationId: "loc_a" }, { locationId: "loc_b", isFailing: false, slotMs: 999 }],
    down,
    ["location:loc_a"],
  ],
  ["fails everywhere", [{ locationId: "loc_a" }, { locationId: "loc_b" }], down, []],
  ["runs nowhere else", [{ locationId: "loc_a" }], none, []],
])(
  "a location is a dimension of its own only where it must be its fault: %s",
  (_name, places, failing, expected) => {
    expect(ofPlaces(places, failing)).toEqual(expected);
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

const alert = (instanceId: string, startedAtMs: number, ...dimensions: string[]) => ({
  ...{ instanceId, startedAtMs, dimensions, ruleId: instanceId },
});
const placed = (...alerts: ReturnType<typeof alert>[]) =>
  correlate(alerts, []).map(({ incidentKey }) => incidentKey);

it("alerts join in a chain: each shares something with the one before", () => {
  expect(
    placed(alert("a", 0, "host:x"), alert("b", 1, "host:x", "label:l"), alert("c", 2, "label:l")),
  ).toEqual([-1, -1, -1]);
});

it("the error category alone joins nothing", () => {
  expect(placed(alert("a", 0, "error_category:dns"), alert("b", 0, "error_category:dns"))).toEqual([-1, -2]);
});

it("an alert joins where it shares most; of equals the oldest", () => {
  const spans = (dimension: string) => new Map([[dimension, { firstMs: 0, lastMs: 0 }]]);
  const active = [
    { key: 7, spans: spans("host:x"), ruleIds: new Set<string>() },
    { key: 5, spans: spans("label:l"), ruleIds: new Set<string>() },
    { key: 9, spans: new Map([...spans("host:x"), ...spans("label:m")]), ruleIds: new Set<string>() },
  ];
  const keyOf = (...dimensions: string[]) =>
    correlate([alert("a", 1, ...dimensions)], active)[0]?.incidentKey;
  expect([keyOf("host:x", "label:l"), keyOf("host:x", "label:m"), keyOf("label:z")]).toEqual([5, 9, -1]);
});

it("a storm of thousands is placed in linear time: twice the alerts share one incident", () => {
  const storm = Array.from({ length: 20_000 }, (_, i) => alert(`a${i}`, i, `host:h${i % 10}`, `label:${i}`));
  expect(new Set(placed(...storm)).size).toBe(10);
});

it("the fingerprint is what all members share, else what two of them do", () => {
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
