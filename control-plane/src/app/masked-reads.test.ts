import { afterAll, beforeAll, beforeEach, describe, expect, it } from "vitest";
import { createTestApp, type TestApp } from "../../test-support/app.ts";
import { aCheck } from "../../test-support/builders.ts";
import { registerAlertRoutes } from "../alerting/routes.ts";
import { seedHostedLocations } from "../checks/locations/seed.ts";
import { registerCheckRoutes } from "../checks/routes.ts";
import { registerChannelRoutes } from "../outbox/channels/routes.ts";
import { registerResultRoutes } from "../results/routes.ts";

let test: TestApp;
beforeAll(async () => {
  test = await createTestApp({
    register: (app, services) => {
      registerCheckRoutes(app, services, []);
      registerResultRoutes(app, services);
      registerChannelRoutes(app, services);
      registerAlertRoutes(app, services);
    },
  });
  await seedHostedLocations(test.services.knex);
});
beforeEach(async () => {
  test.team = await test.createTeam();
});
afterAll(() => test.close());

const CONFIG = {
  url: "https://pat:hush@example.com/a?token=t0ps3cret&page=2",
  method: "POST",
  headers: { Authorization: "Bearer abc", Accept: "text/html" },
  auth: { type: "basic", username: "pat", password: "hush" },
  body: '{"pin":1}',
};
const MASKED = {
  url: "https://***:***@example.com/a?token=***&page=2",
  method: "POST",
  headers: { Authorization: "***", Accept: "text/html" },
  auth: { type: "basic", username: "***", password: "***" },
  body: "***",
};

async function ok(method: "GET" | "POST" | "PUT", url: string, body?: object) {
  const answer = await test.call(method, url, body as never);
  expect(answer.status, JSON.stringify(answer.body)).toBeLessThan(300);
  return answer.body;
}
const reveals = () =>
  test.services.knex("auditEntries").where({ teamId: test.team.teamId, action: "secrets.revealed" });
const newCheck = async () =>
  (await ok("POST", "/api/checks", aCheck({ httpConfig: CONFIG as never }))).check.id as string;
const configOf = async (id: string) => (await ok("GET", `/api/checks/${id}`)).check.configJson;

describe("a masked read of checks", () => {
  it("answers *** for each secret, and is no reveal", async () => {
    const id = await newCheck();
    expect((await ok("GET", `/api/checks/${id}?secrets=masked`)).check.configJson).toMatchObject(MASKED);
    const { checks } = await ok("GET", "/api/checks?secrets=masked");
    expect(checks[0].configJson).toMatchObject(MASKED);
    expect(await reveals()).toEqual([]);
    expect(await configOf(id)).toMatchObject(CONFIG);
    expect(await reveals()).toHaveLength(1);
    expect((await test.call("GET", "/api/checks?secrets=some")).status).toBe(400);
  });

  it("answers bodies on request, and *** for each credential; it goes back by PUT", async () => {
    const id = await newCheck();
    const path = `/api/checks/${id}?secrets=masked_credentials`;
    const { configJson } = (await ok("GET", path)).check;
    expect(configJson).toMatchObject({ ...MASKED, body: CONFIG.body });
    await ok("PUT", path, { configJson: { ...configJson, body: '{"pin":2}' } });
    expect(await reveals()).toEqual([]);
    expect(await configOf(id)).toMatchObject({ ...CONFIG, body: '{"pin":2}' });
  });

  it("goes back by PUT as it is, and with one part changed; the answer can be masked, too", async () => {
    const id = await newCheck();
    const { configJson } = (await ok("GET", `/api/checks/${id}?secrets=masked`)).check;
    const { check } = await ok("PUT", `/api/checks/${id}?secrets=masked`, { configJson });
    expect(check.configJson).toMatchObject(MASKED);
    expect(await reveals()).toEqual([]);
    expect(await configOf(id)).toMatchObject(CONFIG);
    const changed = { ...configJson, headers: { ...configJson.headers, "X-Key": "new" }, body: "plain" };
    await ok("PUT", `/api/checks/${id}`, { configJson: changed });
    const headers = { ...CONFIG.headers, "X-Key": "new" };
    expect(await configOf(id)).toMatchObject({ ...CONFIG, headers, body: "plain" });
  });

  it.each([
    ["a header that is not stored", { headers: { ...MASKED.headers, "X-Other": "***" } }, "headers.X-Other"],
    ["another host", { url: MASKED.url.replace("example.com", "evil.example") }, "url"],
    ["another kind of auth", { auth: { type: "bearer", token: "***" } }, "auth.token"],
  ])("*** for %s is refused, and nothing changes", async (_, change, field) => {
    const id = await newCheck();
    const { configJson } = (await ok("GET", `/api/checks/${id}?secrets=masked`)).check;
    const answer = await test.call("PUT", `/api/checks/${id}`, { configJson: { ...configJson, ...change } });
    expect([answer.status, answer.body.error]).toEqual([
      400,
      expect.stringContaining(`configJson.${field}: ***`),
    ]);
    expect(await configOf(id)).toMatchObject(CONFIG);
  });

  it("keeps a list with secrets as a whole only", async () => {
    const config = {
      endpoint: "https://example.com/mcp",
      testCalls: [{ toolName: "a", arguments: { keys: [{ token: "one" }, { token: "two" }] } }],
    };
    const created = await test.call("POST", "/api/checks", {
      name: "Tools",
      type: "mcp",
      locations: ["loc_us_east"],
      mcpConfig: config,
    });
    expect(created.status, JSON.stringify(created.body)).toBe(201);
    const { id } = created.body.check;
    const { configJson } = (await ok("GET", `/api/checks/${id}?secrets=masked`)).check;
    expect(JSON.stringify(configJson)).not.toMatch(/one|two/);
    await ok("PUT", `/api/checks/${id}`, { configJson });
    expect(await configOf(id)).toMatchObject(config);
    configJson.testCalls[0].arguments.keys.shift();
    expect((await test.call("PUT", `/api/checks/${id}`, { configJson })).status).toBe(400);
  });
});

