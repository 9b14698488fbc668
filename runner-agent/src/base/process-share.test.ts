import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { type MachineLimits, type ProcessLimits, processDataDir, shareOfProcess } from "./process-share.ts";

const MIB = 1024 * 1024;
const LIMITS: MachineLimits = {
  spoolBytes: { total: 1024 * MIB, min: MIB },
  artifactBytes: { total: 512 * MIB, min: MIB },
  bodyBytes: { total: undefined, min: 128 * MIB },
  browserBytes: 4096 * MIB,
};
const shares = (count: number, limits: MachineLimits = LIMITS) =>
  Array.from(
    { length: count },
    (_, index) => shareOfProcess({ number: index + 1, count }, limits) as ProcessLimits,
  );
const sum = (all: ProcessLimits[], limit: keyof ProcessLimits) =>
  all.reduce((total, share) => total + share[limit], 0);

describe("the share of a process", () => {
  it("of the only one is everything", () => {
    expect(shareOfProcess(undefined, LIMITS)).toEqual({
      spoolBytes: 1024 * MIB,
      artifactBytes: 512 * MIB,
      bodyBytes: 256 * MIB,
      browserBytes: 4096 * MIB,
    });
  });

  it("is never, with those of the others, more than the machine's", () => {
    fc.assert(
      fc.property(
        fc.integer({ min: 1, max: 64 }),
        fc.integer({ min: 512, max: 100_000 }),
        (count, browser) => {
          const all = shares(count, { ...LIMITS, browserBytes: browser * MIB });
          expect(sum(all, "spoolBytes")).toBeLessThanOrEqual(1024 * MIB);
          expect(sum(all, "artifactBytes")).toBeLessThanOrEqual(512 * MIB);
          expect(sum(all, "bodyBytes")).toBeLessThanOrEqual(Math.max(256, 128 * count) * MIB);
          expect(sum(all, "browserBytes")).toBeLessThanOrEqual(browser * MIB);
          expect(all[0]?.browserBytes).toBeGreaterThan(0);
        },
      ),
    );
  });

  it.each([
    [4096, 4, [1365, 1365, 1365, 0]],
    [8192, 4, [2048, 2048, 2048, 2048]],
    [512, 3, [512, 0, 0]],
    [0, 2, [0, 0]],
  ])(
    "of %s MiB for browsers over %s processes: each that has one can run a script",
    (browser, count, expected) => {
      const all = shares(count, { ...LIMITS, browserBytes: browser * MIB });
      expect(all.map(({ browserBytes }) => Math.floor(browserBytes / MIB))).toEqual(expected);
    },
  );

  it("names the settings that are too small to be divided", () => {
    const small = {
      ...LIMITS,
      spoolBytes: { total: 3 * MIB, min: MIB },
      bodyBytes: { total: 256 * MIB, min: 128 * MIB },
    };
    expect(shareOfProcess({ number: 1, count: 4 }, small)).toEqual({
      problems: [
        "SVC_RUNNER_SPOOL_BYTES_MAX 3145728 is too small for SVC_RUNNER_PROCESSES 4: smallest is 4194304",
        "SVC_RUNNER_BODY_BYTES_MAX 268435456 is too small for SVC_RUNNER_PROCESSES 4: smallest is 536870912",
      ],
    });
  });
});

it("the first process keeps the agent's own data folder", () => {
  expect([1, 2].map((number) => processDataDir("/data", number))).toEqual(["/data", "/data/processes/2"]);
});
