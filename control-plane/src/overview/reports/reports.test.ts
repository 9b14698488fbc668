/** Reports as they are read: the worst first, bounded, of the months that there are, with their incidents. */
import { DAY_MS, HOUR_MS, type Report } from "@svc/contract";
import { describe, expect, it } from "vitest";
import {
  countedFrom,
  every,
  JULY_MS,
  JUNE_COUNTED_MS,
  JUNE_MS,
  setUpReportTests,
} from "../../../test-support/report-test.ts";

const reports = setUpReportTests();

describe("checks and labels of a month", () => {
  it("come worst first, with labels of each, and page by page", async () => {
    const name = `${"A very long name ".repeat(14)}end`;
    const bad = await reports.aStory({ frequencySeconds: 3_600, name }, ["team:shop", "tier:1"]);
    const good = await reports.aStory({ frequencySeconds: 3_600, name: "Good" }, ["team:shop"]);
    const idle = await reports.aStory({ frequencySeconds: 3_600, name: "Idle" });
    const off = await reports.aStory({ frequencySeconds: 3_600, name: "Off", enabled: false });
    await reports.store(bad, every(JUNE_MS, JUNE_MS + DAY_MS, HOUR_MS), [1, 2]);
    await reports.store(good, every(JUNE_MS, JUNE_MS + DAY_MS, HOUR_MS));
    await reports.countAt(countedFrom(JUNE_MS + DAY_MS));
    reports.moveTo(JUNE_COUNTED_MS);
    await reports.test.call("DELETE", `/api/checks/${good.checkId}`);
    const report = await reports.report();
    expect(report.checks.map(({ checkId, isDeleted }) => [checkId, isDeleted])).toEqual([
      [bad.checkId, false],
      [good.checkId, true],
      [idle.checkId, false],
    ]);
    expect(report.checks[0]).toMatchObject({
      name,
      labels: ["team:shop", "tier:1"],
      received: 24,
      success: 12,
    });
    expect(report.checks[1]?.name).toBe("Good");
    expect(report.checks[2]).toMatchObject({
      labels: [],
      availabilityBasisPoints: null,
      measuredBasisPoints: 0,
    });
    expect(report.totals.checkCount).toBe(3);
    expect(off.checkId).not.toBe(idle.checkId);
    expect(report.byLabel).toMatchObject([
      { label: "tier:1", checkCount: 1, received: 24, success: 12, availabilityBasisPoints: 5_000 },
      { label: "team:shop", checkCount: 2, received: 48, success: 36, availabilityBasisPoints: 7_500 },
    ]);
    expect([report.checksLeftOut, report.labelsLeftOut, report.slosLeftOut]).toEqual([0, 0, 0]);
    const path = "/api/reports/2026-06/checks";
    const first = (await reports.test.call("GET", `${path}?limit=2`)).body;
    const second = (await reports.test.call("GET", `${path}?limit=2&cursor=${first.nextCursor}`)).body;
    expect([...first.checks, ...second.checks]).toEqual(report.checks);
    expect(second.nextCursor).toBeUndefined();
    expect((await reports.test.call("GET", `${path}?cursor=x`)).status).toBe(400);
  });

  it("are bounded, and say how many are left out", async () => {
    const { knex } = reports.test.services;
    const { teamId } = reports.test.team;
    const range = (count: number) => Array.from({ length: count }, (_, i) => i);
    await knex("reportMonths").insert({ teamId, month: "2026-06", countedDays: 1, checkCount: 130 });
    await knex("reportChecks").insert(
      range(130).map((i) => ({
        teamId,
        month: "2026-06",
        checkKey: 1_000_000 + i,
        checkId: `chk_${i}`,
        name: `Check ${i}`,
        labels: [`nth:${i}`],
      })),
    );
    const counts = { received: 100, expected: 100, givenBack: 0, inMaintenance: 0 };
    await knex("reportDays").insert(
      range(130).map((i) => ({
        teamId,
        dayMs: JUNE_MS,
        checkKey: 1_000_000 + i,
        ...counts,
        success: i % 100,
      })),
    );
    await knex("reportSloDays").insert(
      range(105).map((i) => ({
        teamId,
        dayMs: JUNE_MS,
        sloKey: 1_000_000 + i,
        sloId: `slo_${i}`,
        name: "Up",
        sliType: "availability",
        targetBasisPoints: 9_000 + i,
        total: 100,
        good: 100 - i,
      })),
    );
    const report = await reports.report();
    expect([report.checks.length, report.checksLeftOut]).toEqual([100, 30]);
    expect([report.byLabel.length, report.labelsLeftOut]).toEqual([100, 30]);
    expect([report.slos.length, report.slosLeftOut]).toEqual([100, 5]);
    expect(report.slos[0]?.sloId).toBe("slo_104");
    expect(report.checks.map(({ success }) => success).slice(0, 4)).toEqual([0, 0, 1, 1]);
  });
});

