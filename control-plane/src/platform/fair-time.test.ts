import { afterEach, beforeEach, expect, it, vi } from "vitest";
import { beginFairLimit } from "./fair-time.ts";

beforeEach(() => void vi.useFakeTimers());
afterEach(() => void vi.useRealTimers());

const LIMIT_MS = 10_000;

it.each([
  ["as it is when no time is lost", 0, 10_000, 10_000],
  ["later by the time that was lost before it", 0.25, 13_334, 10_000],
  ["after twice the limit at the latest", 0.5, 20_000, 10_000],
  ["after twice the limit, however much is lost", 0.9, 20_000, 2_000],
])("a limit ends %s", async (_title, lostShare, endsAfterMs, spentMs) => {
  const startMs = performance.now();
  let endedAfterMs = 0;
  const limit = beginFairLimit({
    limitMs: LIMIT_MS,
    lostMs: () => (performance.now() - startMs) * lostShare,
    onEnd: () => {
      endedAfterMs = performance.now() - startMs;
    },
  });
  await vi.advanceTimersByTimeAsync(3 * LIMIT_MS);
  expect(endedAfterMs).toBeGreaterThanOrEqual(endsAfterMs - 1);
  expect(endedAfterMs).toBeLessThanOrEqual(endsAfterMs + 2);
  await vi.advanceTimersByTimeAsync(0);
  expect(limit.spentMs()).toBeGreaterThanOrEqual(spentMs);
});

it("a limit does not end by a hold that lasted for all of it: what came in meanwhile is read first", async () => {
  let lost = 0;
  const onEnd = vi.fn();
  beginFairLimit({ limitMs: LIMIT_MS, lostMs: () => lost, onEnd });
  lost = LIMIT_MS - 20;
  await vi.advanceTimersByTimeAsync(LIMIT_MS);
  expect(onEnd).not.toHaveBeenCalled();
  await vi.advanceTimersByTimeAsync(LIMIT_MS);
  expect(onEnd).toHaveBeenCalledTimes(1);
});

it("time that was lost before the limit began does not count", async () => {
  const onEnd = vi.fn();
  beginFairLimit({ limitMs: LIMIT_MS, lostMs: () => 60_000, onEnd });
  await vi.advanceTimersByTimeAsync(LIMIT_MS);
  expect(onEnd).toHaveBeenCalledTimes(1);
});

it("a limit that is cleared never ends", async () => {
  const onEnd = vi.fn();
  beginFairLimit({ limitMs: LIMIT_MS, lostMs: () => 0, onEnd }).clear();
  await vi.advanceTimersByTimeAsync(3 * LIMIT_MS);
  expect(onEnd).not.toHaveBeenCalled();
});
