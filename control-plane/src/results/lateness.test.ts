import { type CheckId, newId, phaseMs, type RunReason, slotAtOrAfter, staggerMs } from "@svc/contract";
import { expect, it } from "vitest";
import { lateMs } from "./lateness.ts";

const checkId: CheckId = newId("check");
const slotMs = slotAtOrAfter(1_790_000_000_000, 60_000, phaseMs(checkId, 60));
const stagger = staggerMs(1, 2, 60_000);
const schedule = {
  frequencySeconds: 60,
  locationKeys: [7, 8],
  enabled: true,
  effectiveFromMs: slotMs - 600_000,
  effectiveUntilMs: null,
};
const run = (overrides: object) => ({
  locationKey: 8,
  slotMs,
  startDelayMs: stagger + 250,
  reason: "scheduled" as RunReason,
  ...overrides,
});

it.each([
  ["a run is late by what it began after its stagger", run({}), [schedule], 250],
  ["one that began before it was due is not late", run({ startDelayMs: stagger - 3 }), [schedule], 0],
  ["the first location has no stagger", run({ locationKey: 7, startDelayMs: 40 }), [schedule], 40],
  ["a dispatched run was due at its slot", run({ reason: "triggered", startDelayMs: 90 }), [], 90],
  ["nothing is known of a location that no schedule has", run({ locationKey: 9 }), [schedule], null],
  ["nothing is known of a slot off the grid", run({ slotMs: slotMs + 1 }), [schedule], null],
  [
    "the schedule in force when the run was due decides",
    run({}),
    [
      { ...schedule, effectiveUntilMs: slotMs + stagger },
      { ...schedule, locationKeys: [8, 7], effectiveFromMs: slotMs },
    ],
    stagger + 250,
  ],
])("%s", (_title, given, schedules, expected) => {
  expect(lateMs(checkId, given, schedules)).toBe(expected);
});
