import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { checkTypes } from "../checks/registry.ts";
import { figuresOf, previewCapacitySchema } from "./capacity.ts";
import { allRuns, changedDemand, demandOf, NO_DEMAND, type RunsOfCheck, runCostOf } from "./demand.ts";
import { capacityOf, limitShares, type RunnerAbility, roundedShares, shareOf } from "./share.ts";
import { capacityLine, capacityWarning, shareText } from "./words.ts";

const aRunner = (more: Partial<RunnerAbility> = {}): RunnerAbility => ({
  count: 1,
  types: checkTypes.types,
  capacityPerSecond: 1_000,
  freshRuns: 100,
  browserPages: 8,
  ...more,
});
const http = (frequencySeconds: number, runSeconds = 0.2): RunsOfCheck => ({
  type: "http",
  frequencySeconds,
  runSeconds,
});
const browser = (kind: string, frequencySeconds: number, runSeconds: number): RunsOfCheck => ({
  type: "browser",
  kind,
  frequencySeconds,
  runSeconds,
});
const checks = fc.array(
  fc.record({
    type: fc.constantFrom(...checkTypes.types),
    kind: fc.constantFrom("url", "scripted", undefined),
    frequencySeconds: fc.oneof(
      fc.integer({ min: 10, max: 86_400 }),
      fc.constantFrom(10, 11, 13, 3_607, 86_399),
    ),
    runSeconds: fc.double({ min: 0, max: 140, noNaN: true }),
  }),
  { maxLength: 60 },
);

describe("demand", () => {
  it("does not depend on the order of the checks, nor on how they are grouped", () => {
    fc.assert(
      fc.property(checks, fc.nat(), (all, at) => {
        const cut = at % (all.length + 1);
        const whole = demandOf(all);
        expect(demandOf([...all].reverse())).toEqual(whole);
        const parts = [demandOf(all.slice(cut)), demandOf(all.slice(0, cut))] as const;
        expect(changedDemand(parts[0], { added: parts[1] })).toEqual(whole);
        const twice = demandOf(all.map((one) => ({ ...one, times: 2 })));
        expect(twice).toEqual(demandOf([...all, ...all]));
      }),
    );
  });

  it("before and a change are exactly what is counted after it", () => {
    fc.assert(
      fc.property(checks, checks, checks, (stay, go, come) => {
        const before = demandOf([...stay, ...go]);
        const after = changedDemand(before, { added: demandOf(come), removed: demandOf(go) });
        expect(after).toEqual(demandOf([...stay, ...come]));
        expect(changedDemand(after, { removed: after })).toEqual(NO_DEMAND);
      }),
    );
  });

  it("of 100,000 scripts that run two minutes of every one is still exact", () => {
    const one = browser("scripted", 60, 120);
    const { memoryUs } = demandOf([{ ...one, times: 100_000 }]);
    expect(Number.isSafeInteger(memoryUs + demandOf([one]).memoryUs)).toBe(true);
  });

  it.each<[string, RunsOfCheck, object]>([
    [
      "a fast run holds its place as long as it takes",
      http(60, 0.2),
      { freshUs: 60 * 200_000, browserUs: 0 },
    ],
    ["a slow run holds a place for fresh runs for half a second", http(60, 5), { freshUs: 60 * 500_000 }],
    ["one of more than 10 s counts among the open runs", http(60, 30), { freshUs: 60 * 1_500_000 }],
    [
      "7 s is no frequency of the service, and still no rounding error",
      http(7, 0),
      { runs: { http: 514_285_714 } },
    ],
    ["a page holds one browser page", browser("url", 60, 5), { browserUs: 3e8, pageUs: 3e8, memoryUs: 3e8 }],
    ["a script holds four", browser("scripted", 60, 5), { browserUs: 3e8, pageUs: 0, memoryUs: 12e8 }],
    ["a kind that is not known counts as the first one", browser("x", 60, 5), { memoryUs: 3e8 }],
  ])("%s", (_, check, demand) => {
    expect(demandOf([check])).toMatchObject(demand);
  });

  it("every check type has a cost", () => {
    for (const type of checkTypes.types) expect(runCostOf(type).seconds).toBeGreaterThan(0);
  });
});

