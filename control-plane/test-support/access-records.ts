/** One record of each kind that a path can name, for a team of a test, and bodies that the routes take. */
import { newId, resultIdOf, runIdOf } from "@svc/contract";
import type { TestApp, TestTeam } from "./app.ts";
import { aCheck, aResult, keyOfCheck, keyOfLocation, storeResults } from "./builders.ts";
import { addPerson, addSession } from "./people.ts";

/** Value of each parameter of a path, by the path up to the parameter: `/api/checks/` is the id of a check. */
export type AccessRecords = Record<string, string>;

const WEBHOOK = { name: "Hook", channel: { type: "webhook", url: "http://127.0.0.1:9/" } };
const RULE = { name: "Down", conditions: [{ type: "consecutive_failures" }] };
const WINDOW = {
  name: "Night",
  startsAt: "2027-01-01T00:00:00.000Z",
  endsAt: "2027-01-01T01:00:00.000Z",
  checkIds: "all",
};
/** A month that has begun by the clock of tests, and in which their teams were there. */
const REPORTED_MONTH = "2026-05";
const NOTICE = { kind: "incident", title: "Slow", text: "We look into it." };
const SPEC = {
  sourceType: "upload",
  content: '{"openapi":"3.1.0","info":{"title":"t","version":"1"},"paths":{}}',
};

/** Bodies for routes that name a record: those of other routes may be refused as invalid, these must reach the record. */
export function bodiesOf(records: AccessRecords): Record<string, object> {
  return {
    "PUT /api/checks/:id": { name: "Renamed" },
    "PUT /api/checks/:id/labels": { labels: ["a"] },
    "POST /api/checks/:id/alerts": { ...RULE, channelIds: [records["/api/notification-channels/"]] },
    "PUT /api/alerts/:alertId": { name: "Renamed" },
    "PUT /api/alert-policies/:id": { name: "Renamed" },
    "PUT /api/notification-channels/:id": { name: "Renamed" },
    "PUT /api/maintenance-windows/:id": { name: "Renamed" },
    "PUT /api/status-pages/:id": { title: "Renamed" },
    "POST /api/status-pages/:id/notices": NOTICE,
    "PUT /api/status-pages/:id/notices/:noticeId": { title: "Renamed" },
    "POST /api/status-pages/:id/notices/:noticeId/updates": { status: "identified", text: "Found." },
    "POST /api/status-pages/:id/subscribers": { url: "https://hooks.example.com/notices" },
    "PUT /api/slos/:id": { name: "Renamed" },
    "PUT /api/specs/:id": { content: SPEC.content },
    "POST /api/specs/:id/generate-checks": { locations: ["loc_us_east"] },
    "PUT /api/secrets/:id": { value: "another" },
    "PUT /api/locations/:id": { displayName: "There" },
    "PUT /api/deploy-baselines/:project": { resources: [] },
    "PUT /api/team/members/:userId": { role: "viewer" },
    "POST /api/incidents/:id/notes": { body: "Seen" },
    "PUT /api/incident-policy": { steps: [] },
    "PUT /api/rotas/:id": { name: "Renamed" },
    "PUT /api/report-subscription": { channelIds: [] },
  };
}

