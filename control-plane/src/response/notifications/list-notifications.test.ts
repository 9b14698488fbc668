import { newId } from "@svc/contract";
import { afterAll, beforeAll, beforeEach, describe, expect, it } from "vitest";
import {
  createNotificationTest,
  type NotificationTest,
  until,
} from "../../../test-support/notification-test.ts";
import { aReceiver } from "../../../test-support/receivers.ts";

let test: NotificationTest;
beforeAll(async () => {
  test = await createNotificationTest();
});
afterAll(() => test.close());
beforeEach(() => test.beginAnew());

const listed = async (query: string) => (await test.call("GET", `/api/notifications?${query}`)).body;

describe("the list of who was notified", () => {
  it("has a subject's notifications over all channels with the newest outcome, newest first", async () => {
    const instanceId = newId("alertInstance");
    const good = await test.aChannel((await aReceiver()).url);
    const bad = await test.aChannel((await aReceiver(() => ({ status: 404 }))).url);
    await test.report([good, bad], instanceId);
    await test.report([good]);
    expect((await listed(`subjectId=${instanceId}`)).notifications).toMatchObject([
      { channelId: bad, status: "pending", attempts: 0, httpStatus: null, attemptedAt: null },
      { channelId: good, status: "pending", attempts: 0, httpStatus: null, attemptedAt: null },
    ]);
    const worker = test.aWorker();
    await until(async () => (await test.pending()) === 0);
    await worker.close();
    const common = { channelType: "webhook", eventType: "triggered", subjectId: instanceId, attempts: 1 };
    expect((await listed(`subjectId=${instanceId}`)).notifications).toMatchObject([
      { ...common, channelId: bad, status: "failed", httpStatus: 404, error: expect.stringContaining("404") },
      { ...common, channelId: good, status: "delivered", httpStatus: 200, error: null },
    ]);
  });

  it("is paged by cursor", async () => {
    const instanceId = newId("alertInstance");
    const channels = [
      await test.aChannel("http://127.0.0.1:9/a"),
      await test.aChannel("http://127.0.0.1:9/b"),
    ];
    await test.report(channels, instanceId);
    const first = await listed(`subjectId=${instanceId}&limit=1`);
    const second = await listed(
      `subjectId=${instanceId}&limit=1&cursor=${encodeURIComponent(first.nextCursor)}`,
    );
    expect([first, second].map(({ notifications }) => notifications[0].channelId)).toEqual(
      channels.reverse(),
    );
    expect(second.nextCursor).toBeUndefined();
  });

  it("of an alert has the notifications of its incident that name it, and no others of that incident", async () => {
    const { knex } = test.services;
    const { teamId } = test.team;
    const [named, other] = [newId("alertInstance"), newId("alertInstance")];
    const channel = await test.aChannel("http://127.0.0.1:9/");
    const incidentId = newId("incident");
    const [incident] = await knex("incidents")
      .insert({
        id: incidentId,
        teamId,
        title: "Down",
        severity: "critical",
        state: "open",
        dimensions: [],
        fingerprintHash: "hash",
        hypothesis: "null",
        observations: "[]",
        memberCount: 2,
        openMemberCount: 2,
        openedAt: new Date(0),
      })
      .returning("key");
    for (const [position, instanceId] of [named, other].entries())
      await knex("incidentMembers").insert({
        instanceId,
        incidentKey: incident.key,
        position,
        ruleId: "alert_x",
        checkId: "chk_x",
        severity: "critical",
        startedAt: new Date(0),
        channelIds: [],
        dimensions: [],
        facts: "{}",
      });
    await test.report([channel], named);
    await knex("notifications").update({
      kind: "incident.opened",
      subjectId: incidentId,
      instanceIds: [named],
    });
    const entry = { eventType: "opened", subjectId: incidentId };
    expect((await listed(`subjectId=${named}`)).notifications).toMatchObject([entry]);
    expect((await listed(`subjectId=${incidentId}`)).notifications).toMatchObject([entry]);
    expect((await listed(`subjectId=${other}`)).notifications).toEqual([]);
  });

  it("holds nothing of another team, nor tests, and needs a subject", async () => {
    const instanceId = newId("alertInstance");
    const channel = await test.aChannel("http://127.0.0.1:9/");
    await test.report([channel], instanceId);
    const foreign = await test.createTeam();
    const asked = await test.call(
      "GET",
      `/api/notifications?subjectId=${instanceId}`,
      undefined,
      foreign.byKey,
    );
    expect(asked.body.notifications).toEqual([]);
    await test.services.knex("notifications").update({ isTest: true });
    expect((await listed(`subjectId=${instanceId}`)).notifications).toEqual([]);
    expect((await test.call("GET", "/api/notifications")).status).toBe(400);
  });
});
