import { expect, it } from "vitest";
import { LOOP_TICK_MS, LoopGuard } from "./loop-guard.ts";

/** Returns a guard that is ticked on time, and a function that ticks it after a pause. */
function aGuard() {
  const guard = new LoopGuard();
  let nowMs = 0;
  const tickAfter = (pauseMs: number, cpuMs = 0) => {
    nowMs += pauseMs;
    return guard.tick({ nowMs, cpuMs });
  };
  tickAfter(0);
  return { guard, tickAfter };
}

it("ticks that come on time, or a little late, are no hold", () => {
  const { tickAfter } = aGuard();
  expect(tickAfter(LOOP_TICK_MS)).toBeUndefined();
  expect(tickAfter(LOOP_TICK_MS + 49)).toBeUndefined();
});

it("a hold says how long it was, what the process used, and what began before it", () => {
  const { guard, tickAfter } = aGuard();
  guard.began("job a");
  guard.began("GET /api/checks");
  guard.began("job a");
  expect(tickAfter(LOOP_TICK_MS + 50, 40)).toEqual({
    heldMs: 50,
    cpuMs: 40,
    work: ["GET /api/checks", "job a"],
    isReported: true,
    unreported: 0,
  });
});

it("of the work only the newest is remembered", () => {
  const { guard, tickAfter } = aGuard();
  for (let i = 0; i < 20; i++) guard.began(`job ${i}`);
  expect(tickAfter(100)?.work).toEqual([12, 13, 14, 15, 16, 17, 18, 19].map((i) => `job ${i}`));
});

it("at most one hold a second is to be reported, with the number of the others", () => {
  const { tickAfter } = aGuard();
  const holds = Array.from({ length: 12 }, () => tickAfter(LOOP_TICK_MS + 80));
  expect(holds.map((hold) => hold?.isReported)).toEqual([
    true,
    ...Array.from({ length: 9 }, () => false),
    true,
    false,
  ]);
  expect(holds[10]?.unreported).toBe(9);
});

it("each tick that is late adds to the time lost, and so does one that is overdue", () => {
  const guard = new LoopGuard();
  expect(guard.lostMs(5_000)).toBe(0);
  guard.tick({ nowMs: 1_000, cpuMs: 0 });
  guard.tick({ nowMs: 1_000 + LOOP_TICK_MS + 7, cpuMs: 0 });
  guard.tick({ nowMs: 1_000 + 2 * LOOP_TICK_MS + 7, cpuMs: 0 });
  expect(guard.lostMs(1_000 + 3 * LOOP_TICK_MS + 7)).toBe(7);
  expect(guard.lostMs(1_000 + 3 * LOOP_TICK_MS + 107)).toBe(107);
});
