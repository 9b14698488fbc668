import { HOUR_MS, type Location, MINUTE_MS } from "@svc/contract";
import { describe, expect, it } from "vitest";
import { judgeHealth, type ReportedHealth } from "./judge-health.ts";

type Health = Location["health"];

const NOW_MS = Date.UTC(2026, 5, 1);
const reported = (health: Health, more: Partial<ReportedHealth> = {}): ReportedHealth => ({
  health,
  betterSinceMs: null,
  changesMs: [],
  ...more,
});
const judge = (from: ReportedHealth, health: Health, nowMs = NOW_MS) =>
  judgeHealth(from, { health, nowMs, mayWorsen: true });

describe("a change of health", () => {
  it.each<[Health, Health]>([
    ["active", "degraded"],
    ["active", "offline"],
    ["degraded", "offline"],
  ])("from %s to %s is reported at once", (from, to) => {
    expect(judge(reported(from), to)).toEqual({ health: to, betterSinceMs: null, changesMs: [NOW_MS] });
  });

  it.each<[Health, Health]>([
    ["offline", "degraded"],
    ["offline", "active"],
    ["degraded", "active"],
  ])("from %s to %s is reported once it has held for a minute", (from, to) => {
    const seen = judge(reported(from), to);
    expect(seen).toEqual({ health: from, betterSinceMs: NOW_MS, changesMs: [] });
    expect(judge(seen, to, NOW_MS + MINUTE_MS - 1).health).toBe(from);
    expect(judge(seen, to, NOW_MS + MINUTE_MS).health).toBe(to);
  });

  it("that ends before it has held is not reported", () => {
    const seen = judge(reported("offline"), "active");
    expect(judge(seen, "offline", NOW_MS + 30_000)).toEqual(reported("offline"));
  });

  it("for the worse is not reported while the service has just come back", () => {
    const observation = { health: "offline" as const, nowMs: NOW_MS, mayWorsen: false };
    expect(judgeHealth(reported("active"), observation)).toEqual(reported("active"));
  });

  it("of long ago lengthens no hold", () => {
    const changesMs = Array.from({ length: 8 }, (_, i) => NOW_MS - HOUR_MS - i);
    const seen = judge(reported("offline", { changesMs }), "active");
    expect(judge(seen, "active", NOW_MS + MINUTE_MS).health).toBe("active");
  });
});

it("a location that is well for two minutes of every six is reported a dozen times in its first hour at most", () => {
  let state = reported("active");
  let changes = 0;
  for (let second = 0; second < 3_600; second += 10) {
    const health = second % 360 < 120 ? "active" : "offline";
    const next = judge(state, health, NOW_MS + second * 1_000);
    if (next.health !== state.health) changes++;
    state = next;
  }
  expect(changes).toBeGreaterThan(2);
  expect(changes).toBeLessThanOrEqual(12);
});
