import { newId, type TeamId } from "@svc/contract";
import { afterEach, beforeEach, describe, expect, it, vi } from "vitest";
import { AttemptLimits } from "./attempt-limits.ts";

beforeEach(() => void vi.useFakeTimers());
afterEach(() => void vi.useRealTimers());

/** Begins attempts that never end, one at each of so many channels of the team, as far as the limits allow. */
function beginHanging(
  limits: AttemptLimits,
  { teamId, firstKey, channels }: { teamId: TeamId; firstKey: number; channels: number },
): number {
  let begun = 0;
  for (let channelKey = firstKey; channelKey < firstKey + channels; channelKey++) {
    if (!limits.mayBegin({ channelKey, teamId })) continue;
    void limits.count(
      { channelKey, teamId },
      () => new Promise<never>(() => undefined),
      () => ({
        durationMs: 0,
        wasDelivered: false,
      }),
    );
    begun++;
  }
  return begun;
}

describe("a team whose endpoints hang", () => {
  const hanging: TeamId = newId("team");
  const other: TeamId = newId("team");

  it("leaves half of all attempts to other teams, however many channels it has", () => {
    const limits = new AttemptLimits(500);
    expect(beginHanging(limits, { teamId: hanging, firstKey: 1, channels: 400 })).toBe(100);
    expect(limits.mayBegin({ channelKey: 1_000, teamId: other })).toBe(true);
  });

  it("leaves half of the attempts at slow channels to other teams' slow channels", async () => {
    const limits = new AttemptLimits(500);
    const becomeSlow = (channelKey: number, teamId: TeamId) =>
      limits.count(
        { channelKey, teamId },
        () => new Promise<void>((resolve) => setTimeout(resolve, 4_000)),
        () => ({ durationMs: 4_000, wasDelivered: false }),
      );
    const keys = Array.from({ length: 200 }, (_, index) => index + 1);
    const ended = Promise.all([becomeSlow(1_000, other), ...keys.map((key) => becomeSlow(key, hanging))]);
    await vi.advanceTimersByTimeAsync(4_000);
    await ended;
    expect(beginHanging(limits, { teamId: hanging, firstKey: 1, channels: 200 })).toBe(50);
    expect(limits.mayBegin({ channelKey: 1_000, teamId: other })).toBe(true);
  });

  it("lets one more of a team begin when its attempts have ended", async () => {
    const limits = new AttemptLimits(500);
    const attempt = limits.count(
      { channelKey: 1, teamId: hanging },
      async () => undefined,
      () => ({ durationMs: 1, wasDelivered: true }),
    );
    await attempt;
    expect(limits.underWay.size).toBe(0);
    expect(limits.mayBegin({ channelKey: 1, teamId: hanging })).toBe(true);
  });
});
