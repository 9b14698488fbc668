import { expect, it } from "vitest";
import { locationHealth } from "./health.ts";

it.each([
  ["no heartbeat ever", undefined, false, "offline"],
  ["a heartbeat just now", 0, false, "active"],
  ["the last ms of active", 59_999, false, "active"],
  ["the first ms of degraded", 60_000, false, "degraded"],
  ["the last ms of degraded", 179_999, false, "degraded"],
  ["the first ms of offline", 180_000, false, "offline"],
  ["alive but missing slots", 0, true, "degraded"],
  ["long gone and missing slots", 180_000, true, "offline"],
  ["a heartbeat of a clock that is ahead", -500, false, "active"],
] as const)("%s", (_name, ageMs, hasMissedSlots, health) => {
  expect(locationHealth({ heartbeatAgeMs: ageMs, hasMissedSlots })).toBe(health);
});
