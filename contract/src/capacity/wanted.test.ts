import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { DAY_MS, MINUTE_MS } from "../base/time.ts";
import { checkTypes } from "../checks/registry.ts";
import { demandOf, NO_DEMAND } from "./demand.ts";
import { capacityOf, shareOf } from "./share.ts";
import { nextScaling, runnersOfDemand, SCALING, type Scaling, type ScalingFacts } from "./wanted.ts";

const NOW_MS = 1_800_000_000_000;
const aRunner = { types: checkTypes.types, capacityPerSecond: 1_000, freshRuns: 100, browserPages: 4 };
const facts = (more: Partial<ScalingFacts> = {}): ScalingFacts => ({
  isWanted: true,
  work: 0.1,
  live: 1,
  overloaded: 0,
  ...more,
});
/** Runs the steps a minute apart. @returns the number of wanted runners after each */
function follow(all: ScalingFacts[], from?: Scaling): { wanted: number[]; last: Scaling } {
  let scaling = from;
  const wanted = all.map((one, minute) => {
    scaling = nextScaling(scaling, one, NOW_MS + minute * MINUTE_MS);
    return scaling.wanted;
  });
  return { wanted, last: scaling as Scaling };
}
const times = (count: number, one: ScalingFacts) => Array.from({ length: count }, () => one);
const demands = fc.array(
  fc.record({
    type: fc.constantFrom(...checkTypes.types),
    kind: fc.constantFrom("url", "scripted"),
    frequencySeconds: fc.integer({ min: 10, max: 86_400 }),
    runSeconds: fc.double({ min: 0, max: 140, noNaN: true }),
    times: fc.integer({ min: 1, max: 3_000 }),
  }),
  { minLength: 1, maxLength: 20 },
);
const stepsOf = fc.array(
  fc.record({
    isWanted: fc.boolean(),
    work: fc.double({ min: 0, max: 20, noNaN: true }),
    live: fc.integer({ min: 0, max: 20 }),
    overloaded: fc.integer({ min: 0, max: 20 }),
  }),
  { maxLength: 40 },
);

describe("the work in whole runners", () => {
  it("is what capacity pages call a share: so many runners are at or below 80 %, and one fewer is above", () => {
    fc.assert(
      fc.property(demands, fc.integer({ min: 1, max: 9 }), (checks, count) => {
        const demand = demandOf(checks);
        const work = runnersOfDemand(demand, capacityOf([{ ...aRunner, count }]));
        const { wanted } = nextScaling(undefined, facts({ work, live: count }), NOW_MS);
        const shareOn = (runners: number) =>
          shareOf(demand, capacityOf([{ ...aRunner, count: runners }])).shareBasisPoints as number;
        expect(shareOn(wanted)).toBeLessThanOrEqual(8_000);
        if (wanted > 1) expect(shareOn(wanted - 1)).toBeGreaterThanOrEqual(8_000);
      }),
    );
  });

  it("never falls when checks are added", () => {
    const capacity = capacityOf([{ ...aRunner, count: 2 }]);
    fc.assert(
      fc.property(demands, demands, (some, more) => {
        expect(runnersOfDemand(demandOf([...some, ...more]), capacity)).toBeGreaterThanOrEqual(
          runnersOfDemand(demandOf(some), capacity),
        );
      }),
    );
  });

  it("without runners counts typical ones", () => {
    const demand = demandOf([{ type: "http", frequencySeconds: 10, runSeconds: 0.2, times: 10_000 }]);
    expect(runnersOfDemand(demand, capacityOf([]))).toBe(2);
    expect(runnersOfDemand(NO_DEMAND, capacityOf([]))).toBe(0);
  });

  it("leaves out what runners of this kind can't do, however many there are", () => {
    const demand = demandOf([
      { type: "http", frequencySeconds: 10, runSeconds: 0.2, times: 10_000 },
      { type: "browser", kind: "scripted", frequencySeconds: 60, runSeconds: 60, times: 100 },
    ]);
    expect(runnersOfDemand(demand, capacityOf([{ ...aRunner, count: 1, browserPages: 0 }]))).toBe(2.05);
  });
});

