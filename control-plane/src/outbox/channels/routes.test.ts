import { newId } from "@svc/contract";
import { afterAll, beforeAll, beforeEach, describe, expect, it } from "vitest";
import { createTestApp, type TestApp } from "../../../test-support/app.ts";
import { registerChannelRoutes } from "./routes.ts";

const PATH = "/api/notification-channels";
const chat = { type: "chat", webhookUrl: "https://hooks.example.org/services/T0/secret" };

let test: TestApp;
beforeAll(async () => {
  test = await createTestApp({ register: registerChannelRoutes });
});
afterAll(() => test.close());
beforeEach(async () => {
  test.team = await test.createTeam();
});

async function create(name = "Team chat", channel: object = chat) {
  const answer = await test.call("POST", PATH, { name, channel });
  expect(answer.status, JSON.stringify(answer.body)).toBe(201);
  return answer.body.channel;
}

describe("creating", () => {
  it.each([
    ["chat", chat],
    ["email", { type: "email", addresses: ["ada@example.org"] }],
    ["webhook", { type: "webhook", url: "https://example.org/hook" }],
    [
      "webhook with everything",
      { type: "webhook", url: "https://e.org/", method: "PUT", headers: { A: "b" } },
    ],
    ["paging", { type: "paging", routingKey: "R0" }],
    ["ticketing", { type: "ticketing", instanceUrl: "https://t.example.org", username: "u", password: "p" }],
  ])("%s comes back as it was submitted, without defaults", async (_title, channel) => {
    const created = await create("a", channel);
    expect(created).toEqual({
      id: expect.stringMatching(/^nch_[0-9a-z]{26}$/),
      name: "a",
      type: channel.type,
      config: channel,
    });
    const read = (await test.call("GET", `${PATH}/${created.id}`)).body.channel;
    expect(read).toMatchObject({ ...created, createdAt: expect.any(String), updatedAt: null });
    expect((await test.call("GET", PATH)).body.channels).toEqual([read]);
  });

  it("nothing of the channel object is readable in the database", async () => {
    await create();
    const [row] = await test.services.knex("notificationChannels").where({ teamId: test.team.teamId });
    expect(JSON.stringify({ ...row, config: row.config.toString("latin1") })).not.toMatch(/hooks|secret/);
  });

  const bad: [title: string, body: object, field: string][] = [
    ["no channel", { name: "a" }, "channel"],
    ["no name", { channel: chat }, "name"],
    ["an empty name", { name: "", channel: chat }, "name"],
    ["a name of 101 characters", { name: "x".repeat(101), channel: chat }, "name"],
    ["an unknown type", { name: "a", channel: { type: "pigeon" } }, "channel"],
    ["another type's field", { name: "a", channel: { ...chat, url: "https://e.org/" } }, "channel"],
    ["an unknown field", { name: "a", channel: chat, chanel: 1 }, "chanel"],
    ...["Content-Type", "content-type", "CONTENT-TYPE"].map((header): [string, object, string] => {
      const channel = { type: "webhook", url: "https://e.org/", headers: { [header]: "text/plain" } };
      return [`a header ${header}`, { name: "a", channel }, "channel"];
    }),
  ];
  it.each(bad)("%s is 400 and named", async (_title, body, field) => {
    const answer = await test.call("POST", PATH, body);
    expect([answer.status, Object.keys(answer.body.details.fieldErrors)]).toEqual([400, [field]]);
    expect((await test.call("GET", PATH)).body.channels).toEqual([]);
  });

  it("a name is taken once per team, also when both ask at once", async () => {
    const answers = await Promise.all(
      [1, 2, 3].map(() => test.call("POST", PATH, { name: "a", channel: chat })),
    );
    expect(answers.map((answer) => answer.status).sort()).toEqual([201, 409, 409]);
    expect(answers.find((answer) => answer.status === 409)?.body).toEqual({
      error: 'A notification channel named "a" already exists',
    });
    test.team = await test.createTeam();
    await create("a");
  });
});

