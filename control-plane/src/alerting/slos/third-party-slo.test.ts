/**
 * The status of third-party SLOs over the real database, against the plainest computation over the runs that were
 * stored.
 */
import { DAY_MS, HOUR_MS, type HostRequests, MINUTE_MS, type SloStatus } from "@svc/contract";
import fc from "fast-check";
import { afterAll, beforeAll, beforeEach, describe, expect, it } from "vitest";
import { type AlertTest, type AlertTestCheck, createAlertTest } from "../../../test-support/alerting.ts";
import { registerMaintenanceRoutes } from "../../checks/maintenance/routes.ts";
import { registerThirdPartyPatternRoutes } from "../../checks/third-party-patterns/routes.ts";
import { ensurePartitions } from "../../results/retention/partitions.ts";
import { retain } from "../../results/retention/retain.ts";
import { recordBudgetWarnings } from "./budget-warnings.ts";
import { registerSloRoutes } from "./routes.ts";

let test: AlertTest;
let checks: [AlertTestCheck, AlertTestCheck];
beforeAll(async () => {
  test = await createAlertTest({
    register: (app, services) => {
      registerSloRoutes(app, services);
      registerThirdPartyPatternRoutes(app, services);
      registerMaintenanceRoutes(app, services);
    },
  });
});
afterAll(() => test.close());
beforeEach(async () => {
  test.team = await test.createTeam();
  checks = [await test.newCheck(), await test.newCheck({ name: "Cart" })];
});

const CDN = "cdn.example.com";
const to = (host: string, total: number, good: number): HostRequests => ({ host, total, good });
const newPattern = async (hostPattern: string, name = hostPattern): Promise<string> =>
  (await test.call("POST", "/api/third-party-patterns", { name, hostPattern })).body.pattern.id;
const newSlo = async (patternId: string, overrides: object = {}): Promise<string> => {
  const answer = await test.call("POST", "/api/slos", {
    name: "CDN up",
    sloType: "third_party",
    patternId,
    targetBasisPoints: 9_900,
    windowDays: 30,
    ...overrides,
  });
  expect(answer.status, JSON.stringify(answer.body)).toBe(201);
  return answer.body.slo.id;
};
const statusOf = async (id: string): Promise<SloStatus> =>
  (await test.call("GET", `/api/slos/${id}/status`)).body.state;
const countsOf = async (id: string) => {
  const { totalCount, successCount } = await statusOf(id);
  return [totalCount, successCount];
};
const nowMs = () => test.clock.nowMs();

