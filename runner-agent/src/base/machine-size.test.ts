import { expect, it } from "vitest";
import { autoProcesses, availableCores, coresOfQuota } from "./machine-size.ts";

const GIB = 1024 ** 3;

it.each([
  ["one for each core", 16 * GIB, 4, 4],
  ["as many as half of the memory suffices for", 2 * GIB, 8, 2],
  ["at least one", 0.25 * GIB, 8, 1],
  ["at most 64", 1024 * GIB, 256, 64],
])("auto: %s", (_, memoryBytes, cores, expected) => {
  expect(autoProcesses(memoryBytes, cores)).toBe(expected);
});

it.each([
  ["max 100000", undefined],
  ["200000 100000\n", 2],
  ["250000 100000", 2],
  ["50000 100000", 1],
  [undefined, undefined],
  ["nonsense", undefined],
])("a quota of %j is %s cores", (cpuMax, expected) => {
  expect(coresOfQuota(cpuMax)).toBe(expected);
});

it("this machine has cores", () => {
  expect(availableCores()).toBeGreaterThanOrEqual(1);
});
