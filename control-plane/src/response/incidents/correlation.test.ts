import { newId } from "@svc/contract";
import { afterAll, beforeAll, beforeEach, describe, expect, it } from "vitest";
import {
  createIncidentTest,
  EAST,
  EUROPE,
  type IncidentTest,
  WEST,
} from "../../../test-support/incident-test.ts";

let test: IncidentTest;
beforeAll(async () => {
  test = await createIncidentTest();
});
afterAll(() => test.close());
beforeEach(() => test.beginAnew());

describe("correlation", () => {
  it("an alert opens an incident that says what, where and why", async () => {
    const check = await test.watched("https://api.shop.example/health", { name: "API" });
    await test.fail(check);
    await test.process();
    const [incident] = await test.incidents();
    expect(incident).toMatchObject({
      state: "open",
      severity: "critical",
      title: "API: failing from US East (Virginia)",
      memberCount: 1,
      openMemberCount: 1,
      recurrenceOf: [],
      triageUrl: `http://127.0.0.1:8080/incidents/${incident.id}`,
      observations: {
        sources: ["synthetic_http"],
        syntheticHttp: {
          affectedChecks: [{ checkId: check.id, checkName: "API" }],
          errorSignature: {
            errorCategories: ["connect"],
            locationsAffected: ["US East (Virginia)"],
            sampleMessages: ["connect failed"],
          },
        },
      },
    });
    expect(incident.hypothesis.summary).toBe(
      "api.shop.example refuses connections or can't be reached: connect failed.",
    );
    const { events, alerts } = await test.detail(incident.id);
    expect(events).toMatchObject([{ eventType: "opened", actor: { type: "system", id: null } }]);
    expect(events[0].payload.memberAlertInstanceIds).toEqual([alerts[0].id]);
    expect(await test.services.knex("incidentQueue").where({ teamId: test.team.teamId })).toEqual([]);
  });

  it.each([
    ["the host", "https://a.example/1", "https://a.example/2", {}, {}, 1],
    ["the domain", "https://a.shop.example.com/", "https://b.shop.example.com/", {}, {}, 1],
    ["a label", "https://a.example/", "https://b.example/", { labels: ["pay"] }, { labels: ["pay"] }, 1],
    ["location and error category", "https://a.example/", "https://b.example/", {}, {}, 1],
    ["the location alone", "https://a.example/", "https://b.example/", {}, { category: "dns" }, 2],
    ["the error category alone", "https://a.example/", "https://b.example/", {}, { locations: [WEST] }, 2],
    ["a public suffix", "https://a.co.uk/", "https://b.co.uk/", {}, { category: "dns" }, 2],
  ])("alerts that share %s: %s and %s", async (_name, first, second, one, other, count) => {
    await test.fail(await test.watched(first, one));
    await test.fail(await test.watched(second, other), "category" in other ? other.category : undefined);
    await test.process();
    expect(await test.incidents()).toHaveLength(count);
  });

  it.each([
    [300_000, 1],
    [300_001, 2],
  ])("alerts that begin %i ms apart are %i incidents", async (apartMs, count) => {
    await test.fail(await test.watched("https://a.example/1"));
    await test.process();
    test.clock.advance(apartMs);
    await test.fail(await test.watched("https://a.example/2"));
    await test.process();
    expect(await test.incidents()).toHaveLength(count);
  });

  it.each<[string, string, Record<string, unknown>, string]>([
    [
      "a header of the answer",
      "assertion",
      { response: { httpStatusCode: 503, headers: { "retry-after": "60" }, body: "" } },
      "shows a maintenance page",
    ],
    [
      "requests of a page",
      "script",
      {
        networkRequestsJson: [
          { url: "https://shop.example/", resourceType: "document", httpStatusCode: 200 },
          {
            url: "https://cdn.net/a.js",
            resourceType: "script",
            httpStatusCode: null,
            errorText: "net::ERR",
          },
          { url: "https://fonts.net/a.css", resourceType: "stylesheet", httpStatusCode: 200 },
        ],
      },
      "not what its page needs from cdn.net,",
    ],
    [
      "assertions of an answer",
      "assertion",
      {
        response: { httpStatusCode: 200, headers: {}, body: "" },
        assertions: [
          { type: "body_json_path", passed: false, expected: "ok", actual: null, message: "nothing" },
        ],
      },
      "answers with another structure",
    ],
  ])("the hypothesis knows %s from the stored detail", async (_name, errorCategory, more, summary) => {
    const check = await test.watched("https://api.shop.example/health", { name: "API" });
    await test.deliver(check, [test.failure(errorCategory, { detail: { errorCategory, ...more } })]);
    await test.process();
    const [incident] = await test.incidents();
    expect(incident.hypothesis.summary).toContain(summary);
  });

  it("another team's alerts are another team's incident", async () => {
    await test.fail(await test.watched("https://a.example/1"));
    await test.process();
    const [own] = await test.incidents();
    const other = await test.createTeam();
    expect((await test.call("GET", `/api/incidents/${own.id}`, undefined, other.byKey)).status).toBe(404);
    expect((await test.call("GET", "/api/incidents", undefined, other.byKey)).body.incidents).toEqual([]);
    expect((await test.call("POST", `/api/incidents/${own.id}/close`, {}, other.bySession)).status).toBe(404);
  });

  it("a location that fails as a whole is one incident of that location", async () => {
    const locations = [EAST, WEST, EUROPE];
    // Answers, however wrong: a location that does not get through to its targets has an incident without these alerts.
    const categories = ["http", "protocol", "script", "assertion", "http"];
    const checks = await Promise.all(
      categories.map((_, i) => test.watched(`https://target-${i}.example/`, { locations })),
    );
    for (const [i, check] of checks.entries()) {
      const [east, west, europe] = check.locationKeys as [number, number, number];
      await test.deliver(check, [
        test.failure(categories[i], { locationKey: east }),
        ...[west, europe].map((locationKey) => ({ slotMs: test.now(), locationKey })),
      ]);
      await test.process();
    }
    const all = await test.incidents();
    expect(all).toHaveLength(1);
    expect(all[0].title).toBe("5 checks failing from US East (Virginia)");
    expect(all[0].hypothesis.summary).toContain(
      "US East (Virginia) or its network is the likely cause: 5 of 5",
    );
    expect(all[0].hypothesis.correlationDimensionsMatched).toEqual([`location:${EAST}`]);
  });

  it("a muted alert opens no incident until it is unmuted", async () => {
    const check = await test.watched("https://a.example/");
    const windows = {
      name: newId("maintenanceWindow"),
      mode: "continue",
      timezone: "UTC",
      isForAllChecks: true,
      id: newId("maintenanceWindow"),
      teamId: test.team.teamId,
    };
    const [{ key: windowKey }] = await test.services
      .knex("maintenanceWindows")
      .insert({
        ...windows,
        startsAt: new Date(test.now() - 1000),
        endsAt: new Date(test.now() + 60_000),
        expandedUntil: new Date(test.now()),
      })
      .returning("key");
    const occurrence = {
      windowKey,
      startsAt: new Date(test.now() - 1000),
      endsAt: new Date(test.now() + 60_000),
    };
    await test.services.knex("maintenanceOccurrences").insert(occurrence);
    await test.fail(check);
    await test.process();
    expect(await test.incidents()).toEqual([]);
    const [instance] = await test.instances(check);
    expect((await test.call("POST", `/api/alerts/instances/${instance.id}/unmute`)).status).toBe(200);
    await test.process();
    expect(await test.incidents()).toHaveLength(1);
  });

  it("an entry of the queue that two workers process at once counts once", async () => {
    await test.fail(await test.watched("https://a.example/"));
    await Promise.all([test.process(), test.process(), test.process()]);
    const [incident] = await test.incidents();
    expect(await test.eventTypes(incident.id)).toEqual(["opened"]);
    expect(await test.notifiedTo("webhook")).toEqual(["incident.opened"]);
  });
});