describe("requests to a third party", () => {
  it("are those of all checks to the hosts of the pattern; status and burn rates follow from them", async () => {
    const exact = await newSlo(await newPattern(CDN));
    const below = await newSlo(await newPattern("*.example.com"));
    const slotMs = nowMs() - 10 * MINUTE_MS;
    await test.deliver(checks[0], [
      { slotMs, requests: [to(CDN, 6, 5), to("img.example.com", 3, 0), to("example.com", 9, 0)] },
    ]);
    await test.deliver(checks[1], [
      { slotMs, status: "failure", requests: [to(CDN, 4, 4), to("other.test", 5, 0)] },
    ]);
    await test.deliver(checks[1], [{ slotMs: nowMs() - 3 * HOUR_MS, requests: [to(CDN, 10, 9)] }]);
    expect(await statusOf(exact)).toMatchObject({
      checkId: null,
      availability: 0.9,
      totalCount: 20,
      successCount: 18,
      avgDurationMs: null,
      perfComplianceRatio: null,
      burnRate1h: expect.closeTo(10),
      burnRate6h: expect.closeTo(10),
      budgetConsumedRatio: 1,
    });
    expect(await countsOf(below)).toEqual([23, 18]);
  });

  it("of a result that is stored twice, at once or later, count once", async () => {
    const id = await newSlo(await newPattern(CDN));
    const result = { slotMs: nowMs() - HOUR_MS, requests: [to(CDN, 2, 1)] };
    await Promise.all([1, 2, 3].map(() => test.deliver(checks[0], [result])));
    await test.deliver(checks[0], [{ ...result, requests: [to(CDN, 50, 0)] }]);
    expect(await countsOf(id)).toEqual([2, 1]);
  });

  it("of many results at once all count, whatever the order of their checks", async () => {
    const id = await newSlo(await newPattern(CDN));
    const [first, second] = checks;
    const results = (round: number) =>
      [first, second].map(({ key: checkKey }, at) => ({
        checkKey,
        slotMs: nowMs() - HOUR_MS + round * 10 + at,
        requests: [to(CDN, 1, 1)],
      }));
    await Promise.all(
      Array.from({ length: 10 }, (_, round) =>
        test.deliver(first, round % 2 === 0 ? results(round) : results(round).reverse()),
      ),
    );
    expect(await countsOf(id)).toEqual([20, 20]);
  });

  it("of another team don't count, though both have a pattern of the host", async () => {
    const ours = await newSlo(await newPattern(CDN));
    const [check] = checks;
    const { team } = test;
    test.team = await test.createTeam();
    const theirs = await newSlo(await newPattern(CDN));
    await test.deliver(check, [{ slotMs: nowMs() - HOUR_MS, requests: [to(CDN, 2, 1)] }]);
    expect(await countsOf(theirs)).toEqual([0, 0]);
    test.team = team;
    expect(await countsOf(ours)).toEqual([2, 1]);
  });

  it("of a page with many hosts take a row per pattern and bucket, and none when no pattern matches", async () => {
    const hosts = Array.from({ length: 10_000 }, (_, index) => to(`h${index}.example.com`, 1, 1));
    const rows = async () =>
      Number(
        (await test.services.knex("patternRequests").where({ checkKey: checks[0].key }).count())[0]?.count,
      );
    await test.deliver(checks[0], [{ slotMs: nowMs() - HOUR_MS, requests: hosts }]);
    const id = await newSlo(await newPattern("*.example.com"));
    await test.deliver(checks[0], [{ slotMs: nowMs() - HOUR_MS + 1, requests: [to("other.test", 1, 1)] }]);
    expect(await rows()).toBe(0);
    await test.deliver(checks[0], [{ slotMs: nowMs() - HOUR_MS + 2, requests: hosts }]);
    expect([await rows(), await countsOf(id)]).toEqual([2, [10_000, 10_000]]);
  });

  it("are kept longer than the longest window, and no longer", async () => {
    const { knex } = test.services;
    const id = await newSlo(await newPattern(CDN));
    await ensurePartitions(knex, nowMs() - 34 * DAY_MS, nowMs());
    const settings = {
      retentionDays: 60,
      rollupRetentionMonths: 13,
      alertRetentionDays: 90,
      incidentRetentionDays: 90,
      historyRetentionDays: 90,
      changeLogBytesMax: 1e9,
    };
    for (const days of [33, 31, 29])
      await test.deliver(checks[0], [{ slotMs: nowMs() - days * DAY_MS, requests: [to(CDN, 1, 1)] }]);
    await retain(knex, nowMs(), settings);
    const rows = await knex("patternRequests").where({ checkKey: checks[0].key, bucketSeconds: 60 });
    expect(rows).toHaveLength(2);
    expect(await countsOf(id)).toEqual([1, 1]);
  });
});

it("a third-party SLO warns of its budget once, and names its pattern", async () => {
  const patternId = await newPattern(CDN);
  const id = await newSlo(patternId);
  await test.deliver(checks[0], [{ slotMs: nowMs() - 2 * MINUTE_MS, requests: [to(CDN, 10, 5)] }]);
  const { knex } = test.services;
  await Promise.all([recordBudgetWarnings(knex, nowMs()), recordBudgetWarnings(knex, nowMs())]);
  await recordBudgetWarnings(knex, nowMs());
  const events = await knex("derivedEvents").whereRaw("attributes ->> 'synthetics.slo.id' = ?", [id]);
  expect(events.map(({ severity }) => severity).sort()).toEqual(["critical", "warning"]);
  expect(events[0].attributes).toMatchObject({
    "synthetics.slo.pattern_id": patternId,
    "synthetics.slo.check_id": null,
  });
});

