import { HOUR_MS, MINUTE_MS, newId } from "@svc/contract";
import { afterAll, beforeAll, beforeEach, describe, expect, it } from "vitest";
import { createIncidentTest, type IncidentTest } from "../../../test-support/incident-test.ts";
import { registerChannelRoutes } from "../../outbox/channels/routes.ts";
import { escalateUnacknowledged } from "../incident-policy/escalate.ts";
import { registerIncidentPolicyRoutes } from "../incident-policy/routes.ts";
import { registerRotaRoutes } from "./routes.ts";

let test: IncidentTest;
beforeAll(async () => {
  test = await createIncidentTest({
    register: (app, services) => {
      registerChannelRoutes(app, services);
      registerIncidentPolicyRoutes(app, services);
      registerRotaRoutes(app, services);
    },
  });
});
afterAll(() => test.close());
beforeEach(() => test.beginAnew());

const iso = (ms: number) => new Date(ms).toISOString();

/** Fields of a rota of two, handed over each 12 hours from now on: Ada has the chat, Bea the pager. */
function twoInTurn(more: object = {}): object {
  return {
    name: "On call",
    startsAt: iso(test.now()),
    handover: { type: "hourly", everyHours: 12 },
    members: [
      { name: "Ada", channelIds: [test.channels.chat] },
      { name: "Bea", channelIds: [test.channels.paging] },
    ],
    ...more,
  };
}

async function aRota(more: object = {}): Promise<{ id: string; [field: string]: unknown }> {
  const answer = await test.call("POST", "/api/rotas", twoInTurn(more));
  expect([answer.status, answer.body.error]).toEqual([201, undefined]);
  return answer.body.rota;
}

const setStep = (step: object) =>
  test.call("PUT", "/api/incident-policy", { steps: [{ afterMinutes: 5, ...step }] });

/** Opens an incident whose rule names the webhook alone, and lets its step come due. */
async function unacknowledged(): Promise<string> {
  const all = test.channels;
  test.channels = { webhook: all.webhook } as typeof all;
  const check = await test.watched("https://a.example/");
  test.channels = all;
  await test.fail(check);
  await test.process();
  const { id } = (await test.incidents())[0];
  test.clock.advance(5 * MINUTE_MS);
  await escalateUnacknowledged(test.services);
  return id;
}

describe("a step that names a rota", () => {
  it.each([
    [0, "chat", "Ada"],
    [12, "paging", "Bea"],
    [24, "chat", "Ada"],
  ] as const)(
    "notifies whoever is on duty %d hours after its start: the %s of %s",
    async (hours, channel, member) => {
      const { id: rotaId } = await aRota({ startsAt: iso(test.now() - hours * HOUR_MS) });
      expect((await setStep({ rotaId })).body.incidentPolicy.steps).toEqual([
        { afterMinutes: 5, channelIds: [], rotaId },
      ]);
      const incident = await unacknowledged();
      const other = channel === "chat" ? "paging" : "chat";
      expect(await test.notifiedTo(channel)).toEqual(["incident.unacknowledged"]);
      expect(await test.notifiedTo(other)).toEqual([]);
      const event = (await test.detail(incident)).events.at(-1);
      expect(event.payload).toMatchObject({ onDuty: { rotaId, rotaName: "On call", member } });
      // Whoever was woken hears of the end, also when somebody else is on duty by then.
      const overrides = [
        { from: iso(test.now()), to: iso(test.now() + HOUR_MS), member: other === "chat" ? "Ada" : "Bea" },
      ];
      await test.call("PUT", `/api/rotas/${rotaId}`, { overrides });
      await test.act(incident, "acknowledge");
      expect(await test.notifiedTo(channel)).toEqual(["incident.unacknowledged", "incident.acknowledged"]);
      expect(await test.notifiedTo(other)).toEqual([]);
    },
  );

  it("notifies its own channels, too, each once", async () => {
    const { id: rotaId } = await aRota();
    await setStep({ rotaId, channelIds: [test.channels.chat, test.channels.paging] });
    await unacknowledged();
    expect(await test.notifiedTo("chat")).toEqual(["incident.unacknowledged"]);
    expect(await test.notifiedTo("paging")).toEqual(["incident.unacknowledged"]);
  });

  it("follows an override, and the rota as it is when the step is carried out", async () => {
    const { id: rotaId } = await aRota();
    await setStep({ rotaId });
    const overrides = [{ from: iso(test.now()), to: iso(test.now() + HOUR_MS), member: "Bea" }];
    expect((await test.call("PUT", `/api/rotas/${rotaId}`, { overrides })).body.rota.onDuty).toMatchObject({
      member: "Bea",
      isOverride: true,
      to: overrides[0]?.to,
    });
    await unacknowledged();
    expect([await test.notifiedTo("chat"), await test.notifiedTo("paging")]).toEqual([
      [],
      ["incident.unacknowledged"],
    ]);
  });

  it("keeps the rota from being deleted, and the rota its channels", async () => {
    const { id: rotaId } = await aRota();
    await setStep({ rotaId });
    const refused = await test.call("DELETE", `/api/rotas/${rotaId}`);
    expect([refused.status, refused.body.error]).toEqual([
      409,
      'Rota "On call" is used by the incident policy',
    ]);
    const channel = await test.call("DELETE", `/api/notification-channels/${test.channels.chat}`);
    expect([channel.status, channel.body.error]).toEqual([
      409,
      expect.stringContaining('used by the rota "On call"'),
    ]);
    await test.call("DELETE", "/api/incident-policy");
    expect((await test.call("DELETE", `/api/rotas/${rotaId}`)).body).toEqual({ success: true });
    expect((await test.call("DELETE", `/api/rotas/${rotaId}`)).status).toBe(404);
    expect((await test.call("DELETE", `/api/notification-channels/${test.channels.chat}`)).status).toBe(200);
  });
});

