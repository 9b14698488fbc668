import { afterEach, beforeEach, expect, it, vi } from "vitest";
import { Stalled, TimeLimit, TimeLimitPassed } from "./time-limit.ts";

beforeEach(() => {
  vi.useFakeTimers({ toFake: ["setTimeout", "clearTimeout", "performance"] });
});
afterEach(() => {
  vi.useRealTimers();
});

const limit = () => new TimeLimit((limitMs) => `longer than ${limitMs} ms`);

it("a limit counts from when it was made, and can be moved", async () => {
  const moved = limit();
  moved.set(100);
  await vi.advanceTimersByTimeAsync(90);
  moved.set(200);
  await vi.advanceTimersByTimeAsync(109);
  const passed = vi.fn();
  moved.passed.catch(passed);
  await vi.advanceTimersByTimeAsync(0);
  expect(passed).not.toHaveBeenCalled();
  await vi.advanceTimersByTimeAsync(1);
  await expect(moved.passed).rejects.toEqual(new TimeLimitPassed("longer than 200 ms"));
});

it("a limit that is set when it is long over has passed, and nothing stood still", async () => {
  const late = limit();
  await vi.advanceTimersByTimeAsync(5_000);
  late.set(200);
  await vi.advanceTimersByTimeAsync(1);
  await expect(late.passed).rejects.toBeInstanceOf(TimeLimitPassed);
});

it("a timer that strikes much too late tells that the process stood still", async () => {
  const held = limit();
  held.set(100);
  vi.setSystemTime(0);
  const now = performance.now();
  vi.spyOn(performance, "now").mockReturnValue(now + 1_200);
  await vi.advanceTimersByTimeAsync(100);
  await expect(held.passed).rejects.toBeInstanceOf(Stalled);
});
