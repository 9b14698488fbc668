/** The decision on alerts that are held because of a location: by itself, and in generated histories of outages. */
import fc from "fast-check";
import { describe, expect, it } from "vitest";
import {
  decideLocationHold,
  type LocationHeldAlert,
  type LocationSight,
  OPENING_MS,
  UNSEEN_MS,
} from "./decide-location-hold.ts";
import { isCutOff, recentMs, type SeenCheck } from "./reach.ts";

const START = 10_000_000;
const HERE = 1;
const THERE = 2;
const THIRD = 3;

const held = (overrides: Partial<LocationHeldAlert> = {}): LocationHeldAlert => ({
  startedAtMs: START,
  frequencySeconds: 60,
  freeSinceMs: null,
  locationKeys: [HERE],
  isInIncident: true,
  isMuted: false,
  ...overrides,
});
const at = (locationKey: number, slotMs: number, isFailing: boolean) => ({ locationKey, slotMs, isFailing });

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
      [at(THERE, hour - recentMs(60) - 1, false)],
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
      "the check had time to succeed",
      held({ freeSinceMs: START }),
      [],
      [at(THERE, START, false)],
      START + 90_000,
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

/** A check of a history, with the span in which its target is down everywhere, in seconds. */
interface Target {
  frequencySeconds: number;
  isThere: boolean;
  phase: number;
  downFrom: number;
  downFor: number;
  /** True: it refuses connections from the location from `downFrom` on, for good, and answers elsewhere. */
  isRefusing: boolean;
}

/** An alert of a check in a history. `notifiedAt`, `endedAt`: seconds; null: not. */
interface Fate {
  target: Target;
  beganAt: number;
  wasHeld: boolean;
  notifiedAt: number | null;
  endedAt: number | null;
  /** First failure elsewhere after the begin. */
  failedElsewhereAt: number | null;
}

const SECONDS = 2_700;
/** From then on all is well, but for targets that refuse the location. */
const QUIET_FROM = 1_800;

interface History {
  targets: readonly Target[];
  outages: readonly { from: number; length: number }[];
}

/** Plays a history second by second: results, rules of two failures in a row, holds that are reviewed each second. */
function play({ targets, outages }: History): Fate[] {
  const isCut = (second: number) =>
    second < QUIET_FROM && outages.some(({ from, length }) => second >= from && second < from + length);
  const isDown = ({ downFrom, downFor }: Target, second: number) =>
    second < QUIET_FROM && second >= downFrom && second < downFrom + downFor;
  const fails = (target: Target, second: number) =>
    isDown(target, second) || isCut(second) || (target.isRefusing && second >= target.downFrom);
  const runs = targets.map(() => ({ here: [] as [number, boolean][], there: [] as [number, boolean][] }));
  const open = new Map<number, { fate: Fate; alert: LocationHeldAlert }>();
  const fates: Fate[] = [];
  for (let second = 0; second < SECONDS; second++) {
    const nowMs = second * 1000;
    for (const [i, target] of targets.entries()) {
      const { frequencySeconds, phase, isThere } = target;
      const run = runs[i] as (typeof runs)[number];
      const offset = (second + phase) % frequencySeconds;
      if (isThere && offset === Math.floor(frequencySeconds / 2))
        run.there.unshift([second, isDown(target, second)]);
      if (offset === 0) run.here.unshift([second, fails(target, second)]);
      const current = open.get(i);
      const failsThere = run.there[0]?.[1] === true;
      if (current && failsThere && run.there[0]?.[0] === second) current.fate.failedElsewhereAt ??= second;
      if (offset !== 0) continue;
      const [newest, before] = run.here;
      if (current && !newest?.[1] && !failsThere) {
        current.fate.endedAt = second;
        open.delete(i);
      }
      if (current || !newest?.[1] || !before?.[1]) continue;
      const isHeld = !failsThere && isCutOffNow(targets, runs, second);
      const fate = {
        target,
        beganAt: second,
        wasHeld: isHeld,
        notifiedAt: isHeld ? null : second,
        endedAt: null,
        failedElsewhereAt: null,
      };
      fates.push(fate);
      open.set(i, { fate, alert: held({ startedAtMs: nowMs, frequencySeconds, freeSinceMs: null }) });
    }
    const cutOffKeys = isCutOffNow(targets, runs, second) ? [HERE] : [];
    for (const [i, { fate, alert }] of open) {
      if (fate.notifiedAt !== null) continue;
      const { here, there } = runs[i] as (typeof runs)[number];
      const newest = [
        ...here.slice(0, 1).map(([slot, isFailing]) => at(HERE, slot * 1000, isFailing)),
        ...there.slice(0, 1).map(([slot, isFailing]) => at(THERE, slot * 1000, isFailing)),
      ];
      const decision = decideLocationHold(alert, { cutOffKeys, newest }, nowMs);
      if (decision.kind === "release") fate.notifiedAt = second;
      else alert.freeSinceMs = decision.freeSinceMs;
    }
  }
  return fates;
}

