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

const channels = ["Team chat", "On call"].map((name, i) => ({
  id: `nch_${i}`,
  name,
  type: "chat",
  config: { type: "chat" },
}));

const duty = {
  member: "Ada",
  from: "2026-06-01T00:00:00.000Z",
  to: "2026-06-08T00:00:00.000Z",
  isOverride: false,
};
const rotas = ["Days", "Nights"].map((name) => ({
  id: `rota_${name.toLowerCase()}`,
  name,
  timezone: "UTC",
  startsAt: duty.from,
  handover: { type: "hourly", everyHours: 168 },
  members: [{ name: "Ada", channelIds: ["nch_0"] }],
  overrides: [],
  onDuty: duty,
  createdAt: duty.from,
  updatedAt: null,
}));

/** Runs `svc incidents policy` against a service that keeps what it is given. */
async function runPolicy(...words: string[]) {
  const bodies: unknown[] = [];
  const fetch = async (input: unknown, init?: { method?: string; body?: unknown }) => {
    const { pathname } = new URL(String(input));
    if (pathname === "/api/notification-channels") return Response.json({ channels });
    if (pathname === "/api/rotas") return Response.json({ rotas });
    if (init?.method === "PUT") bodies.push(JSON.parse(String(init.body)));
    const { steps } = (bodies.at(-1) as { steps: unknown[] } | undefined) ?? { steps: [] };
    return Response.json({ incidentPolicy: { steps, updatedAt: null } });
  };
  return { ...(await svcWith({}, ["incidents", "policy", ...words], { fetch })), bodies };
}

it("sets the steps of the incident policy by the channels' names, in the order of their minutes", async () => {
  const words = ["set", "--step", "30=On call", "--step", "10=Team chat", "--step", "30=nch_0"];
  const { code, stdout, bodies } = await runPolicy(...words);
  expect([code, bodies]).toEqual([
    0,
    [
      {
        steps: [
          { afterMinutes: 10, channelIds: ["nch_0"] },
          { afterMinutes: 30, channelIds: ["nch_1", "nch_0"] },
        ],
      },
    ],
  ]);
  expect(stdout).toContain("after 10 min: Team chat\nafter 30 min: On call, Team chat");
});

it("sets steps that name rotas, and shows who is on duty", async () => {
  const { code, stdout, bodies } = await runPolicy("set", "--step", "5=rota:nights", "--step", "5=On call");
  expect([code, bodies]).toEqual([
    0,
    [{ steps: [{ afterMinutes: 5, channelIds: ["nch_1"], rotaId: "rota_nights" }] }],
  ]);
  expect(stdout).toContain("after 5 min: On call, rota Nights (on duty now: Ada)");
});

it("removes the incident policy, and shows that there is none", async () => {
  expect((await runPolicy("set", "--none")).bodies).toEqual([{ steps: [] }]);
  expect((await runPolicy("get")).stdout).toContain("There is no incident policy.");
});

it.each([
  [["set"], "give --step"],
  [["set", "--none", "--step", "5=On call"], "give --step"],
  [["set", "--step", "On call"], "expected <minutes>=<channel>"],
  [["set", "--step", "5=Nobody"], "Nobody"],
  [["set", "--step", "5=rota:Evenings"], "Evenings"],
  [["set", "--step", "5=rota:Days", "--step", "5=rota:Nights"], "names another rota already"],
])("refuses %j and asks for nothing", async (words, reason) => {
  const { code, stderr, bodies } = await runPolicy(...words);
  expect([code, stderr, bodies]).toEqual([1, expect.stringContaining(reason), []]);
});
