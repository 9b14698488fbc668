import { type ChannelId, type IncidentId, newId } from "@svc/contract";
import { afterAll, beforeAll, beforeEach, describe, expect, it } from "vitest";
import { createIncidentTest, type IncidentTest } from "../../../test-support/incident-test.ts";
import { registerChannelRoutes } from "../../outbox/channels/routes.ts";
import { ACKNOWLEDGE_LINK_LIFETIME_MS, acknowledgeLinkOf } from "./acknowledge-link.ts";

let test: IncidentTest;
let address = 0;
beforeAll(async () => {
  test = await createIncidentTest({ register: registerChannelRoutes });
});
afterAll(() => test.close());
beforeEach(() => {
  address++;
  return test.beginAnew();
});

const CHAT = { type: "chat", webhookUrl: "http://127.0.0.1:9/", acknowledgeLinks: true };

async function aChannel(channel: object = CHAT, name = "Ops <b>"): Promise<ChannelId> {
  const created = await test.call("POST", "/api/notification-channels", { name, channel });
  expect(created.status).toBe(201);
  return created.body.channel.id;
}

/** Opens an incident; its channel is one whose messages have links. */
async function anIncident(channelId?: ChannelId) {
  const channel = channelId ?? (await aChannel());
  test.channels.chat = channel;
  const check = await test.watched("https://a.example/", { name: '<script>alert("x")</script>' });
  await test.fail(check);
  await test.process();
  const [incident] = await test.incidents();
  return { check, channel, id: incident.id as IncidentId };
}

const tokenOf = ({ id, channel }: { id: IncidentId; channel: ChannelId }, issuedAtMs = test.now()) => {
  const grant = { incidentId: id, channelId: channel, issuedAtMs };
  return new URL(acknowledgeLinkOf(test.services.secrets, "http://x", grant)).searchParams.get("token") ?? "";
};
/** Asks without any credential, from an address of the test's own. */
const ask = async (method: "GET" | "HEAD" | "POST", token: string) => {
  const answer = await test.app.inject({
    method,
    url: method === "POST" ? "/acknowledge" : `/acknowledge?token=${encodeURIComponent(token)}`,
    remoteAddress: `192.0.2.${address}`,
    ...(method === "POST" && {
      headers: { "content-type": "application/x-www-form-urlencoded" },
      payload: new URLSearchParams({ token }).toString(),
    }),
  });
  return { status: answer.statusCode, headers: answer.headers, text: answer.body };
};
const stateOf = async (id: string) => (await test.detail(id)).incident.state;

describe("the page of a link", () => {
  it("shows the title and a button, and nothing else of the incident; neither GET nor HEAD acknowledges", async () => {
    const incident = await anIncident();
    const token = tokenOf(incident);
    for (const method of ["HEAD", "GET", "GET"] as const) {
      const page = await ask(method, token);
      expect([page.status, page.headers["content-type"]]).toEqual([200, "text/html; charset=utf-8"]);
    }
    const { text, headers } = await ask("GET", token);
    expect(headers["content-security-policy"]).toMatch(
      /^default-src 'none'; style-src 'sha256-[^;]+'; form-action 'self'/,
    );
    expect(headers["cache-control"]).toBe("no-store");
    expect(headers["set-cookie"]).toBeUndefined();
    expect(text).toContain('<button type="submit">Acknowledge</button>');
    expect(text).not.toContain("<script");
    expect(text).toContain("&#60;script&#62;alert(&#34;x&#34;)");
    const withoutToken = text.replaceAll(token, "");
    for (const fact of [
      incident.id,
      incident.channel,
      "Ops",
      "a.example/",
      "critical",
      "@example.com",
      "connect failed: ",
    ])
      expect(withoutToken).not.toContain(fact);
    expect(await stateOf(incident.id)).toBe("open");
  });

  it("without a token, or with one that is no token, is refused", async () => {
    expect((await ask("GET", "")).status).toBe(400);
    expect((await ask("POST", "")).status).toBe(400);
    expect((await ask("GET", "x".repeat(257))).status).toBe(400);
    for (const token of ["x", `${newId("incident")}.${newId("channel")}.1.${"A".repeat(43)}`]) {
      const page = await ask("GET", token);
      expect([page.status, page.headers["content-type"]]).toEqual([410, "text/html; charset=utf-8"]);
      expect((await ask("POST", token)).status).toBe(303);
    }
  });
});

