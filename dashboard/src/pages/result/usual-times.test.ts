import { expect, it } from "vitest";
import { usualTimesOf } from "./usual-times.ts";

it("is the median of each phase over the runs that had it", () => {
  const timings = [9, 1, 5, 3, 7].map((ms) => ({
    ttfbMs: ms,
    totalMs: ms,
    ...(ms > 5 && { dnsLookupMs: ms }),
  }));
  expect(usualTimesOf(timings)).toEqual({ ttfbMs: 5, dnsLookupMs: 7 });
});

it("is unknown after a few runs", () => {
  expect(usualTimesOf([1, 2, 3, 4].map((totalMs) => ({ totalMs })))).toBeUndefined();
});
