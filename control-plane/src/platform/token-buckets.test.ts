import { expect, test } from "vitest";
import { TokenBuckets } from "./token-buckets.ts";

test("a key spends its burst, then its rate; another key has a bucket of its own", () => {
  let nowMs = 0;
  const buckets = new TokenBuckets({ burst: 3, perSecond: 2, clockMs: () => nowMs });
  expect([1, 2, 3, 4].map(() => buckets.trySpend("a"))).toEqual([true, true, true, false]);
  expect(buckets.trySpend("b")).toBe(true);
  nowMs = 499;
  expect(buckets.trySpend("a")).toBe(false);
  nowMs = 500;
  expect(buckets.trySpend("a")).toBe(true);
  expect(buckets.isEmpty("a")).toBe(true);
  nowMs = 1_000_000;
  expect([1, 2, 3, 4].map(() => buckets.trySpend("a"))).toEqual([true, true, true, false]);
});

test("a debt is waited for", () => {
  const buckets = new TokenBuckets({ burst: 10, perSecond: 5, clockMs: () => 0 });
  expect(buckets.spend("a", 10)).toBe(0);
  expect(buckets.spend("a", 10)).toBe(2_000);
});

test("the keys that are remembered are bounded", () => {
  const buckets = new TokenBuckets({ burst: 1, perSecond: 1, keysMax: 2, clockMs: () => 0 });
  for (const key of ["a", "b", "c"]) expect(buckets.trySpend(key)).toBe(true);
  expect(buckets.trySpend("c")).toBe(false);
  expect(buckets.trySpend("a")).toBe(true);
});