describe("share", () => {
  it.each<[string, RunsOfCheck & { times?: number }, Partial<RunnerAbility>, number | null]>([
    ["nothing", { ...http(60), times: 0 }, {}, 0],
    ["the smallest demand is at least one basis point", http(86_400, 0), {}, 1],
    ["places: 100 of 200 ms a second take a fifth of 100 places", { ...http(10), times: 1_000 }, {}, 2_000],
    [
      "runs a second: very fast runs end at the runner's weight",
      { ...http(10, 0.001), times: 5_000 },
      {},
      5_000,
    ],
    [
      "memory: a script of 30 s a minute takes half of four places",
      browser("scripted", 60, 30),
      { browserPages: 4 },
      5_000,
    ],
    [
      "pages: the shared browser has 8, whatever the memory",
      { ...browser("url", 60, 60), times: 4 },
      { browserPages: 80 },
      5_000,
    ],
    ["twice the runners, half the share", { ...http(10), times: 1_000 }, { count: 2 }, 1_000],
    ["more than they can do", { ...http(10), times: 10_000 }, {}, 20_000],
    ["a type that no runner can run", http(60), { types: ["mcp"] }, null],
    ["browser runs without a browser", browser("url", 60, 5), { browserPages: 0 }, null],
  ])("%s", (_, check, runner, basisPoints) => {
    const demand = check.times === 0 ? NO_DEMAND : demandOf([check]);
    expect(shareOf(demand, capacityOf([aRunner(runner)])).shareBasisPoints).toBe(basisPoints);
  });

  it("without runners there is no share, but a reason", () => {
    expect(shareOf(demandOf([http(60)]), capacityOf([]))).toEqual({
      shareBasisPoints: null,
      reason: "no_runner",
    });
  });

  it("never falls when checks are added, and never rises when runners are", () => {
    const runners = fc.array(
      fc.record({
        count: fc.integer({ min: 1, max: 5 }),
        types: fc.constant(checkTypes.types),
        capacityPerSecond: fc.integer({ min: 1, max: 1e6 }),
        freshRuns: fc.integer({ min: 1, max: 10_000 }),
        browserPages: fc.integer({ min: 1, max: 100 }),
      }),
      { minLength: 1, maxLength: 5 },
    );
    fc.assert(
      fc.property(checks, checks, runners, runners, (some, further, here, more) => {
        const share = (demand: RunsOfCheck[], able: RunnerAbility[]) =>
          shareOf(demandOf(demand), capacityOf(able)).shareBasisPoints as number;
        expect(share([...some, ...further], here)).toBeGreaterThanOrEqual(share(some, here));
        expect(share(some, [...here, ...more])).toBeLessThanOrEqual(share(some, here));
      }),
    );
  });

  it("what others take is added in tenths", () => {
    const capacity = capacityOf([aRunner()]);
    const others = roundedShares(limitShares(demandOf([{ ...http(10), times: 1_600 }]), capacity));
    expect(others).toMatchObject({ freshUs: 0.3, runs: 0.2 });
    expect(shareOf(demandOf([{ ...http(10), times: 500 }]), capacity, others).shareBasisPoints).toBe(4_000);
  });
});

describe("words", () => {
  const figures = (
    demand: (RunsOfCheck & { times?: number })[],
    runners: RunnerAbility[],
    isHosted = false,
  ) => {
    const all = demandOf(demand);
    const capacity = capacityOf(runners);
    return figuresOf(all, shareOf(all, capacity), isHosted ? null : capacity.runners);
  };
  const two = [aRunner({ count: 2 })];

  it("say before and after, and once what stays", () => {
    const before = figures(
      [
        { ...http(60), times: 20 },
        { ...http(10), times: 1_000 },
      ],
      two,
    );
    const after = figures(
      [
        { ...http(10), times: 1_000 },
        { ...browser("url", 3_600, 31), times: 10 },
      ],
      two,
    );
    expect(capacityLine({ locationId: "loc_1", name: "Frankfurt", before, after })).toBe(
      "Frankfurt: 361,200 -> 360,010 runs an hour, 0 -> 310 browser seconds an hour, 11 % -> 10 % of 2 runners",
    );
    expect(capacityLine({ locationId: "loc_1", name: "Frankfurt", before, after: before })).toBe(
      "Frankfurt: 361,200 runs an hour, 11 % of 2 runners",
    );
  });

  it.each<[string, string, RunnerAbility[], boolean]>([
    ["under 1 runs an hour, 1 % of 1 runner", "one a day", [aRunner()], false],
    ["under 1 runs an hour, 1 % of its runners", "hosted", [aRunner()], true],
    ["under 1 runs an hour, no runner is connected", "no runner", [], false],
    [
      "under 1 runs an hour, no connected runner can run all of its checks",
      "no type",
      [aRunner({ types: [] })],
      false,
    ],
  ])("%s (%s)", (words, _, runners, isHosted) => {
    const some = figures([http(86_400)], runners, isHosted);
    expect(capacityLine({ locationId: "l", name: "x", before: some, after: some })).toBe(`x: ${words}`);
    expect(words.endsWith(shareText(some))).toBe(true);
  });

  it.each<[number | null, number | null, string | undefined]>([
    [8_000, 2, undefined],
    [null, 0, undefined],
    [
      8_001,
      2,
      "office: 81 % of what 2 runners can do would be taken; above 80 % runs may begin late or be missed. Add a runner, or run checks there less often.",
    ],
    [
      123_456,
      null,
      "office: 1,235 % of what its runners can do would be taken; above 80 % runs may begin late or be missed. Choose another location for some checks, or run them less often.",
    ],
  ])("warn above 80 %%: %s basis points of %s runners", (shareBasisPoints, runners, sentence) => {
    const some = { runners, runsPerHour: 1, browserSecondsPerHour: 0, shareBasisPoints, reason: null };
    expect(capacityWarning("office", some, { isPlanned: true })).toBe(sentence);
    expect(capacityWarning("office", some)).toBe(sentence?.replace("would be", "is"));
  });

  it("amounts that answers round away were counted before", () => {
    expect(allRuns(demandOf(Array.from({ length: 24 }, () => http(86_400))))).toBe(24 * 41_667);
  });
});

const after = { type: "http", frequencySeconds: 60, locations: ["loc_1"] };
it.each<[string, object[], string[]]>([
  ["a deletion without its check", [{ after: null }], ["changes", "0", "checkId"]],
  ["a count of a check that exists", [{ checkId: "chk_1", after, count: 2 }], ["changes", "0", "count"]],
  [
    "a frequency of 7 s",
    [{ after: { ...after, frequencySeconds: 7 } }],
    ["changes", "0", "after", "frequencySeconds"],
  ],
  ["more than 2,000 changes", Array.from({ length: 2_001 }, () => ({ after })), ["changes"]],
  [
    "more than 20,000 locations",
    Array.from({ length: 201 }, () => ({
      after: { ...after, locations: Array.from({ length: 100 }, (_, at) => `loc_${at}`) },
    })),
    ["changes"],
  ],
])("a preview refuses %s", (_, changes, path) => {
  const { error } = previewCapacitySchema.safeParse({ changes });
  expect(error?.issues.map((issue) => issue.path.map(String))).toEqual([path]);
});
