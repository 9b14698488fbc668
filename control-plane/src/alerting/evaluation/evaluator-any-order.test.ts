/**
 * Results delivered in any order, twice, in groups, over two replicas at once: what becomes of them equals a simple model
 * that goes through the results one by one, in the order in which their transactions got hold of the check.
 */
import fc from "fast-check";
import { afterAll, beforeAll, expect, it } from "vitest";
import {
  type AlertTest,
  type AlertTestCheck,
  createAlertTest,
  type Delivered,
} from "../../../test-support/alerting.ts";
import type { ResultConsumer } from "../../results/ingest/write-group.ts";

let test: AlertTest;
beforeAll(async () => {
  test = await createAlertTest();
});
afterAll(() => test.close());

interface Step {
  location: 0 | 1;
  slot: number;
  isFailure: boolean;
}

interface RuleModel {
  conditions: object[];
  successes: number;
  /** True when the condition holds, given the statuses of each location, newest first (true: failed). */
  holds: (locations: boolean[][]) => boolean;
}

const RULES: RuleModel[] = [
  {
    conditions: [{ type: "consecutive_failures", count: 2 }],
    successes: 1,
    holds: (locations) => locations.some(([a, b]) => a === true && b === true),
  },
  {
    conditions: [{ type: "multi_location_failure", windowSeconds: 604_800 }],
    successes: 2,
    holds: (locations) => locations.every(([a]) => a === true),
  },
  {
    conditions: [{ type: "consecutive_failures", count: 1 }],
    successes: 3,
    holds: (locations) => locations.some(([a]) => a === true),
  },
  {
    conditions: [{ type: "consecutive_failures", count: 1 }],
    successes: 1,
    holds: (locations) => locations.some(([a]) => a === true),
  },
];

/** Everything that happened to one rule, by a list of results in the order in which they were stored. */
function expected(steps: readonly Step[], rule: RuleModel): string[] {
  const stored: Map<number, boolean>[] = [new Map(), new Map()];
  const happened: string[] = [];
  let isOpen = false;
  for (const { location, slot, isFailure } of steps) {
    const mine = stored[location] as Map<number, boolean>;
    const isLate = [...mine.keys()].some((other) => other >= slot);
    if (mine.has(slot)) continue;
    mine.set(slot, isFailure);
    if (isLate) continue;
    const locations = stored.map((results) =>
      [...results].sort(([a], [b]) => b - a).map(([, failed]) => failed),
    );
    const holds = rule.holds(locations);
    const isOver = !isFailure && locations.every((newest) => !newest.slice(0, rule.successes).includes(true));
    if (!isOpen && holds && isFailure) {
      isOpen = true;
      happened.push("triggered");
    } else if (isOpen && !holds && isOver) {
      isOpen = false;
      happened.push("recovered");
    }
  }
  return happened;
}

const stepOf = fc.record({
  location: fc.constantFrom<0 | 1>(0, 1),
  slot: fc.integer({ min: 1, max: 12 }),
  isFailure: fc.boolean(),
});
/** Groups, each delivered by one of two replicas; slots repeat, so results come late and twice. */
const anyDeliveries = fc.array(
  fc.record({ replica: fc.constantFrom(0, 1), steps: fc.array(stepOf, { minLength: 1, maxLength: 6 }) }),
  { minLength: 1, maxLength: 8 },
);
/** Draws results each of which is newer than all before it, as they mostly are: then each one counts. */
const deliveriesInOrder = anyDeliveries.map((groups) => {
  let slot = 0;
  return groups.map(({ replica, steps }) => ({
    replica,
    steps: steps.map((step) => ({ ...step, slot: ++slot })),
  }));
});
const deliveries = fc.oneof(anyDeliveries, deliveriesInOrder);

it("the transitions are those of a sequential model", { timeout: 300_000 }, async () => {
  const replicas = [test.newEvaluator(), test.newEvaluator()];
  await fc.assert(
    fc.asyncProperty(deliveries, async (groups) => {
      const check = await test.newCheck({ locations: ["loc_us_east", "loc_eu_west"] });
      const ruleIds: string[] = [];
      for (const { conditions, successes } of RULES)
        ruleIds.push(
          await test.newRule(check, { conditions, recovery: { consecutiveSuccesses: successes } }),
        );
      const order: Step[] = [];
      const queues = replicas.map((replica, index) =>
        deliverAll(check, groups, index, replica.evaluateStored, order),
      );
      await Promise.all(queues);
      for (const [index, rule] of RULES.entries())
        expect(await happenedTo(ruleIds[index] as string)).toEqual(expected(order, rule));
    }),
    { numRuns: Number(process.env.FAST_CHECK_NUM_RUNS ?? 40) },
  );
});

/** One replica's groups, one after another; notes the results in the order in which the check's lock was held. */
async function deliverAll(
  check: AlertTestCheck,
  groups: readonly { replica: number; steps: Step[] }[],
  replica: number,
  judge: ResultConsumer,
  order: Step[],
): Promise<void> {
  for (const { steps } of groups.filter((group) => group.replica === replica)) {
    const results: Delivered[] = steps.map(({ location, slot, isFailure }) => ({
      slotMs: slotMs(slot),
      locationKey: check.locationKeys[location] as number,
      status: isFailure ? "failure" : "success",
    }));
    await test.deliver(check, results, async (trx, group, stored) => {
      await judge(trx, group, stored);
      // The lock is held until the commit, so nobody comes in between.
      const fresh = steps.filter((_step, row) => stored === "all" || stored.has(row));
      order.push(...fresh.sort((a, b) => a.slot - b.slot || a.location - b.location));
    });
  }
}

function slotMs(slot: number): number {
  return test.clock.nowMs() + slot * 60_000;
}

async function happenedTo(ruleId: string): Promise<string[]> {
  const rows = await test.services
    .knex("alertEvents")
    .join("alertInstances", "alertInstances.id", "alertEvents.instanceId")
    .join("alertRules", "alertRules.key", "alertInstances.ruleKey")
    .where("alertRules.id", ruleId)
    .orderBy("alertEvents.id")
    .select("alertEvents.type");
  return rows.map(({ type }) => type);
}
