import { overviewSchema } from "@svc/contract";
import { expect, it } from "vitest";
import { overviewForDisplays } from "./overview-for-displays.ts";

const at = "2026-11-24T12:00:00.000Z";
const SECRET = "not-for-the-wall";

const overview = {
  asOf: at,
  checks: { total: 2, healthy: 1, unhealthy: 1, unknown: 0, disabled: 0 },
  failing: [
    {
      id: "chk_1",
      name: "Cart",
      type: "http",
      severity: "critical",
      sinceAt: at,
      locationCount: 1,
      failingLocations: [{ id: "loc_1", name: "us-east" }],
      resultId: "res_1",
      status: "failure",
      errorMessage: SECRET,
      recent: ["failure"],
    },
  ],
  openAlerts: { critical: 1, warning: 0, info: 0 },
  openIncidentCount: 1,
  unacknowledged: { alerts: 0, incidents: 0 },
  openIncidents: [
    {
      id: "inc_1",
      title: SECRET,
      severity: "critical",
      state: "acknowledged",
      openedAt: at,
      acknowledgedByName: SECRET,
      hypothesis: SECRET,
    },
  ],
  slots: null,
  responseTime: null,
  slosAtRisk: {
    count: 1,
    judged: 1,
    worst: [{ id: "slo_1", name: SECRET, budgetLeft: 0.1, burnRate1h: 20 }],
  },
  locations: { total: 1, active: 1, notActive: [] },
  channelsFailing: { count: 1, first: [{ id: "nch_1", name: SECRET }] },
  certificates: { count: 1, next: { checkId: "chk_1", host: SECRET, validTo: at } },
  telemetry: { state: "failing", lagSeconds: 1, lastError: SECRET },
  attention: [{ kind: "channel_failing", count: 1, subjects: [{ id: "nch_1", name: SECRET }] }],
  setUp: { channel: true, rule: true, deploy: true },
  latest: [{ kind: "change", id: "chk_1", at, what: "updated", name: SECRET, type: "check" }],
} as unknown as Parameters<typeof overviewForDisplays>[0];

it("a screen gets states and counts, and no people, incidents, texts of errors or names beside checks and locations", () => {
  const shown = overviewForDisplays(overview);
  expect(JSON.stringify(shown)).not.toContain(SECRET);
  expect(overviewSchema.safeParse(JSON.parse(JSON.stringify(shown))).success).toBe(true);
  expect([
    shown.checks.unhealthy,
    shown.failing[0]?.name,
    shown.failing[0]?.sinceAt,
    shown.openIncidentCount,
  ]).toEqual([1, "Cart", at, 1]);
});
