import { afterAll, beforeAll, expect, it } from "vitest";
import { type AlertTest, createAlertTest } from "../../../test-support/alerting.ts";
import { evaluateBetweenResults } from "./evaluate-between-results.ts";

let test: AlertTest;
beforeAll(async () => {
  test = await createAlertTest();
});
afterAll(() => test.close());

it("slots that were left out for a run that was still open are no missed runs", async () => {
  const checks = [
    await test.newCheck({ frequencySeconds: 60 }),
    await test.newCheck({ frequencySeconds: 60 }),
  ];
  for (const check of checks) await test.newRule(check, { conditions: [{ type: "missed_runs", count: 2 }] });
  const [slow, silent] = checks as [(typeof checks)[0], (typeof checks)[0]];
  const fromMs = test.clock.nowMs();
  test.clock.advance(240_000);
  await test.services.knex("missedSlots").insert(
    // Any instant of the grid; the last one is what counts.
    Array.from({ length: 300_000 / 1000 }, (_, second) => ({
      checkKey: slow.key,
      locationKey: slow.locationKeys[0],
      slotMs: fromMs + second * 1000,
      reason: "previous_run",
    })),
  );
  await evaluateBetweenResults(test.services.knex, test.evaluator);
  expect(await test.instances(silent)).toHaveLength(1);
  expect(await test.instances(slow)).toEqual([]);
});