describe("a rota", () => {
  it("is answered as it was set, instants in UTC, and is sent back without a change", async () => {
    const rota = await aRota({
      timezone: "Asia/Kathmandu",
      startsAt: "2026-03-02T09:00",
      handover: { type: "daily", time: "09:00" },
      overrides: [{ from: "2026-03-03T00:00", to: "2026-03-04T00:00+05:45", member: "Bea" }],
    });
    expect(rota).toMatchObject({
      startsAt: "2026-03-02T03:15:00.000Z",
      handover: { type: "daily", everyDays: 1, time: "09:00" },
      overrides: [{ from: "2026-03-02T18:15:00.000Z", to: "2026-03-03T18:15:00.000Z", member: "Bea" }],
      updatedAt: null,
    });
    const { body } = await test.call("PUT", `/api/rotas/${rota.id}`, rota);
    expect(body.rota).toEqual(rota);
    expect((await test.call("GET", "/api/rotas")).body.rotas).toEqual([rota]);
    await test.call("PUT", `/api/rotas/${rota.id}`, { name: "Nights" });
    await test.call("DELETE", `/api/rotas/${rota.id}`);
    const changes = await test.services
      .knex("changes")
      .where({ teamId: test.team.teamId, type: "rota" })
      .orderBy("key");
    expect(changes.map(({ action, name }) => [action, name])).toEqual([
      ["created", "On call"],
      ["updated", "Nights"],
      ["deleted", "Nights"],
    ]);
    const audited = await test.services
      .knex("auditEntries")
      .where({ teamId: test.team.teamId, action: "rota.changed" });
    expect(audited.map(({ resourceId }) => resourceId)).toEqual([rota.id, rota.id, rota.id]);
  });

  it("tells who is on duty in a span of time", async () => {
    const startMs = test.now();
    const { id } = await aRota({
      overrides: [{ from: iso(startMs + HOUR_MS), to: iso(startMs + 2 * HOUR_MS), member: "Bea" }],
    });
    const span = `from=${iso(startMs)}&to=${iso(startMs + 13 * HOUR_MS)}`;
    const { body } = await test.call("GET", `/api/rotas/${id}/schedule?${span}`);
    const hours = (text: string) => (Date.parse(text) - startMs) / HOUR_MS;
    expect(
      body.schedule.map((duty: { member: string; from: string; to: string; isOverride: boolean }) => [
        duty.member,
        hours(duty.from),
        hours(duty.to),
        duty.isOverride,
      ]),
    ).toEqual([
      ["Ada", 0, 1, false],
      ["Bea", 1, 2, true],
      ["Ada", 2, 12, false],
      ["Bea", 12, 24, false],
    ]);
    const byDefault = (await test.call("GET", `/api/rotas/${id}/schedule`)).body.schedule;
    expect(byDefault.at(0).from).toBe(iso(startMs));
    expect(hours(byDefault.at(-1).to)).toBe(14 * 24);
    for (const [refused, reason] of [
      ["from=yesterday", "expected an instant"],
      [`to=${iso(startMs - 1)}`, "has to be after from"],
      [`from=${iso(startMs)}&to=${iso(startMs)}`, "has to be after from"],
      [`from=${iso(startMs)}&to=${iso(startMs + 93 * 24 * HOUR_MS)}`, "at most 92 days"],
      ["from=0001-01-01T00:00:00Z&to=0001-01-02T00:00:00Z", "1970 to 2199"],
    ]) {
      const answer = await test.call("GET", `/api/rotas/${id}/schedule?${refused}`);
      expect([answer.status, JSON.stringify(answer.body)]).toEqual([
        400,
        expect.stringContaining(reason ?? ""),
      ]);
    }
  });

  it("of another team can't be read, changed, deleted or named", async () => {
    const { id } = await aRota();
    await test.beginAnew();
    const span = "from=2026-03-02T00:00:00Z&to=2026-03-03T00:00:00Z";
    const answers = [
      await test.call("GET", `/api/rotas/${id}`),
      await test.call("GET", `/api/rotas/${id}/schedule?${span}`),
      await test.call("PUT", `/api/rotas/${id}`, { name: "Mine" }),
      await test.call("DELETE", `/api/rotas/${id}`),
    ];
    expect(answers.map(({ status }) => status)).toEqual([404, 404, 404, 404]);
    expect((await test.call("GET", "/api/rotas")).body.rotas).toEqual([]);
    const named = await setStep({ rotaId: id });
    expect([named.status, JSON.stringify(named.body)]).toEqual([
      400,
      expect.stringContaining("no such rota"),
    ]);
  });

  it("is refused where it can't be, naming the field", async () => {
    await aRota();
    const { chat, alertsOnly } = test.channels;
    const ada = { name: "Ada", channelIds: [chat] };
    const from = iso(test.now());
    const to = iso(test.now() + HOUR_MS);
    const given: [object, string][] = [
      [{ members: [] }, "at least one member"],
      [{ members: [ada, ada] }, "another member of that name"],
      [{ members: [{ name: "Ada", channelIds: [] }] }, "at least one channel"],
      [
        { members: [ada, { name: "Bob", channelIds: [newId("channel")] }] },
        "members[1].channelIds: no such channel",
      ],
      [{ members: [{ name: "Ada", channelIds: [alertsOnly] }] }, "no incident event is sent"],
      [{ timezone: "Mars/Olympus" }, "not an IANA time zone"],
      [{ startsAt: "tomorrow" }, "ISO 8601"],
      [{ handover: { type: "weekly", weekday: "funday", time: "09:00" } }, "weekday"],
      [{ handover: { type: "daily", everyDays: 0, time: "09:00" } }, "smallest is 1"],
      [{ handover: { type: "daily", time: "9:00" } }, "expected a time of the day"],
      [{ handover: { type: "hourly", everyHours: 169 } }, "largest is 168"],
      [{ handover: { type: "hourly", everyHours: 1, time: "09:00" } }, 'unknown field "time"'],
      [{ overrides: [{ from, to, member: "Cem" }] }, 'there is no member "Cem"'],
      [{ overrides: [{ from: to, to: from, member: "Ada" }] }, "has to be after from"],
      [
        {
          overrides: [
            { from, to, member: "Ada" },
            { from, to, member: "Bea" },
          ],
        },
        "overlaps overrides[0]",
      ],
    ];
    for (const [more, reason] of given) {
      const answer = await test.call("POST", "/api/rotas", twoInTurn({ name: "Other", ...more }));
      expect([answer.status, JSON.stringify(answer.body).replaceAll("\\", "")]).toEqual([
        400,
        expect.stringContaining(reason),
      ]);
    }
    expect((await test.call("POST", "/api/rotas", twoInTurn())).status).toBe(409);
    // A change is judged with the fields that stay.
    const { id } = await aRota({ name: "Other", overrides: [{ from, to, member: "Bea" }] });
    const change = await test.call("PUT", `/api/rotas/${id}`, { members: [ada] });
    expect([change.status, JSON.stringify(change.body)]).toEqual([
      400,
      expect.stringContaining("there is no member"),
    ]);
  });
});
