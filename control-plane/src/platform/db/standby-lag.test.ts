import { expect, it } from "vitest";
import { StandbyLag } from "./standby-lag.ts";

it.each([
  ["has all that the primary had", 300, 500],
  ["is ahead of what was noted", 400, 500],
  ["lacks the last second", 299, 1_500],
  ["lacks the last two seconds", 100, 2_500],
  ["is behind all that was noted", 99, undefined],
])("a standby that %s", (_name, position, lagMs) => {
  const lag = new StandbyLag();
  lag.note(1_000, 100);
  lag.note(2_000, 200);
  lag.note(3_000, 300);
  expect(lag.lagMs(position, 3_500)).toBe(lagMs);
});

it("nothing is known without a sample, and after the primary changed", () => {
  const lag = new StandbyLag();
  expect(lag.lagMs(1, 0)).toBeUndefined();
  lag.note(0, 1);
  expect(lag.lagMs(1, 0)).toBe(0);
  expect([lag.hasAll(1), lag.hasAll(0)]).toEqual([true, false]);
  lag.clear();
  expect(lag.lagMs(1, 0)).toBeUndefined();
});