describe("the number of wanted runners", () => {
  it.each<[string, Partial<ScalingFacts>, number]>([
    ["nothing is to run", { isWanted: false, work: 0 }, 0],
    ["a check takes next to nothing", { work: 0 }, 1],
    ["exactly 80 % of one", { work: 0.8 }, 1],
    ["a little more than 80 % of one", { work: 0.81 }, 2],
    ["exactly 80 % of three", { work: 2.4, live: 3 }, 3],
    ["none is there yet", { work: 1, live: 0 }, 2],
    ["the only one is overloaded", { overloaded: 1 }, 2],
    ["all four are", { live: 4, overloaded: 4 }, 8],
    ["one in four is", { live: 4, overloaded: 1 }, 5],
    ["one in five is: a slow machine", { live: 5, overloaded: 1 }, 1],
  ])("%s", (_, more, wanted) => {
    expect(nextScaling(undefined, facts(more), NOW_MS).wanted).toBe(wanted);
  });

  it("rises at once, and falls only once fewer sufficed for 10 minutes", () => {
    const { wanted } = follow([
      facts({ work: 0.5 }),
      facts({ work: 3 }),
      ...times(10, facts({ work: 0.5 })),
      ...times(2, facts({ work: 0.5 })),
    ]);
    expect(wanted).toEqual([1, 4, ...times(10, facts()).map(() => 4), 1, 1]);
  });

  it("falls to the most that was needed meanwhile, so a short dip changes nothing", () => {
    const dip = follow([facts({ work: 3 }), ...times(9, facts({ work: 0.1 })), facts({ work: 2 })]);
    expect(dip.wanted.at(-1)).toBe(4);
    const after = follow(times(12, facts({ work: 0.1 })), dip.last);
    expect(after.wanted.some((wanted) => wanted === 3)).toBe(true);
  });

  it("stays as it is between 70 % and 80 %", () => {
    const { wanted } = follow([
      facts({ work: 1.61, live: 2 }),
      ...Array.from({ length: 60 }, (_, minute) => facts({ work: minute % 2 ? 1.45 : 2.3, live: 3 })),
    ]);
    expect(new Set(wanted)).toEqual(new Set([3]));
  });

  it("never falls when the load rises, and is at least 1 while a check wants the location", () => {
    fc.assert(
      fc.property(
        stepsOf,
        fc.record({ work: fc.nat(20), more: fc.nat(20), live: fc.nat(9), overloaded: fc.nat(9) }),
        (steps, next) => {
          const last = steps.length === 0 ? undefined : follow(steps).last;
          const nowMs = NOW_MS + steps.length * MINUTE_MS;
          const { work, more, live, overloaded } = next;
          const small = nextScaling(last, { isWanted: true, work, live, overloaded }, nowMs);
          const large = nextScaling(last, { isWanted: true, work: work + more, live, overloaded }, nowMs);
          expect(large.wanted).toBeGreaterThanOrEqual(small.wanted);
          expect(small.wanted).toBeGreaterThanOrEqual(1);
        },
      ),
    );
  });

  it("comes to rest under any steady load, whatever was before: it changes once more at most", () => {
    fc.assert(
      fc.property(stepsOf, fc.double({ min: 0, max: 20, noNaN: true }), (steps, work) => {
        const last = steps.length === 0 ? undefined : follow(steps).last;
        const steady = follow(times(200, facts({ work, live: 5 })), last);
        const rest = steady.wanted.slice(30);
        expect(new Set(rest).size).toBe(1);
      }),
    );
  });

  it("does not flap where runners can do less than they say: an autoscaler that obeys comes to rest for a week", () => {
    fc.assert(
      fc.property(
        fc.double({ min: 0.05, max: 12, noNaN: true }),
        fc.double({ min: 0.05, max: 2, noNaN: true }),
        (work, bearable) => {
          let scaling: Scaling | undefined;
          let live = 1;
          const wanted: number[] = [];
          for (let minute = 0; minute < 6 * 24 * 60; minute += 2) {
            const overloaded = work / live > bearable ? live : 0;
            scaling = nextScaling(
              scaling,
              { isWanted: true, work, live, overloaded },
              NOW_MS + minute * MINUTE_MS,
            );
            live = scaling.wanted;
            wanted.push(live);
          }
          const changes = wanted.filter((one, at) => at > 0 && one !== wanted[at - 1]);
          expect([...changes].sort((a, b) => a - b)).toEqual(changes);
          expect(work / live).toBeLessThanOrEqual(bearable);
        },
      ),
      { numRuns: 30 },
    );
  });

  it("forgets an overload after a week, and heeds it less when the load has fallen", () => {
    const { last } = follow([facts({ work: 1, live: 4, overloaded: 4 })]);
    const at = (work: number, afterMs: number) => {
      const begun = nextScaling(last, facts({ work, live: 8 }), NOW_MS + afterMs);
      return nextScaling(begun, facts({ work, live: 8 }), NOW_MS + afterMs + SCALING.holdMs).wanted;
    };
    expect([at(1, MINUTE_MS), at(0.95, MINUTE_MS), at(0.45, MINUTE_MS), at(1, 7 * DAY_MS)]).toEqual([
      8, 8, 4, 2,
    ]);
  });
});