describe("a masked read of channels", () => {
  const WEBHOOK = { type: "webhook", url: "https://example.com/hook/s3cret", headers: { "X-Key": "abc" } };
  const CHAT = { type: "chat", webhookUrl: "https://chat.example.com/hooks/s3cret" };
  const TICKETING = {
    type: "ticketing",
    instanceUrl: "https://example.service-now.com/",
    username: "svc",
    password: "hush",
  };

  it.each([
    [WEBHOOK, { type: "webhook", url: "https://example.com/***", headers: { "X-Key": "***" } }],
    [CHAT, { type: "chat", webhookUrl: "***" }],
    [TICKETING, { ...TICKETING, username: "***", password: "***" }],
  ])("%j goes back by PUT and is no reveal", async (channel, masked) => {
    const { id } = (await ok("POST", "/api/notification-channels", { name: "C", channel })).channel;
    const path = `/api/notification-channels/${id}`;
    const read = (await ok("GET", `${path}?secrets=masked`)).channel;
    expect(read.config).toEqual(masked);
    expect((await ok("GET", "/api/notification-channels?secrets=masked")).channels[0].config).toEqual(masked);
    await ok("PUT", path, { name: "Renamed", channel: read.config });
    expect(await reveals()).toEqual([]);
    expect((await ok("GET", path)).channel).toMatchObject({ name: "Renamed", config: channel });
  });

  it("*** that stands for nothing is refused, and so is it in a new channel", async () => {
    const { id } = (await ok("POST", "/api/notification-channels", { name: "C", channel: WEBHOOK })).channel;
    const put = (channel: object) => test.call("PUT", `/api/notification-channels/${id}`, { channel });
    for (const change of [{ headers: { Other: "***" } }, { url: "https://evil.example/***" }])
      expect((await put({ ...WEBHOOK, ...change })).status).toBe(400);
    expect(
      (
        await test.call("POST", "/api/notification-channels", {
          name: "D",
          channel: { ...CHAT, webhookUrl: "***" },
        })
      ).status,
    ).toBe(400);
    expect((await ok("GET", `/api/notification-channels/${id}`)).channel.config).toEqual(WEBHOOK);
  });

  it("the channels of a check's rules are masked, or their read is recorded", async () => {
    const id = await newCheck();
    const { channel } = await ok("POST", "/api/notification-channels", { name: "C", channel: CHAT });
    const conditions = [{ type: "consecutive_failures" }];
    await ok("POST", `/api/checks/${id}/alerts`, { name: "R", conditions, channelIds: [channel.id] });
    const path = `/api/checks/${id}/alerts`;
    const { alerts } = await ok("GET", `${path}?secrets=masked`);
    expect(alerts[0].channels[0].config).toEqual({ type: "chat", webhookUrl: "***" });
    expect(await reveals()).toEqual([]);
    expect((await ok("GET", path)).alerts[0].channels[0].config).toEqual(CHAT);
    expect(await reveals()).toEqual([expect.objectContaining({ detail: { of: "channels" } })]);
  });
});
