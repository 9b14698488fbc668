import { newId } from "@svc/contract";
import { afterAll, beforeAll, beforeEach, describe, expect, it } from "vitest";
import { createIncidentTest, type IncidentTest } from "../../../test-support/incident-test.ts";

let test: IncidentTest;
beforeAll(async () => {
  test = await createIncidentTest();
});
afterAll(() => test.close());
beforeEach(() => test.beginAnew());

describe("who is notified", () => {
  it("webhooks of the incident or of the alerts, people of both, a page of the incident", async () => {
    const check = await test.watched("https://a.example/");
    await test.fail(check);
    await test.process();
    test.clock.advance(60_000);
    const [instance] = await test.instances(check);
    await test.call("POST", `/api/alerts/instances/${instance.id}/acknowledge`);
    await test.succeed(check);
    await test.process();
    const [incident] = await test.incidents();
    await test.act(incident.id, "notes", { body: "n" });
    await test.act(incident.id, "close");
    expect(await test.notifiedTo("alertsOnly")).toEqual(["triggered", "acknowledged", "recovered"]);
    expect(await test.notifiedTo("webhook")).toEqual([
      "incident.opened",
      "incident.note_added",
      "incident.closed",
    ]);
    expect(await test.notifiedTo("chat")).toEqual([
      "incident.opened",
      "acknowledged",
      "recovered",
      "incident.note_added",
      "incident.closed",
    ]);
    expect(await test.notifiedTo("paging")).toEqual([
      "incident.opened",
      "acknowledged",
      "incident.members_recovered",
      "incident.closed",
    ]);
  });

  it("a webhook that no rule names gets every incident event of its team; one that is added meanwhile, what follows", async () => {
    const { knex, secrets } = test.services;
    const addWebhook = async (incidentSubscribed = true): Promise<string> => {
      const id = newId("channel");
      const config = secrets.seal(JSON.stringify({ type: "webhook", url: "http://127.0.0.1:9/own" }), id);
      const { teamId } = test.team;
      await knex("notificationChannels").insert({
        id,
        teamId,
        name: id,
        type: "webhook",
        config,
        incidentSubscribed,
      });
      return id;
    };
    const kindsTo = async (id: string): Promise<string[]> =>
      knex("notifications")
        .join("notificationChannels as c", "c.key", "notifications.channelKey")
        .where({ "c.id": id })
        .orderBy("notifications.key")
        .pluck("kind");
    const unnamed = await addWebhook();
    const optedOut = await addWebhook(false);
    await test.fail(await test.watched("https://a.example/"));
    await test.process();
    const late = await addWebhook();
    const [incident] = await test.incidents();
    await test.act(incident.id, "notes", { body: "n" });
    await test.act(incident.id, "close");
    expect(await kindsTo(unnamed)).toEqual(["incident.opened", "incident.note_added", "incident.closed"]);
    expect(await kindsTo(late)).toEqual(["incident.note_added", "incident.closed"]);
    expect(await kindsTo(optedOut)).toEqual([]);
    await knex("notificationChannels").whereIn("id", [unnamed, optedOut, late]).delete();
  });

  it("incident events at webhooks are not retried; people's are", async () => {
    await test.fail(await test.watched("https://a.example/"));
    await test.process();
    const rows = await test.services
      .knex("notifications")
      .join("notificationChannels as c", "c.key", "notifications.channelKey")
      .where({ "notifications.teamId": test.team.teamId })
      .select("c.id", "isRetried");
    const isRetried = new Map(rows.map((row) => [row.id, row.isRetried]));
    expect([isRetried.get(test.channels.webhook), isRetried.get(test.channels.chat)]).toEqual([false, true]);
  });

  it("many alerts that end at once are notified together", async () => {
    const checks = await Promise.all(
      Array.from({ length: 5 }, (_, i) => test.watched(`https://a.example/${i}`)),
    );
    for (const check of checks) await test.fail(check);
    await test.process();
    test.clock.advance(60_000);
    for (const check of checks) await test.succeed(check);
    await test.process();
    expect(await test.notifiedTo("chat")).toEqual([
      "incident.opened",
      "incident.alert_attached",
      "incident.alerts_recovered",
    ]);
    expect((await test.notifiedTo("paging")).at(-1)).toBe("incident.members_recovered");
  });

  it("a deployment shortly before is ruled in", async () => {
    const body = { service: "shop", version: "1.2.3" };
    await test.services.knex("deployments").insert({
      id: newId("deployment"),
      teamId: test.team.teamId,
      ...body,
      createdAt: new Date(test.now() - 240_000),
    });
    await test.fail(await test.watched("https://a.example/"));
    await test.process();
    const [{ hypothesis }] = await test.incidents();
    expect(hypothesis.ruledIn).toContain("deployment: shop 1.2.3, 4 min before");
    expect(hypothesis.scope).toBe("external_symptoms_and_changes");
  });
});
