/** Seeded histories: the product's own fleet, sessions, slots, spool, ingest and alerts under one scheduler. */
import { describe, expect, it } from "vitest";
import { describeFailure } from "./describe-failure.ts";
import { withoutEnvironment } from "./environment.ts";
import { PLANTED_FAULTS, type PlantedFaults } from "./planted-faults.ts";
import { runHistory } from "./run-history.ts";

/** Number of histories of a test run. A planted fault must show within as many. */
const SEEDS = 200;
/** Time for many histories on a busy machine; 200 take about 25 s of CPU. */
const TIMEOUT_MS = 600_000;
const seeds = Array.from({ length: SEEDS }, (_, i) => i + 1);

it(
  "every invariant holds in 200 histories",
  async () => {
    for (const seed of seeds) {
      const outcome = await runHistory(seed);
      if (outcome.violations.length > 0) expect.fail(describeFailure(outcome));
    }
  },
  TIMEOUT_MS,
);

it("a seed gives one history, event by event", async () => {
  for (const seed of [3, 84, 199]) {
    const first = await runHistory(seed);
    const second = await runHistory(seed);
    expect(second.trace).toEqual(first.trace);
    expect(second.hash).toBe(first.hash);
    expect(second.events).toBe(first.events);
  }
});

it("different seeds give different histories, with sessions lost, processes killed, alerts, windows and slots without a result", async () => {
  const outcomes = [];
  for (const seed of seeds.slice(0, 60)) outcomes.push(await runHistory(seed));
  expect(new Set(outcomes.map(({ hash }) => hash)).size).toBe(60);
  for (const count of [
    "lostSessions",
    "kills",
    "alerts",
    "missingSlots",
    "lateCommits",
    "mutedAlerts",
    "pauses",
    "repeatedNotifications",
  ] as const)
    expect(
      outcomes.reduce((sum, { counts }) => sum + counts[count], 0),
      count,
    ).toBeGreaterThan(4);
});

it("code of a history that reads the machine's clock gets an error", async () => {
  await expect(withoutEnvironment(async () => Date.now())).rejects.toThrow("called now of its environment");
  await expect(withoutEnvironment(async () => Math.random())).rejects.toThrow("called random");
  await expect(withoutEnvironment(async () => setTimeout(() => {}, 0))).rejects.toThrow("called setTimeout");
});

describe("a planted fault is found within 200 histories:", () => {
  const expected: Record<keyof PlantedFaults, RegExp> = {
    ackBeforeCommit: /was acknowledged and is not stored/,
    noGrace: /is missing as runner_lost: agent-\d was there all the time/,
    spoolDeletedEarly: /was durable and has not arrived/,
    cursorWithoutHorizon: /is missing as unknown|was refused|was run \d+ times|alert/,
    twoOwners: /was run \d+ times in quiet/,
    dispatchReadOnce: /triggered slot .* was run 0 times in quiet/,
    evaluationWithoutLock: /was judged by two transactions at a time/,
    rulesWithoutHorizon: /alert .* is in the model only/,
    windowsUnread: /was written inside a window/,
    mutesNeverEnd: /is kept back, though its window is over/,
    pauseUnheard: /which is paused/,
    pausesNeverEnd: /is paused, and no window holds/,
    recordedBeforeSent: /is delivered, and no channel has taken it/,
    claimWithoutLease: /was sent again by replica-\d after replica-\d, which had an answer/,
    leaseForEver: /is pending/,
    claimsOutOfOrder: /came after a later one about its alert/,
  };
  it.each(PLANTED_FAULTS)(
    "%s",
    async (fault) => {
      let violations: readonly string[] = [];
      for (const seed of seeds) {
        ({ violations } = await runHistory(seed, { [fault]: true }));
        if (violations.length > 0) break;
      }
      expect(violations.join("\n")).toMatch(expected[fault]);
    },
    TIMEOUT_MS,
  );
});