describe("the button", () => {
  it("acknowledges once, in the channel's name, and changes nothing else", async () => {
    const incident = await anIncident();
    const token = tokenOf(incident);
    const [first, second] = await Promise.all([ask("POST", token), ask("POST", token)]);
    for (const { status, headers } of [first, second])
      expect([status, headers.location]).toEqual([303, `/acknowledge?token=${token}`]);
    const { incident: row, events, alerts } = await test.detail(incident.id);
    expect(row).toMatchObject({
      state: "acknowledged",
      acknowledgedBy: incident.channel,
      acknowledgedByName: 'channel "Ops <b>"',
    });
    expect(events.map(({ eventType }: { eventType: string }) => eventType)).toEqual([
      "opened",
      "acknowledged",
    ]);
    expect(events[1]).toMatchObject({
      actor: { type: "channel", id: incident.channel, name: 'channel "Ops <b>"' },
      payload: { previousState: "open" },
    });
    expect(alerts).toMatchObject([{ state: "active" }]);
    const used = await ask("GET", token);
    expect(used.status).toBe(200);
    expect(used.text).toContain("<h1>The incident is acknowledged</h1>");
    expect(used.text).not.toContain("<button");
    // People and pages are notified as of any acknowledgement.
    expect(await test.notifiedTo("chat")).toEqual(["incident.opened", "incident.acknowledged"]);
    expect(await test.notifiedTo("paging")).toEqual(["incident.opened", "incident.acknowledged"]);
  });

  it("does nothing after the incident was acknowledged and reopened, closed or resolved", async () => {
    const incident = await anIncident();
    const token = tokenOf(incident);
    test.clock.advance(1_000);
    await ask("POST", token);
    test.clock.advance(1_000);
    await test.act(incident.id, "close");
    await test.act(incident.id, "reopen");
    expect(await stateOf(incident.id)).toBe("open");
    expect((await ask("POST", token)).status).toBe(303);
    expect(await stateOf(incident.id)).toBe("open");
    const page = await ask("GET", token);
    expect(page.status).toBe(410);
    expect(page.text).toContain("This link does not work any more");
    // The message about the reopening has a link of its own.
    await ask("POST", tokenOf(incident));
    expect(await stateOf(incident.id)).toBe("acknowledged");
    await test.act(incident.id, "close");
    await ask("POST", tokenOf(incident));
    expect(await stateOf(incident.id)).toBe("closed");
  });

  it("does nothing after the link has expired, and the page says so", async () => {
    const incident = await anIncident();
    const token = tokenOf(incident);
    test.clock.advance(ACKNOWLEDGE_LINK_LIFETIME_MS);
    expect((await ask("GET", token)).status).toBe(410);
    await ask("POST", token);
    expect(await stateOf(incident.id)).toBe("open");
  });

  it("does nothing once the channel has no links any more, or is gone", async () => {
    const incident = await anIncident();
    const token = tokenOf(incident);
    const path = `/api/notification-channels/${incident.channel}`;
    const { acknowledgeLinks: _, ...without } = CHAT;
    for (const channel of [without, { ...CHAT, acknowledgeLinks: false }]) {
      expect((await test.call("PUT", path, { channel })).status).toBe(200);
      expect((await ask("GET", token)).status).toBe(410);
      await ask("POST", token);
    }
    await test.services.knex("notificationChannels").where({ id: incident.channel }).delete();
    expect((await ask("GET", token)).status).toBe(410);
    await ask("POST", token);
    expect(await stateOf(incident.id)).toBe("open");
  });

  it("does nothing to another team's incident, whatever the channel", async () => {
    const incident = await anIncident();
    const own = test.team;
    test.team = await test.createTeam();
    const channel = await aChannel();
    const token = tokenOf({ id: incident.id, channel });
    expect((await ask("GET", token)).status).toBe(410);
    await ask("POST", token);
    test.team = own;
    expect(await stateOf(incident.id)).toBe("open");
  });

  it("does nothing with a link of a test message", async () => {
    const channel = await aChannel();
    const token = tokenOf({ id: newId("incident"), channel });
    expect((await ask("GET", token)).status).toBe(410);
    expect((await ask("POST", token)).status).toBe(303);
  });

  it("keeps the channel's name after the channel was deleted", async () => {
    const incident = await anIncident();
    await ask("POST", tokenOf(incident));
    await test.services.knex("alertRules").where({ teamId: test.team.teamId }).update({ channelIds: [] });
    const path = `/api/notification-channels/${incident.channel}`;
    expect((await test.call("DELETE", path)).status).toBe(200);
    expect((await test.detail(incident.id)).incident.acknowledgedByName).toBe('channel "Ops <b>"');
  });

  it("is slowed down: an address has 60 requests a minute", async () => {
    const incident = await anIncident();
    const token = tokenOf(incident);
    for (let i = 0; i < 60; i++) expect((await ask("GET", token)).status).toBe(200);
    const refused = await ask("POST", token);
    expect([refused.status, Number(refused.headers["retry-after"]) > 0]).toEqual([429, true]);
    expect(await stateOf(incident.id)).toBe("open");
  });
});
