import { describe, expect, it } from "vitest";
import { svcWith } from "../../../test-support/svc-with.ts";

const figures = {
  expected: 100,
  received: 90,
  success: 81,
  availabilityBasisPoints: 9000,
  measuredBasisPoints: 9000,
};
const report = {
  month: "2026-10",
  from: "2026-10-01T00:00:00.000Z",
  to: "2026-11-01T00:00:00.000Z",
  days: [],
  labelsLeftOut: 0,
  checksLeftOut: 0,
  slosLeftOut: 0,
  isComplete: false,
  countedUntil: "2026-10-05T00:00:00.000Z",
  totals: { checkCount: 12, ...figures },
  daysNotCounted: ["2026-10-01"],
  daysNotMeasured: [],
  byLabel: [{ label: "team:shop", checkCount: 1, ...figures }],
  checks: Array.from({ length: 12 }, (_, i) => ({
    checkId: `chk_${i}`,
    isDeleted: false,
    labels: [],
    name: `Check ${i}\u001b]0;x\u0007`,
    ...figures,
  })),
  slos: [
    {
      sloId: "slo_1",
      name: "Up",
      isDeleted: false,
      checkName: null,
      sliType: "availability",
      targetBasisPoints: 9900,
      total: 0,
      good: 0,
      goodBasisPoints: null,
      isMet: null,
      budgetMinutes: 14.4,
      spentMinutes: 0,
      spentBasisPoints: null,
    },
  ],
  incidents: { opened: 2, ended: 1, openAtBegin: 0, listed: [], leftOut: 0, keptFrom: null },
  slots: {
    expected: 100,
    received: 90,
    missing: 10,
    missingByReason: [
      { reason: "no_runner", count: 6 },
      { reason: "not_recorded", count: 4 },
    ],
    givenBack: 4,
    inMaintenance: 7,
  },
};
const channels = [
  { id: "nch_1", name: "Management", config: { type: "email", addresses: ["a@example.org"] } },
  { id: "nch_2", name: "Hooks", config: { type: "webhook", url: "http://127.0.0.1:9/" } },
];

describe("svc reports", () => {
  it("lists months", async () => {
    const fetch = async () =>
      Response.json({ reports: [{ month: "2026-10", isComplete: true, countedDays: 31, ...figures }] });
    const { code, stdout } = await svcWith({}, ["reports", "list"], { fetch });
    expect(code).toBe(0);
    expect(stdout).toMatch(/2026-10 +90.00% +90.00% +31 +complete/);
  });

  it("shows a month with what is unknown of it, and no control characters", async () => {
    const asked: string[] = [];
    const fetch = async (input: unknown) => {
      asked.push(new URL(String(input)).pathname);
      return Response.json({ report });
    };
    const { code, stdout } = await svcWith({}, ["reports", "show", "2026-10"], { fetch });
    expect([code, asked]).toEqual([0, ["/api/reports/2026-10"]]);
    expect(stdout).toContain("2026-10 (counted until 2026-10-05)");
    expect(stdout).toMatch(/Not counted: +2026-10-01/);
    expect(stdout).toMatch(/Missing: +10, 4 of them with a recorded reason/);
    expect(stdout).toMatch(/Why missing: +6 no runner, 4 reason not recorded/);
    expect(stdout).toMatch(/Up +- +- of the budget spent/);
    expect(stdout).toMatch(/team:shop +90.00% +1 check/);
    expect(stdout).toContain("Check 9");
    expect(stdout).not.toContain("Check 10");
    expect(stdout).not.toContain("\u001b]");
    const json = await svcWith({}, ["reports", "show", "2026-10", "--json"], { fetch });
    expect(JSON.parse(json.stdout).data.report.checks).toHaveLength(12);
  });

  it("sets recipients by name, and none", async () => {
    const bodies: unknown[] = [];
    const fetch = async (input: unknown, init?: RequestInit) => {
      if (!String(input).includes("report-subscription")) return Response.json({ channels });
      const body = JSON.parse(String(init?.body));
      bodies.push(body);
      return Response.json({ reportSubscription: { teamId: "team_1", updatedAt: null, ...body } });
    };
    const set = (...options: string[]) =>
      svcWith({}, ["reports", "recipients", "set", ...options], { fetch });
    expect((await set("--channel", "Management", "--channel", "nch_1")).stdout).toContain("Management");
    expect((await set("--none")).stdout).toContain("Reports are sent to nobody.");
    expect(bodies).toEqual([{ channelIds: ["nch_1"] }, { channelIds: [] }]);
    expect((await set()).code).not.toBe(0);
    expect((await set("--none", "--channel", "Management")).code).not.toBe(0);
    expect((await set("--channel", "Nobody")).code).not.toBe(0);
    expect(bodies).toHaveLength(2);
  });
});
