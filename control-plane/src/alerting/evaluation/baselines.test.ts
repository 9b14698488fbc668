import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { type AlertTest, createAlertTest } from "../../../test-support/alerting.ts";
import { updateBaselines } from "../baselines/update-baselines.ts";

let test: AlertTest;

beforeAll(async () => {
  test = await createAlertTest();
});
afterAll(() => test.close());

describe("baselines", () => {
  it("are built from what is stored, and a deviation of all last runs fires", async () => {
    const check = await test.newCheck({ frequencySeconds: 60 });
    const baseMs = Math.floor(test.clock.nowMs() / 3_600_000) * 3_600_000 - 7 * 86_400_000;
    const usual = Array.from({ length: 40 }, (_, i) => ({
      slotMs: baseMs + i * 60_000,
      responseTimeMs: 100 + (i % 5),
    }));
    await test.deliver(check, usual);
    const condition = { type: "baseline_anomaly", metric: "response_time", consecutiveCount: 2 };
    await test.newRule(check, { conditions: [condition] });
    await updateBaselines(test.services.knex, test.clock.nowMs());
    const thisWeek = (minute: number) => baseMs + 7 * 86_400_000 + minute * 60_000;
    await test.deliver(check, [{ slotMs: thisWeek(1), responseTimeMs: 300 }]);
    expect(await test.instances(check)).toEqual([]);
    await test.deliver(check, [{ slotMs: thisWeek(2), responseTimeMs: 310 }]);
    expect(await test.instances(check)).toMatchObject([{ severity: "warning" }]);
    await test.deliver(check, [{ slotMs: thisWeek(3), responseTimeMs: 102 }]);
    expect(await test.instances(check)).toMatchObject([{ state: "recovered" }]);
  });

  it("an outage among the very first samples does not hide later anomalies", async () => {
    const check = await test.newCheck({ frequencySeconds: 60 });
    const baseMs = Math.floor(test.clock.nowMs() / 3_600_000) * 3_600_000 - 7 * 86_400_000;
    const first = Array.from({ length: 40 }, (_, i) => ({
      slotMs: baseMs + i * 60_000,
      responseTimeMs: i < 5 ? 25_000 : 100 + (i % 5),
    }));
    await test.deliver(check, first);
    const condition = { type: "baseline_anomaly", metric: "response_time", consecutiveCount: 2 };
    await test.newRule(check, { conditions: [condition] });
    await updateBaselines(test.services.knex, test.clock.nowMs());
    const [cell] = await test.services.knex("baselines").where({ checkKey: check.key });
    expect(cell).toMatchObject({ sampleCount: 40 });
    const thisWeek = baseMs + 7 * 86_400_000;
    for (const minute of [1, 2])
      await test.deliver(check, [{ slotMs: thisWeek + minute * 60_000, responseTimeMs: 400 }]);
    expect(await test.instances(check)).toMatchObject([{ state: "active", severity: "warning" }]);
  });

  it("each result is folded in once, however often and by however many it is done", async () => {
    const check = await test.newCheck();
    await test.newRule(check, { conditions: [{ type: "baseline_anomaly", metric: "response_time" }] });
    const baseMs = test.clock.nowMs() - 86_400_000;
    await test.deliver(
      check,
      Array.from({ length: 30 }, (_, i) => ({ slotMs: baseMs + i })),
    );
    const update = () => updateBaselines(test.services.knex, test.clock.nowMs());
    await Promise.all([update(), update()]);
    await update();
    const cells = await test.services.knex("baselines").where({ checkKey: check.key });
    expect(cells.reduce((sum, { sampleCount }) => sum + sampleCount, 0)).toBe(30);
  });
});
