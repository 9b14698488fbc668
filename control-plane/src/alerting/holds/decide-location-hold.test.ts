import fc from "fast-check";
import { describe, expect, it } from "vitest";
import {
  decideLocationHold,
  type LocationHeldAlert,
  type LocationSight,
  OPENING_MS,
  UNSEEN_MS,
} from "./decide-location-hold.ts";
import { recentMs } from "./reach.ts";

const START = 10_000_000;
const HERE = 1;
const THERE = 2;
const THIRD = 3;

const held = (overrides: Partial<LocationHeldAlert> = {}): LocationHeldAlert => ({
  startedAtMs: START,
  frequencySeconds: 60,
  freeSinceMs: null,
  isRunning: true,
  isAboutFailure: true,
  longestRunMs: 30_000,
  isGuarded: true,
  locationKeys: [HERE],
  isInIncident: true,
  queuedAtMs: START,
  isMuted: false,
  ...overrides,
});
const at = (locationKey: number, slotMs: number, isFailing: boolean) => ({
  locationKey,
  slotMs,
  isFailing,
  isUnreached: isFailing,
});

describe("the decision", () => {
  const wait = (freeSinceMs: number | null = null) => ({ kind: "wait", freeSinceMs });
  const release = { kind: "release" };
  const hour = START + 3_600_000;
  it.each<[string, LocationHeldAlert, number[], LocationSight["newest"], number, object]>([
    [
      "another location sees it succeed",
      held(),
      [HERE],
      [at(HERE, hour, true), at(THERE, hour, false)],
      hour,
      wait(),
    ],
    [
      "another location sees it fail",
      held(),
      [HERE],
      [at(HERE, START, true), at(THERE, START, true)],
      START,
      release,
    ],
    ["the other one is cut off, too", held(), [HERE, THERE], [at(THERE, START, true)], START, wait()],
    [
      "both are, for ten minutes",
      held(),
      [HERE, THERE],
      [at(THERE, START, true)],
      START + UNSEEN_MS,
      release,
    ],
    [
      "nobody else sees it, for a moment",
      held(),
      [HERE],
      [at(HERE, START, true)],
      START + UNSEEN_MS - 1,
      wait(),
    ],
    [
      "nobody else sees it, for ten minutes",
      held(),
      [HERE],
      [at(HERE, START, true)],
      START + UNSEEN_MS,
      release,
    ],
    [
      "the last success elsewhere is old",
      held(),
      [HERE],
      [at(THERE, hour - recentMs(held()) - 1, false)],
      hour,
      release,
    ],
    ["the outage has just ended", held(), [], [at(THERE, START, false)], START, wait(START)],
    [
      "it ended a while ago",
      held({ freeSinceMs: START }),
      [],
      [at(THERE, START, false)],
      START + 89_999,
      wait(START),
    ],
    [
      "it has failed since, and had time to succeed",
      held({ freeSinceMs: START }),
      [],
      [at(HERE, START, true), at(THERE, START, false)],
      START + 90_000,
      release,
    ],
    [
      "it has failed since, and had no time to succeed",
      held({ freeSinceMs: START }),
      [],
      [at(HERE, START + 60_000, true), at(THERE, START, false)],
      START + 89_999,
      wait(START),
    ],
    [
      "it has not run since",
      held({ freeSinceMs: START }),
      [],
      [at(HERE, START - 1, true), at(THERE, START, false)],
      START + 239_999,
      wait(START),
    ],
    [
      "it has not run since for two periods and two minutes",
      held({ freeSinceMs: START }),
      [],
      [at(HERE, START - 1, true), at(THERE, START, false)],
      START + 240_000,
      release,
    ],
    [
      "it has not run since for 65 minutes, however rarely it runs",
      held({ freeSinceMs: START, frequencySeconds: 86_400 }),
      [],
      [],
      START + 65 * 60_000,
      release,
    ],
    [
      "it succeeds, and its rule asks for more successes",
      held({ freeSinceMs: START }),
      [],
      [at(HERE, hour, false), at(THERE, hour, false)],
      hour,
      wait(START),
    ],
    [
      "it has succeeded and runs no longer",
      held({ freeSinceMs: START }),
      [],
      [at(HERE, START, false), at(THERE, START + 65 * 60_000, false)],
      START + 65 * 60_000,
      release,
    ],
    [
      "its target answers there, wrongly",
      held(),
      [HERE],
      [{ ...at(HERE, hour, true), isUnreached: false }, at(THERE, hour, false)],
      hour,
      wait(hour),
    ],
    [
      "its target goes on answering there wrongly",
      held({ freeSinceMs: hour - 90_000 }),
      [HERE],
      [{ ...at(HERE, hour, true), isUnreached: false }, at(THERE, hour, false)],
      hour,
      release,
    ],
    [
      "its target answers wrongly at a further location that is cut off, too",
      held(),
      [HERE, THERE],
      [at(HERE, hour, true), { ...at(THERE, hour, true), isUnreached: false }],
      hour,
      release,
    ],
    [
      "its check is switched off",
      held({ freeSinceMs: START, isRunning: false }),
      [],
      [at(HERE, START, true), at(THERE, START, true)],
      hour,
      wait(START),
    ],
    ["its location is guarded no longer", held({ isGuarded: false }), [HERE], [], START, release],
    [
      "its mute has just ended, and the incident has not listed it yet",
      held({ isInIncident: false, queuedAtMs: hour - 1_000 }),
      [HERE],
      [at(HERE, hour, true), at(THERE, hour, false)],
      hour,
      wait(),
    ],
    [
      "its mute ended as its location was back already",
      held({ isInIncident: false, queuedAtMs: null, freeSinceMs: hour - 1_000 }),
      [],
      [at(HERE, hour, true), at(THERE, hour, false)],
      hour,
      wait(hour - 1_000),
    ],
    [
      "its mute ended as its location was back, and that is cut off again",
      held({ isInIncident: false, queuedAtMs: null, freeSinceMs: hour - 1_000 }),
      [HERE],
      [at(HERE, hour, true), at(THERE, hour, false)],
      hour,
      release,
    ],
    [
      "the outage is back",
      held({ freeSinceMs: START }),
      [HERE],
      [at(THERE, START, false)],
      START + 90_000,
      wait(),
    ],
    [
      "the incident is being opened",
      held({ isInIncident: false }),
      [],
      [at(THERE, START, false)],
      START + OPENING_MS - 1,
      wait(),
    ],
    [
      "it never was",
      held({ isInIncident: false }),
      [HERE],
      [at(HERE, START, true), at(THERE, START, false)],
      START + OPENING_MS,
      release,
    ],
    [
      "it is muted, and listed when the mute ends",
      held({ isInIncident: false, isMuted: true }),
      [HERE],
      [at(HERE, START, true), at(THERE, START, false)],
      START + OPENING_MS,
      wait(),
    ],
    [
      "it has recovered where it began, and fails at a further one that is cut off",
      held(),
      [THIRD],
      [at(HERE, hour, false), at(THERE, hour, false), at(THIRD, hour, true)],
      hour,
      wait(),
    ],
    [
      "one of two where it began has recovered, and it fails on there",
      held({ locationKeys: [HERE, THERE] }),
      [THERE],
      [at(HERE, hour, true), at(THERE, hour, true), at(THIRD, hour, false)],
      hour,
      wait(hour),
    ],
    [
      "one of two where it began has recovered, and it still fails on there after a while",
      held({ locationKeys: [HERE, THERE], freeSinceMs: hour - 90_000 }),
      [THERE],
      [at(HERE, hour, true), at(THERE, hour, true), at(THIRD, hour, false)],
      hour,
      release,
    ],
    [
      "one of two where it began has recovered, and it succeeds there",
      held({ locationKeys: [HERE, THERE], freeSinceMs: hour - 90_000 }),
      [THERE],
      [at(HERE, hour, false), at(THERE, hour, true), at(THIRD, hour, false)],
      hour,
      wait(),
    ],
    [
      "where it began has recovered, it fails on there, and also at a further one that is cut off",
      held({ freeSinceMs: hour - 90_000 }),
      [THIRD],
      [at(HERE, hour, true), at(THERE, hour, false), at(THIRD, hour, true)],
      hour,
      release,
    ],
  ])("%s", (_, alert, cutOffKeys, newest, nowMs, expected) => {
    expect(decideLocationHold(alert, { cutOffKeys, newest }, nowMs)).toEqual(expected);
  });
});

