/** Generated histories of outages, from results to the decisions on the alerts that are held because of them. */
import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { decideLocationHold, type LocationHeldAlert, UNSEEN_MS } from "./decide-location-hold.ts";
import { isCutOff, reachOf, recentMs, type SeenCheck } from "./reach.ts";

const HERE = 1;
const THERE = 2;

const held = (overrides: Partial<LocationHeldAlert> & { startedAtMs: number }): LocationHeldAlert => ({
  frequencySeconds: 60,
  freeSinceMs: null,
  isRunning: true,
  isAboutFailure: true,
  longestRunMs: 30_000,
  isGuarded: true,
  locationKeys: [HERE],
  isInIncident: true,
  queuedAtMs: overrides.startedAtMs,
  isMuted: false,
  ...overrides,
});
const at = (locationKey: number, slotMs: number, isFailing: boolean) => ({
  locationKey,
  slotMs,
  isFailing,
  isUnreached: isFailing,
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
    const isRecent = ([slot]: [number, boolean]) =>
      (second - slot) * 1000 <= recentMs({ frequencySeconds, longestRunMs: 30_000 });
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
  return isCutOff(reachOf(checks));
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
