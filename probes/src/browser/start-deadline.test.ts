import { checkTypes } from "@svc/contract";
import { afterEach, beforeEach, describe, expect, it, vi } from "vitest";
import type { DriverProcess } from "./process/driver-process.ts";
import { CLOSING_MS } from "./process/watched-run.ts";
import { ScriptDrivers } from "./script-drivers.ts";
import { NotStartedInTime, START_MS_MIN, StartDeadline, startedWithin } from "./start-deadline.ts";

beforeEach(() => void vi.useFakeTimers());
afterEach(() => void vi.useRealTimers());

describe("the time that an attempt has to start", () => {
  it.each([
    ["of a slot without a limit", undefined, 30_000],
    ["of a slot that may wait long", 1_000_000 + 60_000, 30_000],
    ["of a slot that has waited already", 1_000_000 + 12_000, 12_000],
    ["of a slot that is almost too late", 1_000_000 + 1, 5_000],
    ["of a slot that is too late", 999_000, 5_000],
  ])("%s", (_name, beginByMs, expected) => {
    const times = { nowMs: () => 1_000_000, ...(beginByMs === undefined ? {} : { beginByMs }) };
    let monotonic = 7;
    const deadline = new StartDeadline(times, () => monotonic);
    expect(deadline.remainingMs).toBe(expected);
    monotonic += expected - 1;
    expect(deadline.remainingMs).toBe(1);
    monotonic += 2;
    expect(deadline.remainingMs).toBe(0);
  });

  it("and to close is no more than what the service waits for beyond the time limit", () => {
    expect(checkTypes.get("browser").overheadMs).toBe(START_MS_MIN + CLOSING_MS);
  });
});

describe("startedWithin", () => {
  it("gives what is ready in time, and its error", async () => {
    expect(await startedWithin(Promise.resolve(1), 10)).toBe(1);
    await expect(startedWithin(Promise.reject(new Error("broken")), 10)).rejects.toThrow("broken");
  });

  it("gives up what is not, and discards it once it comes", async () => {
    let finish: (value: string) => void = () => {};
    const discard = vi.fn();
    const waiting = startedWithin(new Promise<string>((resolve) => (finish = resolve)), 1_000, discard);
    const end = expect(waiting).rejects.toThrow(NotStartedInTime);
    await vi.advanceTimersByTimeAsync(1_000);
    await end;
    finish("late");
    await vi.advanceTimersByTimeAsync(0);
    expect(discard.mock.calls).toEqual([["late"]]);
  });
});

describe("the drivers of scripts", () => {
  it("two scripts that ask while one driver is being started ahead get one each", async () => {
    const starts: { readyMsMax: number; finish: () => void }[] = [];
    const drivers = new ScriptDrivers({
      start: (readyMsMax) =>
        new Promise((resolve) => {
          const driver = { name: starts.length, hasEnded: false, kill: vi.fn() };
          starts.push({ readyMsMax, finish: () => resolve(driver as unknown as DriverProcess) });
        }),
      mayStartAhead: () => true,
      warn: () => undefined,
    });
    drivers.startAhead();
    const both = Promise.all([drivers.acquire(20_000), drivers.acquire(20_000)]);
    for (const { finish } of starts) finish();
    const [first, second] = await both;
    expect(first).not.toBe(second);
    expect(starts.map(({ readyMsMax }) => readyMsMax)).toEqual([30_000, 20_000]);
  });
});
