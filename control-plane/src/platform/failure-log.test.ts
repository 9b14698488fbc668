import { HOUR_MS } from "@svc/contract";
import { pino } from "pino";
import { describe, expect, it } from "vitest";
import { FailureLog } from "./failure-log.ts";

const BEGAN = "2026-06-01T12:00:00.000Z";

/** A log of failures on a clock of the test's own, and the lines that people see. */
function aLog() {
  const lines: Record<string, unknown>[] = [];
  const log = pino({ level: "info" }, { write: (line: string) => void lines.push(JSON.parse(line)) });
  let passedMs = 0;
  const failures = new FailureLog({
    log,
    message: "mails can't be read; trying again",
    fields: { job: "mails" },
    timing: { monotonicMs: () => 77 + passedMs },
    clock: { nowMs: () => Date.parse(BEGAN) + passedMs },
  });
  return {
    failures,
    fail: (message: string, isClosing = false) => failures.failed(new Error(message), isClosing),
    pass: (ms: number) => {
      passedMs += ms;
    },
    /** The lines since the last call: level, message, reason, and how many failures since when. */
    seen: () =>
      lines.splice(0).map(({ level, msg, job, err, failures: count, since }) => {
        expect(job).toBe("mails");
        return [level === 40 ? "warn" : level, msg, (err as Error | undefined)?.message, count, since];
      }),
  };
}
const warning = (reason: string, ...counted: [count?: number]) => [
  "warn",
  "mails can't be read; trying again",
  reason,
  counted[0],
  counted[0] && BEGAN,
];

describe("a series of failures", () => {
  it("is one line for an hour, then one an hour with how many and since when, and one at its end", () => {
    const { failures, fail, pass, seen } = aLog();
    for (let minutes = 0; minutes < 150; minutes++) {
      fail("away");
      pass(60_000);
    }
    expect(seen()).toEqual([warning("away"), warning("away", 61), warning("away", 121)]);
    failures.worked();
    expect(seen()).toEqual([[30, "works again after: mails can't be read", undefined, 150, BEGAN]]);
    failures.worked();
    expect(seen()).toEqual([]);
  });

  it("is logged again when the reason changes, and not when it changes back", () => {
    const { fail, pass, seen } = aLog();
    for (const reason of ["away", "full", "away", "full"]) {
      fail(reason);
      pass(1_000);
    }
    expect(seen()).toEqual([warning("away"), warning("full", 2)]);
    pass(HOUR_MS);
    fail("away");
    fail("full");
    expect(seen()).toEqual([warning("away", 5), warning("full", 6)]);
  });

  it.each([
    ["connect ECONNREFUSED 10.0.0.1:5432", "connect ECONNREFUSED 10.0.0.2:61234"],
    ["no row of chk_01jd0000000000000000000000", "no row of chk_01jd0000000000000000000001"],
  ])("has one reason whatever the numbers in it: %s", (first, second) => {
    const { fail, seen } = aLog();
    fail(first);
    fail(second);
    expect(seen()).toEqual([warning(first)]);
  });

  it.each([
    ["kind", new TypeError("away")],
    ["code", Object.assign(new Error("away"), { code: "53300" })],
    ["value that is no error", "away"],
  ])("has another reason with another %s", (_name, error) => {
    const { failures, fail, seen } = aLog();
    fail("away");
    failures.failed(error, false);
    expect(seen()).toHaveLength(2);
  });

  it("that fails otherwise each time fills no log", () => {
    const { fail, pass, seen } = aLog();
    for (let i = 0; i < 3_000; i++) {
      fail(`reason ${"x".repeat(i)}`);
      pass(1_000);
    }
    expect(seen()).toHaveLength(10);
    pass(HOUR_MS);
    fail("reason");
    expect(seen()).toEqual([warning("reason", 3_001)]);
  });

  it("begins anew after its end", () => {
    const { failures, fail, seen } = aLog();
    fail("away");
    failures.worked();
    fail("away");
    expect(seen().map(([level]) => level)).toEqual(["warn", 30, "warn"]);
    expect(failures.hasFailed).toBe(true);
  });
});

it("work that never failed, or was cut off at the end, is no line", () => {
  const { failures, fail, seen } = aLog();
  failures.worked();
  expect(failures.hasFailed).toBe(false);
  fail("aborted", true);
  expect(seen()).toEqual([]);
});
