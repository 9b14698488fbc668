import type { AlertInstanceId, CheckId } from "@svc/contract";
import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { type Dependency, decideHold, type HeldAlert, LOOK_AROUND_MS, SUSPICION_MS } from "./decide-hold.ts";

const id = (name: string) => name as AlertInstanceId;
const held = (overrides: Partial<HeldAlert> = {}): HeldAlert => ({
  startedAtMs: 1_000_000,
  frequencySeconds: 60,
  causeId: null,
  freeSinceMs: null,
  isRunning: true,
  isAboutFailure: true,
  ...overrides,
});
/** The newest result of the alert's own check: a failure, or a success. */
const own = (slotMs: number, isFailing = true) => [{ locationKey: 1, slotMs, isFailing }];
const dependency = (overrides: Partial<Dependency> = {}): Dependency => ({
  checkId: "chk_a" as CheckId,
  alert: null,
  newest: [],
  ...overrides,
});
const alert = (name: string, startedAtMs = 0, isHeld = false) => ({
  instanceId: id(name),
  startedAtMs,
  isHeld,
});
const at = (slotMs: number, isFailing: boolean) => ({ slotMs, isFailing });

describe("the decision", () => {
  const start = held().startedAtMs;
  const wait = (freeSinceMs: number | null = null) => ({ kind: "wait", freeSinceMs });
  const release = { kind: "release" };
  it.each<[string, HeldAlert, Dependency[], number, object]>([
    ["no dependency runs", held(), [], 0, release],
    ["none has run since", held(), [dependency()], LOOK_AROUND_MS - 1, wait()],
    ["none has run for a minute", held(), [dependency()], LOOK_AROUND_MS, release],
    ["the last success is older", held(), [dependency({ newest: [at(start - 1, false)] })], 1_000, wait()],
    ["it has succeeded since", held(), [dependency({ newest: [at(start, false)] })], 1_000, release],
    [
      "one of two has not run since",
      held(),
      [dependency({ newest: [at(start, false)] }), dependency()],
      1_000,
      wait(),
    ],
    [
      "it fails at one of two locations, without an alert",
      held(),
      [dependency({ newest: [at(start, false), at(start - 5_000, true)] })],
      SUSPICION_MS - 1,
      wait(),
    ],
    [
      "it has failed for three minutes without an alert",
      held(),
      [dependency({ newest: [at(start + 170_000, true)] })],
      SUSPICION_MS,
      release,
    ],
    [
      "it has an alert, however old this one is",
      held(),
      [dependency({ alert: alert("a") })],
      9e9,
      { kind: "hold", causeId: "a" },
    ],
    [
      "two have alerts: the older that people know of",
      held({ causeId: id("c") }),
      [alert("a", 1, true), alert("b", 3), alert("c", 2)].map((one) => dependency({ alert: one })),
      0,
      { kind: "hold", causeId: "c" },
    ],
    [
      "the only alert is held itself",
      held(),
      [dependency({ alert: alert("a", 1, true) })],
      0,
      { kind: "hold", causeId: "a" },
    ],
    ["the alert has just ended", held({ causeId: id("a") }), [dependency()], 500, wait(start + 500)],
    [
      "a period has not passed since",
      held({ causeId: id("a"), freeSinceMs: start }),
      [],
      89_999,
      wait(start),
    ],
    [
      "a period and 30 s have passed since",
      held({ causeId: id("a"), freeSinceMs: start }),
      [],
      90_000,
      release,
    ],
    [
      "a long period is waited for five minutes at most",
      held({ causeId: id("a"), freeSinceMs: start, frequencySeconds: 86_400 }),
      [],
      330_000,
      release,
    ],
    [
      "its own check does not run",
      held({ causeId: id("a"), freeSinceMs: start, isRunning: false }),
      [],
      9e9,
      wait(start),
    ],
    [
      "the alert under which it stood was deleted meanwhile",
      held({ freeSinceMs: start }),
      [],
      90_000,
      release,
    ],
  ])("%s", (_, one, dependencies, afterMs, expected) => {
    const newest = own(start + afterMs);
    expect(decideHold(one, { dependencies, newest }, start + afterMs)).toEqual(expected);
  });
});

it("whatever the others do, an alert is released within the documented time after the last of their alerts", () => {
  const step = fc.record({
    alert: fc.constantFrom(null, "a", "b"),
    isFailing: fc.boolean(),
    seconds: fc.integer({ min: 1, max: 200 }),
  });
  fc.assert(
    fc.property(
      fc.array(step, { maxLength: 30 }),
      fc.integer({ min: 10, max: 86_400 }),
      (steps, frequencySeconds) => {
        const one = held({ frequencySeconds });
        let nowMs = one.startedAtMs;
        let lastAlertMs: number | undefined;
        for (const { alert: name, isFailing, seconds } of [
          ...steps,
          ...Array.from({ length: 400 }, () => ({ alert: null, isFailing: true, seconds: 1 })),
        ]) {
          nowMs += seconds * 1000;
          const decision = decideHold(
            one,
            {
              dependencies: [
                dependency({ alert: name === null ? null : alert(name), newest: [at(nowMs, isFailing)] }),
              ],
              newest: own(nowMs),
            },
            nowMs,
          );
          if (name !== null) lastAlertMs = nowMs;
          // Never while one that it depends on has an alert, and then at once it stands under that one.
          expect(decision.kind === "hold").toBe(name !== null);
          if (decision.kind === "release") return;
          if (decision.kind === "hold") Object.assign(one, { causeId: decision.causeId, freeSinceMs: null });
          else one.freeSinceMs = decision.freeSinceMs;
          const sinceMs = nowMs - (lastAlertMs ?? one.startedAtMs);
          const longestMs =
            lastAlertMs === undefined
              ? SUSPICION_MS
              : Math.min(frequencySeconds, 300) * 1000 + 30_000 + 201_000;
          expect(sinceMs).toBeLessThan(longestMs);
        }
        expect.unreachable("it was never released");
      },
    ),
    { numRuns: 500 },
  );
});
