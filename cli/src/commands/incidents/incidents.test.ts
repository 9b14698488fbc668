import { expect, it } from "vitest";
import { svcWith } from "../../../test-support/svc-with.ts";

const incident = {
  id: "inc_1",
  title: "Shop is down\u001b]0;x\u0007",
  severity: "critical",
  state: "open",
  openedAt: "2026-06-01T11:00:00.000Z",
  acknowledgedAt: null,
  resolvedAt: null,
  triageUrl: "https://svc.example/incidents/inc_1",
  memberCount: 3,
  openMemberCount: 2,
  hypothesis: {
    summary: "shop.example does not answer",
    confidence: 0.72,
    ruledIn: ["host: shop.example"],
    ruledOut: ["location: seen from all"],
  },
};
const details = {
  incident,
  events: [
    { occurredAt: "2026-06-01T11:00:00.000Z", eventType: "opened", actor: { type: "system", id: null } },
  ],
  alerts: [],
};

it("lists incidents, by state when asked", async () => {
  const asked: string[] = [];
  const fetch = async (input: unknown) => {
    asked.push(new URL(String(input)).search);
    return Response.json({ incidents: [incident], limit: 20, offset: 0 });
  };
  const { code, stdout } = await svcWith({}, ["incidents", "list", "--state", "open,closed"], { fetch });
  expect([code, asked]).toEqual([0, ["?limit=20&offset=0&state=open%2Cclosed"]]);
  expect(stdout).toMatch(/critical +open +Shop is down +1h ago +2\/3 +inc_1/);
  expect(stdout).not.toContain("\u001b");
});

it("shows the probable cause, its evidence and the history", async () => {
  const { code, stdout } = await svcWith({ "GET /api/incidents/inc_1": details }, [
    "incidents",
    "get",
    "inc_1",
  ]);
  expect(code).toBe(0);
  expect(stdout).toContain("shop.example does not answer (confidence 72 %)");
  expect(stdout).toContain("+ host: shop.example\n  - location: seen from all");
  expect(stdout).toContain("2026-06-01T11:00:00.000Z  opened");
});
