import { newId, type TeamId } from "@svc/contract";
import { afterEach, beforeEach, describe, expect, it, vi } from "vitest";
import { AttemptLimits } from "./attempt-limits.ts";

beforeEach(() => void vi.useFakeTimers());
afterEach(() => void vi.useRealTimers());

const nothingLost = () => 0;

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
      () => false,
    );
    begun++;
  }
  return begun;
}

/** Begins as many attempts at the channel as it may have. Each lasts so long, and delivers unless `delivers` is false. */
function beginAll(
  limits: AttemptLimits,
  { teamId, channelKey, durationMs, delivers = true }: ChannelUnderTest,
): Promise<void>[] {
  const begun: Promise<void>[] = [];
  while (limits.mayBegin({ channelKey, teamId }))
    begun.push(
      limits.count(
        { channelKey, teamId },
        () => new Promise<void>((resolve) => setTimeout(resolve, durationMs)),
        () => delivers,
      ),
    );
  return begun;
}

interface ChannelUnderTest {
  teamId: TeamId;
  channelKey: number;
  durationMs: number;
  delivers?: boolean;
}

/** Returns how many attempts at once the channel had in each of so many rounds, in which it always had more to send. */
async function attemptsAtOnce(
  limits: AttemptLimits,
  channel: ChannelUnderTest,
  rounds: number,
): Promise<number[]> {
  const counts: number[] = [];
  for (let round = 0; round < rounds; round++) {
    const begun = beginAll(limits, channel);
    counts.push(begun.length);
    await vi.advanceTimersByTimeAsync(channel.durationMs);
    await Promise.all(begun);
  }
  return counts;
}

describe("a team whose endpoints hang", () => {
  const hanging: TeamId = newId("team");
  const other: TeamId = newId("team");

  it("leaves half of all attempts to other teams, however many channels it has", () => {
    const limits = new AttemptLimits(nothingLost);
    expect(beginHanging(limits, { teamId: hanging, firstKey: 1, channels: 400 })).toBe(100);
    expect(limits.mayBegin({ channelKey: 1_000, teamId: other })).toBe(true);
  });

  it("leaves half of the attempts at slow channels to other teams' slow channels", async () => {
    const limits = new AttemptLimits(nothingLost);
    const becomeSlow = (channelKey: number, teamId: TeamId) =>
      limits.count(
        { channelKey, teamId },
        () => new Promise<void>((resolve) => setTimeout(resolve, 4_000)),
        () => false,
      );
    const keys = Array.from({ length: 200 }, (_, index) => index + 1);
    const ended = Promise.all([becomeSlow(1_000, other), ...keys.map((key) => becomeSlow(key, hanging))]);
    await vi.advanceTimersByTimeAsync(4_000);
    await ended;
    expect(beginHanging(limits, { teamId: hanging, firstKey: 1, channels: 200 })).toBe(50);
    expect(limits.mayBegin({ channelKey: 1_000, teamId: other })).toBe(true);
  });

  it("lets one more of a team begin when its attempts have ended", async () => {
    const limits = new AttemptLimits(nothingLost);
    const attempt = limits.count(
      { channelKey: 1, teamId: hanging },
      async () => undefined,
      () => true,
    );
    await attempt;
    expect(limits.underWay.size).toBe(0);
    expect(limits.mayBegin({ channelKey: 1, teamId: hanging })).toBe(true);
  });
});

describe("a channel that has more to send", () => {
  const teamId: TeamId = newId("team");

  it.each([
    ["is sent more and more at once while it delivers", 5, true, [2, 4, 8, 16, 32, 32]],
    ["is so even when each attempt lasts a while", 2_900, true, [2, 4, 8, 16, 32, 32]],
    ["is sent two at a time when its attempts are slow", 3_000, true, [2, 2, 2]],
    ["is sent two at a time when its attempts fail", 5, false, [2, 2, 2]],
  ])("%s", async (_title, durationMs, delivers, expected) => {
    const limits = new AttemptLimits(nothingLost);
    const channel = { teamId, channelKey: 1, durationMs, delivers };
    expect(await attemptsAtOnce(limits, channel, expected.length)).toEqual(expected);
  });

  it("is sent two at a time again after an attempt that failed", async () => {
    const limits = new AttemptLimits(nothingLost);
    const channel = { teamId, channelKey: 1, durationMs: 5 };
    await attemptsAtOnce(limits, channel, 5);
    await limits.count(
      channel,
      async () => undefined,
      () => false,
    );
    expect(await attemptsAtOnce(limits, channel, 1)).toEqual([2]);
  });

  it("proves nothing by attempts that began before a failure", async () => {
    const limits = new AttemptLimits(nothingLost);
    const channel = { teamId, channelKey: 1, durationMs: 100 };
    await attemptsAtOnce(limits, channel, 4);
    const begun = beginAll(limits, channel).slice(1);
    await limits.count(
      channel,
      async () => undefined,
      () => false,
    );
    await vi.advanceTimersByTimeAsync(100);
    await Promise.all(begun);
    expect(await attemptsAtOnce(limits, channel, 1)).toEqual([2]);
  });

  it("begins no further attempt once one under way is slow", async () => {
    const limits = new AttemptLimits(nothingLost);
    await attemptsAtOnce(limits, { teamId, channelKey: 1, durationMs: 5 }, 3);
    void limits.count(
      { teamId, channelKey: 1 },
      () => new Promise<never>(() => undefined),
      () => false,
    );
    await vi.advanceTimersByTimeAsync(2_999);
    expect(limits.slowChannels.has(1)).toBe(false);
    await vi.advanceTimersByTimeAsync(1);
    expect(limits.slowChannels.has(1)).toBe(true);
    expect(beginAll(limits, { teamId, channelKey: 1, durationMs: 5 })).toHaveLength(1);
  });

  it("is not slow by the time that this process has lost", async () => {
    const limits = new AttemptLimits(() => performance.now() * 0.9);
    expect(await attemptsAtOnce(limits, { teamId, channelKey: 1, durationMs: 5_000 }, 3)).toEqual([2, 4, 8]);
    expect(limits.slowChannels.size).toBe(0);
  });

  it("keeps as many at once as it has proved to take while less is to be sent", async () => {
    const limits = new AttemptLimits(nothingLost);
    const channel = { teamId, channelKey: 1, durationMs: 5 };
    await attemptsAtOnce(limits, channel, 2);
    for (let n = 0; n < 50; n++)
      await limits.count(
        channel,
        async () => undefined,
        () => true,
      );
    expect(await attemptsAtOnce(limits, channel, 1)).toEqual([8]);
  });

  it("leaves the first attempts to the team's other channels, and half of all to other teams", async () => {
    const limits = new AttemptLimits(nothingLost);
    const busyKeys = [1, 2, 3, 4, 5, 6];
    for (const channelKey of busyKeys) await attemptsAtOnce(limits, { teamId, channelKey, durationMs: 5 }, 5);
    const busy = busyKeys.map(
      (channelKey) => beginAll(limits, { teamId, channelKey, durationMs: 2_000 }).length,
    );
    expect(busy).toEqual([32, 18, 2, 2, 2, 2]);
    expect(beginHanging(limits, { teamId, firstKey: 100, channels: 100 })).toBe(42);
    expect(beginHanging(limits, { teamId: newId("team"), firstKey: 1_000, channels: 100 })).toBe(50);
  });
});