describe("the status of a third-party SLO", () => {
  const minute = fc.integer({ min: 5, max: 3 * 24 * 60 });
  const stories = fc.record({
    runs: fc.array(
      fc.record({
        check: fc.constantFrom<0 | 1>(0, 1),
        minute,
        total: fc.integer({ min: 1, max: 9 }),
        bad: fc.nat(9),
      }),
      { minLength: 1, maxLength: 30 },
    ),
    windows: fc.array(
      fc.record({
        check: fc.constantFrom<0 | 1 | "all">(0, 1, "all"),
        minute,
        minutes: fc.integer({ min: 1, max: 300 }),
      }),
      { maxLength: 4 },
    ),
  });

  it("counts every run whose slot no window of its check holds, in each range", async () => {
    await fc.assert(
      fc.asyncProperty(stories, async ({ runs, windows }) => {
        test.team = await test.createTeam();
        checks = [await test.newCheck(), await test.newCheck({ name: "Cart" })];
        const id = await newSlo(await newPattern(CDN));
        const now = Math.floor(nowMs() / MINUTE_MS) * MINUTE_MS;
        const held = windows.map(({ check, minute: ago, minutes }) => ({
          check,
          fromMs: now - ago * MINUTE_MS,
          toMs: now - ago * MINUTE_MS + minutes * MINUTE_MS,
        }));
        for (const [index, { check, fromMs, toMs }] of held.entries())
          await holdIn(index, check, { fromMs, toMs });
        const stored = runs.map(({ check, minute: ago, total, bad }, index) => ({
          check,
          slotMs: now - ago * MINUTE_MS + 1_000 + index,
          total,
          good: Math.max(0, total - bad),
        }));
        for (const { check, slotMs, total, good } of stored)
          await test.deliver(checks[check], [{ slotMs, requests: [to(CDN, total, good)] }]);
        const counted = stored.filter(
          ({ check, slotMs }) =>
            !held.some(
              (one) =>
                (one.check === "all" || one.check === check) && one.fromMs <= slotMs && slotMs < one.toMs,
            ),
        );
        const sum = (fromMs: number) => {
          const within = counted.filter(({ slotMs }) => slotMs >= fromMs);
          const total = within.reduce((all, run) => all + run.total, 0);
          const good = within.reduce((all, run) => all + run.good, 0);
          return { total, good, burnRate: total === 0 ? 0 : (total - good) / total / 0.01 };
        };
        const minuteOfStart = (rangeMs: number) => Math.floor((nowMs() - rangeMs) / MINUTE_MS) * MINUTE_MS;
        const whole = sum(0);
        expect(await statusOf(id)).toMatchObject({
          totalCount: whole.total,
          successCount: whole.good,
          burnRate1h: expect.closeTo(sum(minuteOfStart(HOUR_MS)).burnRate, 6),
          burnRate6h: expect.closeTo(sum(minuteOfStart(6 * HOUR_MS)).burnRate, 6),
          burnRate24h: expect.closeTo(sum(minuteOfStart(24 * HOUR_MS)).burnRate, 6),
        });
      }),
      { numRuns: 12 },
    );
  });

  /** Stores a window that held, with its occurrence, as the service would have. */
  async function holdIn(
    index: number,
    check: 0 | 1 | "all",
    { fromMs, toMs }: { fromMs: number; toMs: number },
  ) {
    const { knex } = test.services;
    const body = {
      name: `W ${index}`,
      startsAt: new Date(nowMs() + DAY_MS).toISOString(),
      endsAt: new Date(nowMs() + DAY_MS + HOUR_MS).toISOString(),
      checkIds: check === "all" ? "all" : [checks[check].id],
    };
    const { maintenanceWindow } = (await test.call("POST", "/api/maintenance-windows", body)).body;
    const { key } = await knex("maintenanceWindows").where({ id: maintenanceWindow.id }).first("key");
    await knex("maintenanceOccurrences")
      .where({ windowKey: key })
      .update({ startsAt: new Date(fromMs), endsAt: new Date(toMs) });
  }
});
