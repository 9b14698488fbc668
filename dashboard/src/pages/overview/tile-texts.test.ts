import { expect, it } from "vitest";
import type { OverviewAnswer } from "../../api/queries/overview.ts";
import { tilesOf } from "./tile-texts.ts";

const NOW_MS = Date.parse("2026-11-23T12:00:00Z");
const office = { id: "loc_office", name: "Office" };
const calm = {
  slots: { asOf: "", from: "", to: "", expected: 2880, received: 2880, missing: [] },
  responseTime: { nowMs: 203.4, usualMs: 165.1 },
  slosAtRisk: { count: 0, judged: 2, worst: [] },
  locations: { total: 3, active: 3, notActive: [] },
  channelsFailing: { count: 0, first: [] },
  certificates: { count: 0, next: null },
  telemetry: { state: "off", lagSeconds: 0, lastError: null },
} as unknown as OverviewAnswer;

/** Returns the tile of a name. */
function tile(name: string, changed: object = {}) {
  const found = tilesOf({ ...calm, ...changed }, NOW_MS).find((one) => one.name === name);
  return found && [found.figure, found.words, found.isLoud];
}

it("a team at rest has no loud tile", () => {
  expect(tilesOf(calm, NOW_MS).filter(({ isLoud }) => isLoud)).toEqual([]);
  expect(tile("Slots, last 24 h")).toEqual(["100.00 %", "all 2,880 have a result", false]);
  expect(tile("Response time now")).toEqual(["203 ms", "+38 ms against the last 7 days, same hour", false]);
  expect(tile("SLOs at risk")).toEqual(["0", "of 2", false]);
});

it("missing slots are counted, and each reason names where; a share is never rounded up to all", () => {
  const missing = [{ reason: "runner_capacity", count: 12, location: office }];
  const slots = { expected: 288_000, received: 287_988, missing };
  expect(tile("Slots, last 24 h", { slots })).toEqual([
    "99.99 %",
    "12 of 288,000 missing: 12 x runner too busy, Office",
    true,
  ]);
});

it("without slots or results no figure is made up", () => {
  expect(tile("Slots, last 24 h", { slots: null })?.[0]).toBe("-");
  expect(tile("Slots, last 24 h", { slots: { expected: 0, received: 0, missing: [] } })?.[0]).toBe("-");
  expect(tile("Response time now", { responseTime: null })?.[0]).toBe("-");
});

it("an SLO at risk says why: what is left of its budget, or how fast it burns", () => {
  const worst = (budgetLeft: number) => ({
    count: 1,
    judged: 2,
    worst: [{ id: "slo_a", name: "Checkout works", budgetLeft, burnRate1h: 14.44 }],
  });
  expect(tile("SLOs at risk", { slosAtRisk: worst(-0.3) })?.[1]).toBe(
    "Checkout works: 0.00 % of its budget left",
  );
  expect(tile("SLOs at risk", { slosAtRisk: worst(0.9) })?.[1]).toBe(
    "Checkout works fails 14.4 x as much as it may",
  );
});

it("locations, certificates and the export name what is wrong", () => {
  const locations = { total: 14, active: 13, notActive: [{ ...office, health: "degraded" }] };
  expect(tile("Locations", { locations })).toEqual(["13 of 14", "active; Office degraded", true]);
  const next = { checkId: "chk_a", host: "shop.example", validTo: "2026-11-26T16:00:00Z" };
  expect(tile("Certificates ending", { certificates: { count: 1, next } })).toEqual([
    "1",
    "shop.example in 3 d 4 h",
    true,
  ]);
  const telemetry = { state: "failing", lagSeconds: 60, lastError: "connection refused" };
  expect(tile("Telemetry export", { telemetry })).toEqual(["Failing", "connection refused", true]);
});