/** Makes the records of the team. The session among them is one of the team's owner. */
export async function someAccessRecords(test: TestApp, team: TestTeam): Promise<AccessRecords> {
  const { knex, clock } = test.services;
  const post = async (url: string, body: object) => {
    const { status, body: answer } = await test.call("POST", url, body as never, team.bySession);
    if (status > 202) throw new Error(`POST ${url} answered ${status}: ${JSON.stringify(answer)}`);
    return answer;
  };
  const { channel } = await post("/api/notification-channels", WEBHOOK);
  const { location } = await post("/api/locations", { name: "office" });
  const { check } = await post("/api/checks", aCheck());
  const rule = await post(`/api/checks/${check.id}/alerts`, { ...RULE, channelIds: [channel.id] });
  const { policy } = await post("/api/alert-policies", {
    ...RULE,
    labels: ["team:shop"],
    channelIds: [channel.id],
  });
  await knex("teams").update({ createdAt: new Date("2026-05-07T00:00:00Z") });
  const { rota } = await post("/api/rotas", {
    name: "On call",
    startsAt: "2027-01-01T00:00:00Z",
    handover: { type: "hourly", everyHours: 12 },
    members: [{ name: "Ada", channelIds: [channel.id] }],
  });
  const { key: runnerKey } = await post(`/api/locations/${location.id}/keys`, {});
  const { slo } = await post("/api/slos", {
    name: "Up",
    checkId: check.id,
    targetBasisPoints: 9900,
    windowDays: 30,
  });
  const { spec } = await post("/api/specs", SPEC);
  const { testRun } = await post("/api/test-runs", {
    type: "http",
    httpConfig: { url: "https://example.org/" },
    locations: ["loc_us_east"],
  });
  await test.services.knex.raw(
    `INSERT INTO test_run_pictures (test_run_key, location_key, position, step, jpeg)
     SELECT l.test_run_key, l.location_key, 0, '', '' FROM test_run_locations l JOIN test_runs t ON t.key = l.test_run_key
     WHERE t.id = ?`,
    [testRun.id],
  );
  const { plan } = await post("/api/plans", {
    project: "shop",
    changes: [],
    summary: { create: 0, update: 0, delete: 0, unchanged: 1 },
  });
  const { secret } = await post("/api/secrets", { name: "TOKEN", value: "hush" });
  const { statusPage } = await post("/api/status-pages", { slug: "shop", title: "Shop", isPublished: true });
  const { notice } = await post(`/api/status-pages/${statusPage.id}/notices`, NOTICE);
  const { subscriber } = await post(`/api/status-pages/${statusPage.id}/subscribers`, {
    url: "https://hooks.example.com/notices",
  });
  const { maintenanceWindow } = await post("/api/maintenance-windows", WINDOW);
  const { pattern } = await post("/api/third-party-patterns", { name: "CDN", hostPattern: "*.example.com" });
  const { key: apiKey } = await post("/api/api-keys", { name: "CI" });
  const { displayLink } = await post("/api/display-links", { name: "Hall" });
  const { invitation } = await post("/api/team/invitations", { email: "guest@example.com" });
  await post(`/api/notification-channels/${channel.id}/test`, {});
  const [delivery] = (
    await test.call("GET", `/api/notification-channels/${channel.id}/deliveries`, undefined, team.byKey)
  ).body.deliveries;
  const member = await addPerson(test, { teamId: team.teamId, role: "member" });
  await addSession(test, { userId: team.userId, teamId: team.teamId });
  const { sessions } = (await test.call("GET", "/api/auth/sessions", undefined, team.bySession)).body;

  const checkKey = await keyOfCheck(knex, check.id);
  const locationKey = await keyOfLocation(knex, "loc_us_east");
  const slotMs = clock.nowMs() - (clock.nowMs() % 60_000);
  await storeResults(knex, [aResult({ checkKey, locationKey, slotMs })]);
  const ruleRow = await knex("alertRules").where({ id: rule.id }).first("key");
  const common = { teamId: team.teamId, severity: "critical" };
  const instanceId = newId("alertInstance");
  await knex("alertInstances").insert({
    ...common,
    id: instanceId,
    ruleKey: ruleRow.key,
    checkKey,
    state: "active",
    startedAt: new Date(slotMs),
    context: "{}",
  });
  const incidentId = newId("incident");
  await knex("incidents").insert({
    ...common,
    id: incidentId,
    title: "Down",
    state: "open",
    dimensions: [],
    fingerprintHash: "hash",
    hypothesis: "null",
    observations: "[]",
    memberCount: 0,
    openMemberCount: 0,
    openedAt: new Date(slotMs),
  });
  return {
    "/api/checks/": check.id,
    "/api/checks/:id/results/": resultIdOf({ checkKey, locationKey, slotMs }),
    "/api/checks/:id/runs/": runIdOf({ checkKey, slotMs }),
    "/api/alerts/": rule.id,
    "/api/alert-policies/": policy.id,
    "/api/rotas/": rota.id,
    "/api/alerts/instances/": instanceId,
    "/api/incidents/": incidentId,
    "/api/notification-channels/": channel.id,
    "/api/notification-channels/:id/deliveries/": delivery.id,
    "/api/maintenance-windows/": maintenanceWindow.id,
    "/api/status-pages/": statusPage.id,
    "/api/status-pages/:id/subscribers/": subscriber.id,
    "/api/status-pages/:id/notices/": notice.id,
    "/status/": statusPage.slug,
    "/api/slos/": slo.id,
    "/api/specs/": spec.id,
    "/api/secrets/": secret.id,
    "/api/plans/": plan.id,
    "/api/test-runs/": testRun.id,
    "/api/test-runs/:id/screenshots/": "0-0",
    "/api/third-party-patterns/": pattern.id,
    "/api/locations/": location.id,
    "/api/locations/:id/keys/": runnerKey.id,
    "/api/api-keys/": apiKey.id,
    "/api/display-links/": displayLink.id,
    "/api/auth/sessions/": sessions.find(({ isCurrent }: { isCurrent: boolean }) => !isCurrent).id,
    "/api/team/members/": member.userId,
    "/api/team/invitations/": invitation.id,
    "/api/deploy-baselines/": "project",
    "/api/reports/": REPORTED_MONTH,
    "/api/artifacts/": newId("artifact"),
  };
}