describe("changing", () => {
  it("changes the given fields and no others", async () => {
    const { id } = await create();
    test.clock.advance(1_000);
    expect((await test.call("PUT", `${PATH}/${id}`, { name: "renamed" })).body).toEqual({ success: true });
    const webhookUrl = "https://hooks.example.org/other";
    await test.call("PUT", `${PATH}/${id}`, { channel: { type: "chat", webhookUrl } });
    expect((await test.call("GET", `${PATH}/${id}`)).body.channel).toMatchObject({
      name: "renamed",
      config: { type: "chat", webhookUrl },
      updatedAt: new Date(test.clock.nowMs()).toISOString(),
    });
  });

  it("a channel as it was read can be put back", async () => {
    const { id } = await create("a", { type: "webhook", url: "https://example.org/" });
    const { body } = await test.call("GET", `${PATH}/${id}`);
    expect((await test.call("PUT", `${PATH}/${id}`, body.channel)).status).toBe(200);
  });

  it("the type can't change", async () => {
    const { id } = await create();
    const channel = { type: "email", addresses: ["ada@example.org"] };
    const { status, body } = await test.call("PUT", `${PATH}/${id}`, { channel });
    expect([status, body.error]).toEqual([400, "the type of a channel can't change; this one is chat"]);
    expect(body.details.fieldErrors.channel).toEqual([
      "the type of a channel can't change; this one is chat",
    ]);
    expect((await test.call("GET", `${PATH}/${id}`)).body.channel.config).toEqual(chat);
  });

  it("a name that another channel has is a conflict", async () => {
    await create("first");
    const { id } = await create("second");
    expect((await test.call("PUT", `${PATH}/${id}`, { name: "first" })).status).toBe(409);
    expect((await test.call("PUT", `${PATH}/${id}`, { name: "second" })).status).toBe(200);
  });

  it("a webhook channel keeps its incident template, and can leave incidents out", async () => {
    const { id } = await create("a", { type: "webhook", url: "https://example.org/" });
    const incidentTemplate = {
      channelType: "webhook",
      overrides: { opened: { body: '{"t":"{{payload.title}}"}' } },
    };
    const put = await test.call("PUT", `${PATH}/${id}`, { incidentTemplate, incidentSubscribed: false });
    expect(put.status).toBe(200);
    expect((await test.call("GET", `${PATH}/${id}`)).body.channel).toMatchObject({
      incidentTemplate,
      incidentSubscribed: false,
    });
    await test.call("PUT", `${PATH}/${id}`, { incidentTemplate: null });
    expect((await test.call("GET", `${PATH}/${id}`)).body.channel.incidentTemplate).toBeNull();
  });

  it.each([
    ["an unknown event", { channelType: "webhook", overrides: { exploded: { body: "{}" } } }],
    ["another channel type", { channelType: "chat", overrides: {} }],
    ["a body that is no text", { channelType: "webhook", overrides: { opened: { body: {} } } }],
  ])("a template with %s is 400", async (_title, incidentTemplate) => {
    const { id } = await create("a", { type: "webhook", url: "https://example.org/" });
    expect((await test.call("PUT", `${PATH}/${id}`, { incidentTemplate })).status).toBe(400);
  });

  it("other channels take no template", async () => {
    const { id } = await create();
    const incidentTemplate = { channelType: "webhook", overrides: {} };
    expect((await test.call("PUT", `${PATH}/${id}`, { incidentTemplate })).status).toBe(400);
    expect((await test.call("PUT", `${PATH}/${id}`, { incidentSubscribed: false })).status).toBe(400);
  });
});

describe("deleting", () => {
  it("the channel is gone, and a second deletion finds nothing", async () => {
    const { id } = await create();
    expect((await test.call("DELETE", `${PATH}/${id}`)).body).toEqual({ success: true });
    const again = await test.call("DELETE", `${PATH}/${id}`);
    expect([again.status, again.body]).toEqual([404, { error: "Notification channel not found" }]);
  });

  it("a channel that an alert rule names stays, and the answer names the rule", async () => {
    const { id } = await create();
    const { knex } = test.services;
    const [check] = await knex("checks")
      .insert({
        id: newId("check"),
        teamId: test.team.teamId,
        name: "Home page",
        type: "http",
        config: "{}",
        frequencySeconds: 60,
        locationIds: ["loc_us_east"],
        enabled: true,
        revision: 1,
      })
      .returning("key");
    const rule = { teamId: test.team.teamId, checkKey: check.key, enabled: true, conditions: "[]" };
    const ruleId = newId("alertRule");
    await knex("alertRules").insert({ ...rule, id: ruleId, name: "Down for good", channelIds: [id] });
    const refused = await test.call("DELETE", `${PATH}/${id}`);
    expect(refused.status).toBe(409);
    expect(refused.body.error).toBe('Channel "Team chat" is used by the alert rule "Down for good"');
    await knex("alertRules").where({ id: ruleId }).update({ name: null });
    const nameless = await test.call("DELETE", `${PATH}/${id}`);
    expect(nameless.body.error).toBe('Channel "Team chat" is used by the alert rule of check "Home page"');
    await knex("alertRules").where({ id: ruleId }).delete();
    expect((await test.call("DELETE", `${PATH}/${id}`)).status).toBe(200);
  });
});

it.each([
  ["GET", undefined],
  ["PUT", { name: "taken over" }],
  ["DELETE", undefined],
] as const)("%s of another team's channel is not found, and changes nothing", async (method, body) => {
  const created = await create();
  const other = await test.createTeam();
  for (const id of [created.id, newId("channel"), newId("check"), "nch_x' OR '1'='1"]) {
    const answer = await test.call(method, `${PATH}/${encodeURIComponent(id)}`, body, other.byKey);
    expect([answer.status, answer.body]).toEqual([404, { error: "Notification channel not found" }]);
  }
  expect((await test.call("GET", `${PATH}/${created.id}`)).body.channel.name).toBe("Team chat");
});