it("a check that goes on failing at any location that is not cut off is notified within a period and 30 s, whatever the others do", () => {
  const keys = [HERE, THERE, THIRD];
  const states = fc.record({
    cutOffKeys: fc.subarray(keys),
    failingKeys: fc.subarray(keys),
    seconds: fc.integer({ min: 1, max: 40 }),
  });
  fc.assert(
    fc.property(
      fc.subarray(keys, { minLength: 1 }),
      fc.constantFrom(10, 60),
      fc.array(states, { maxLength: 40 }),
      (locationKeys, frequencySeconds, history) => {
        const alert = held({ locationKeys, frequencySeconds });
        let nowMs = START;
        const failsSince = new Map<number, number>();
        for (const { cutOffKeys, failingKeys, seconds } of history)
          for (let i = 0; i < seconds; i++) {
            nowMs += 1000;
            const newest = keys.map((key) => at(key, nowMs, failingKeys.includes(key)));
            const decision = decideLocationHold(alert, { cutOffKeys, newest }, nowMs);
            if (decision.kind === "release") return;
            alert.freeSinceMs = decision.freeSinceMs;
            for (const key of keys)
              if (!failingKeys.includes(key) || cutOffKeys.includes(key)) failsSince.delete(key);
              else if (!failsSince.has(key)) failsSince.set(key, nowMs);
            for (const since of failsSince.values())
              expect(nowMs - since).toBeLessThan((frequencySeconds + 30) * 1000);
          }
      },
    ),
    { numRuns: 300 },
  );
});