function isCutOffNow(
  targets: readonly Target[],
  runs: readonly { here: [number, boolean][]; there: [number, boolean][] }[],
  second: number,
): boolean {
  const checks = targets.flatMap(({ frequencySeconds }, i): SeenCheck[] => {
    const { here, there } = runs[i] as (typeof runs)[number];
    const isRecent = ([slot]: [number, boolean]) => (second - slot) * 1000 <= recentMs(frequencySeconds);
    const seenHere = here.slice(0, 3).filter(isRecent);
    const [newest] = seenHere;
    if (!newest) return [];
    const firstSuccess = seenHere.findIndex(([, isFailing]) => !isFailing);
    const failures = firstSuccess < 0 ? seenHere : seenHere.slice(0, firstSuccess);
    const firstFailureMs = (failures.at(-1) ?? newest)[0] * 1000;
    return [
      {
        network: `site${i}.com`,
        here: { isFailing: newest[1], isUnreached: newest[1], firstFailureMs },
        elsewhere: there
          .slice(0, 1)
          .filter(isRecent)
          .map(([slot, isFailing]) => ({ slotMs: slot * 1000, isFailing })),
      },
    ];
  });
  return isCutOff(checks);
}

describe("in any history", () => {
  const target: fc.Arbitrary<Target> = fc.record({
    frequencySeconds: fc.constantFrom(7, 10, 30, 60, 300),
    isThere: fc.boolean(),
    phase: fc.nat(299),
    downFrom: fc.nat(QUIET_FROM),
    downFor: fc.oneof({ weight: 2, arbitrary: fc.constant(0) }, { weight: 1, arbitrary: fc.nat(1_500) }),
    isRefusing: fc.constant(false),
  });
  const history: fc.Arbitrary<History> = fc.record({
    targets: fc
      .tuple(fc.array(target, { minLength: 3, maxLength: 9 }), fc.array(fc.boolean(), { maxLength: 2 }))
      // Two that refuse the location don't make it cut off.
      .map(([targets, refusing]) => targets.map((one, i) => ({ ...one, isRefusing: refusing[i] === true }))),
    outages: fc.array(fc.record({ from: fc.nat(QUIET_FROM), length: fc.nat(1_500) }), { maxLength: 3 }),
  });
  /** Checks of several domains at both locations, of which none is ever down. */
  const outage: fc.Arbitrary<History> = fc.record({
    targets: fc.array(
      fc.record({
        frequencySeconds: fc.constantFrom(30, 60),
        isThere: fc.constant(true),
        phase: fc.nat(299),
        downFrom: fc.constant(0),
        downFor: fc.constant(0),
        isRefusing: fc.constant(false),
      }),
      { minLength: 5, maxLength: 9 },
    ),
    outages: fc.constant([{ from: 300, length: 1_200 }]),
  });

  it("a check that fails elsewhere, too, is notified within a second of that", () => {
    fc.assert(
      fc.property(history, (given) => {
        for (const { failedElsewhereAt, notifiedAt } of play(given))
          if (failedElsewhereAt !== null)
            expect(notifiedAt ?? Number.POSITIVE_INFINITY).toBeLessThanOrEqual(failedElsewhereAt + 1);
      }),
    );
  });

  it("every alert is notified, or its check has succeeded", () => {
    fc.assert(
      fc.property(history, (given) => {
        for (const { notifiedAt, endedAt } of play(given))
          expect(notifiedAt !== null || endedAt !== null).toBe(true);
      }),
    );
  });

  it("an alert of a check that nobody else runs is notified after ten minutes at most", () => {
    fc.assert(
      fc.property(history, (given) => {
        for (const { target, beganAt, notifiedAt, endedAt } of play(given)) {
          if (target.isThere) continue;
          const until = Math.min(notifiedAt ?? SECONDS, endedAt ?? SECONDS);
          expect(until - beganAt).toBeLessThanOrEqual(UNSEEN_MS / 1000);
        }
      }),
    );
  });

  it("an outage of a location whose targets are well is notified of no more than the first few", () => {
    fc.assert(
      fc.property(outage, (given) => {
        const fates = play(given);
        expect(fates.length).toBeGreaterThanOrEqual(given.targets.length);
        const notified = fates.filter(({ notifiedAt }) => notifiedAt !== null);
        expect(notified.length).toBeLessThan(given.targets.length / 2 + 1);
        expect(fates.filter(({ wasHeld }) => wasHeld).every(({ notifiedAt }) => notifiedAt === null)).toBe(
          true,
        );
      }),
    );
  });
});
