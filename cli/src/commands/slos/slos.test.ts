import { expect, it } from "vitest";
import { svcWith } from "../../../test-support/svc-with.ts";

const slo = {
  id: "slo_1",
  teamId: "team_1",
  name: "Availability",
  checkId: "chk_1",
  checkName: "Home",
  patternId: null,
  sloType: "check",
  sliType: "availability",
  perfThresholdMs: null,
  scope: "check",
  targetBasisPoints: 9_990,
  windowDays: 30,
  burnRateAlertsEnabled: true,
  channelIds: ["nch_1"],
  enabled: true,
  createdAt: "2026-05-01T00:00:00.000Z",
  updatedAt: null,
};
const fast = {
  ...slo,
  id: "slo_2",
  name: "Fast",
  sliType: "performance",
  perfThresholdMs: 300,
  targetBasisPoints: 9_550,
};
const thirdParty = {
  ...slo,
  id: "slo_3",
  name: "CDN is up",
  checkId: null,
  checkName: null,
  patternId: "tpp_1",
  sloType: "third_party",
  scope: "team",
};
const status = {
  sloId: "slo_1",
  checkId: "chk_1",
  patternId: null,
  sloType: "check",
  name: "Availability",
  sliType: "availability",
  targetBasisPoints: 9_990,
  windowDays: 30,
  availability: 0.9999999,
  perfComplianceRatio: null,
  totalCount: 1_000_000,
  successCount: 999_999,
  avgDurationMs: 80,
  errorBudgetTotal: 43.2,
  errorBudgetConsumed: 65,
  errorBudgetRemaining: -21.8,
  budgetConsumedRatio: 1,
  burnRate1h: 14.4321,
  burnRate6h: 1,
  burnRate24h: 0,
};
const answers = {
  "GET /api/slos": { slos: [slo, fast, thirdParty], limit: 200, offset: 0 },
  "GET /api/third-party-patterns": {
    patterns: [{ id: "tpp_1", name: "CDN", hostPattern: "*.example.com", createdAt: slo.createdAt }],
  },
  "GET /api/slos/slo_3/status": {
    state: { ...status, sloId: "slo_3", name: "CDN is up", sloType: "third_party", avgDurationMs: null },
  },
  "GET /api/slos/slo_1/status": { state: status },
};
const svc = (...args: string[]) => svcWith(answers, ["slos", ...args]);

it("lists targets in percent and what counts as good", async () => {
  const { code, stdout } = await svc("list");
  expect(code).toBe(0);
  expect(stdout).toMatch(/Availability +Home +success +99.9 % +30d +enabled +slo_1/);
  expect(stdout).toMatch(/Fast +Home +success within 300 ms +95.5 % +30d/);
});

it("status shows budget and burn rates; a share that is not all is not rounded up to all", async () => {
  const { code, stdout } = await svc("status", "availability");
  expect(code).toBe(0);
  expect(stdout).toMatch(/Good: +99.999 %/);
  expect(stdout).toMatch(/Spent: +1h 5m \(100 %\)/);
  expect(stdout).toMatch(/Left: +-21m/);
  expect(stdout).toMatch(/Burn rate 1h: +14.43/);
});

it("get and status take a name or an id; an unknown one names the nearest", async () => {
  expect((await svc("get", "slo_2", "--json")).json().data.slo).toEqual(fast);
  expect((await svc("status", "slo_1", "--json")).json().data.status).toEqual(status);
  const unknown = await svc("get", "Fats");
  expect([unknown.code, unknown.stderr]).toEqual([1, 'error: no SLO "Fats"; did you mean "Fast"?\n']);
});

it("list, get and status name the third party by its pattern, and count its requests", async () => {
  expect((await svc("list")).stdout).toMatch(/CDN is up +CDN +request without error or 5xx +99.9 %/);
  expect((await svc("get", "CDN is up")).stdout).toMatch(/Of: +CDN\n/);
  expect((await svc("status", "CDN is up")).stdout).toMatch(/Requests: +999999 successes of 1000000/);
});