describe("months", () => {
  it("are listed when something was counted in them, and are the team's own", async () => {
    expect((await reports.test.call("GET", "/api/reports")).body).toEqual({ reports: [] });
    const story = await reports.aStory({ frequencySeconds: 3_600 });
    await reports.store(story, [JUNE_MS, JULY_MS], [1, 2]);
    await reports.countAt(countedFrom(JULY_MS + 2 * DAY_MS));
    reports.moveTo(countedFrom(JULY_MS + 2 * DAY_MS));
    const { body } = await reports.test.call("GET", "/api/reports");
    expect(body.reports).toMatchObject([
      { month: "2026-07", isComplete: false, countedDays: 2, received: 1, availabilityBasisPoints: 0 },
      { month: "2026-06", isComplete: true, countedDays: 30, received: 1, availabilityBasisPoints: 10_000 },
    ]);
    const { totals } = await reports.report();
    expect(body.reports[1]).toMatchObject(figuresOnly(totals));
    const former = reports.test.team;
    reports.test.team = await reports.test.createTeam();
    await reports.test.services.knex("teams").update({ createdAt: new Date(JUNE_MS - DAY_MS) });
    expect((await reports.test.call("GET", "/api/reports")).body).toEqual({ reports: [] });
    expect((await reports.report()).checks).toEqual([]);
    expect((await reports.test.call("GET", "/api/reports/2026-06/checks")).body.checks).toEqual([]);
    reports.test.team = former;
  });

  it("without checks or data are reported as such", async () => {
    reports.moveTo(JUNE_COUNTED_MS);
    const june = await reports.report();
    expect(june).toMatchObject({
      isComplete: false,
      countedUntil: null,
      totals: { checkCount: 0, expected: 0, availabilityBasisPoints: null, measuredBasisPoints: null },
      byLabel: [],
      checks: [],
      slos: [],
      incidents: { opened: 0, ended: 0, openAtBegin: 0, listed: [], leftOut: 0 },
      slots: { expected: 0, received: 0, missing: 0, missingByReason: [], givenBack: 0, inMaintenance: 0 },
    });
    expect(june.daysNotCounted).toHaveLength(30);
    // The team was created on 7 May.
    expect((await reports.report("2026-05")).daysNotCounted[0]).toBe("2026-05-07");
    await reports.countAt(JUNE_COUNTED_MS);
    expect(await reports.report()).toMatchObject({ isComplete: true, daysNotCounted: [], checks: [] });
    expect((await reports.test.call("GET", "/api/reports")).body).toEqual({ reports: [] });
  });

  it.each([
    ["2026-07", 400, "2026-07 has not begun"],
    ["9999-12", 400, "9999-12 has not begun"],
    ["2026-04", 404, "the team was created in 2026-05"],
    ["0000-01", 404, "the team was created in 2026-05"],
    ["2026-13", 400, "expected a month such as 2026-10"],
    ["2026-6", 400, "expected a month such as 2026-10"],
    ["june", 400, "expected a month such as 2026-10"],
  ])("%s is answered %i: %s", async (month, status, message) => {
    reports.moveTo(JULY_MS - 1);
    for (const path of [`/api/reports/${month}`, `/api/reports/${month}/checks`]) {
      const answer = await reports.test.call("GET", path);
      expect(answer.status).toBe(status);
      expect(JSON.stringify(answer.body)).toContain(message);
    }
  });
});

describe("incidents of a month", () => {
  it("are those that were open in it, the gravest first", async () => {
    const { knex } = reports.test.services;
    const { teamId } = reports.test.team;
    const incident = (title: string, openedMs: number, endedMs: number | null, more: object = {}) => ({
      id: `inc_${title}`,
      teamId,
      title,
      severity: "warning",
      state: endedMs === null ? "open" : "resolved",
      dimensions: [],
      fingerprintHash: title,
      hypothesis: "null",
      observations: "[]",
      memberCount: 0,
      openMemberCount: 0,
      openedAt: new Date(openedMs),
      resolvedAt: endedMs === null ? null : new Date(endedMs),
      ...more,
    });
    await knex("incidents").insert([
      incident("before", JUNE_MS - DAY_MS, JUNE_MS - 1),
      incident("into", JUNE_MS - DAY_MS, JUNE_MS),
      incident("within", JUNE_MS, JULY_MS - 1, { severity: "critical" }),
      incident("still", JULY_MS - 1, null),
      incident("later", JULY_MS - 2, JULY_MS, { severity: "info" }),
      incident("after", JULY_MS, null),
      incident("folded", JUNE_MS + 5, JUNE_MS + 9, { mergedInto: "inc_within", state: "closed" }),
    ]);
    reports.moveTo(JUNE_COUNTED_MS);
    const { incidents } = await reports.report();
    expect(incidents.listed.map(({ title }) => title)).toEqual(["within", "still", "into", "later"]);
    expect(incidents).toMatchObject({ opened: 3, ended: 2, openAtBegin: 1, leftOut: 0, keptFrom: null });
    expect(incidents.listed[1]).toMatchObject({ state: "open", endedAt: null });
  });
});

function figuresOnly({ checkCount, ...counted }: Report["totals"]) {
  return counted;
}
