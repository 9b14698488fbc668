import { newId } from "@svc/contract";
import { afterAll, beforeAll, beforeEach, expect, it, onTestFinished } from "vitest";
import { type AlertTest, createAlertTest } from "../../../test-support/alerting.ts";
import { createTestClock } from "../../../test-support/app.ts";
import { aReceiver } from "../../../test-support/receivers.ts";
import { recordNotified } from "../../alerting/instances/record-notified.ts";
import { registerChannelRoutes } from "../../outbox/channels/routes.ts";
import { createDeliveryTools } from "../notifications/delivery-tools.ts";
import { registerNotificationRoutes } from "../notifications/routes.ts";
import { NotificationWorker } from "../notifications/worker.ts";
import { processQueue } from "./queue-batch.ts";
import { registerIncidentRoutes } from "./routes.ts";
import { startIncidentWorker } from "./worker.ts";

const PATH = "/api/notification-channels";
const warnings: string[] = [];
let test: AlertTest;
beforeAll(async () => {
  test = await createAlertTest({
    clock: createTestClock(),
    register: (app, services) => {
      services.config.egressPrivate = "allow";
      registerIncidentRoutes(app, services);
      registerChannelRoutes(app, services);
      registerNotificationRoutes(app, services, tools(services));
    },
  });
});
afterAll(() => test.close());
// So that each test's alert opens an incident of its own.
beforeEach(() => test.clock.advance(3_600_000));

function tools(services: AlertTest["services"]) {
  const log = Object.assign(Object.create(services.log), {
    warn: (_details: object, message: string) => void warnings.push(message),
  });
  return createDeliveryTools({ ...services, log }, { onDelivered: recordNotified });
}

async function aWebhook(answer?: Parameters<typeof aReceiver>[0], template?: Record<string, string>) {
  const receiver = await aReceiver(answer);
  const channel = { type: "webhook", url: receiver.url, headers: { "X-Own": "1" } };
  const { id } = (await test.call("POST", PATH, { name: newId("channel"), channel })).body.channel;
  if (template) {
    const overrides = Object.fromEntries(Object.entries(template).map(([type, body]) => [type, { body }]));
    const incidentTemplate = { channelType: "webhook", overrides };
    expect((await test.call("PUT", `${PATH}/${id}`, { incidentTemplate })).status).toBe(200);
  }
  return { receiver, id };
}

async function firing(channelId: string, host = newId("check").slice(4)) {
  const check = await test.newCheck({ name: "Shop", httpConfig: { url: `https://${host}.example/` } });
  const conditions = [{ type: "consecutive_failures", count: 1 }];
  await test.newRule(check, { name: "Down", conditions, channelIds: [channelId] });
  const detail = { errorCategory: "assertion", errorMessage: "status 503, expected 200" };
  await test.deliver(check, [{ slotMs: test.clock.nowMs(), status: "failure", detail }]);
  return check;
}

/** The workers of a replica, until the test ends. */
function working() {
  const delivery = new NotificationWorker({ tools: tools(test.services), log: test.services.log });
  delivery.start();
  const incidents = startIncidentWorker(test.services);
  for (const worker of [delivery, incidents]) onTestFinished(() => worker.close());
}

const deliveries = async (id: string) => (await test.call("GET", `${PATH}/${id}/deliveries`)).body.deliveries;
async function until(condition: () => Promise<boolean>): Promise<void> {
  while (!(await condition())) await new Promise((resolve) => setTimeout(resolve, 20));
}

it("a failing result becomes an incident event at the webhook, with the documented body, once", async () => {
  const { receiver, id } = await aWebhook();
  working();
  const check = await firing(id, "api.shop");
  await receiver.count(1);
  const [{ body, headers }] = receiver.received as [(typeof receiver.received)[0]];
  expect(headers).toMatchObject({ "content-type": "application/json", "x-own": "1" });
  const { event, incident } = body;
  expect(body.schema_version).toBe(1);
  expect(event).toMatchObject({
    eventType: "opened",
    teamId: test.team.teamId,
    actor: { type: "system", id: null },
    payload: {
      eventType: "opened",
      severity: "critical",
      observations: {
        sources: ["synthetic_http"],
        syntheticHttp: {
          affectedChecks: [{ checkId: check.id, checkName: "Shop" }],
          errorSignature: {
            httpStatusCodes: [503],
            errorCategories: ["assertion"],
            locationsAffected: ["US East (Virginia)"],
            sampleMessages: ["status 503, expected 200"],
          },
          sharedFailingDomains: ["shop.example"],
        },
      },
      hypothesis: { scope: "external_symptoms_only" },
      recurrenceOf: [],
    },
  });
  expect(event.payload.fingerprintHash).toMatch(/^[0-9a-f]{64}$/);
  expect(event.payload.memberAlertInstanceIds).toHaveLength(1);
  expect(incident).toMatchObject({ incidentId: event.incidentId, state: "open", severity: "critical" });
  expect(incident.triageUrl).toMatch(/\/incidents\/inc_/);
  await until(async () => (await test.instances(check))[0].notificationCount === 1);
  expect(receiver.received).toHaveLength(1);
});

it("a failed delivery is not tried again", async () => {
  const { receiver, id } = await aWebhook(() => ({ status: 503 }));
  working();
  await firing(id);
  await until(async () => (await deliveries(id)).length === 1);
  expect((await deliveries(id))[0]).toMatchObject({
    eventType: "opened",
    status: "failed",
    nextAttemptAt: null,
  });
  expect(receiver.received).toHaveLength(1);
});

it("an event whose delivery failed is sent when it is redelivered by hand, however soon", async () => {
  const { receiver, id } = await aWebhook((_request, nth) => ({ status: nth === 0 ? 503 : 200 }));
  working();
  await firing(id);
  await until(async () => (await deliveries(id)).length === 1);
  const [failed] = await deliveries(id);
  expect(failed).toMatchObject({ status: "failed", notificationStatus: "failed" });
  const { body } = await test.call("POST", `${PATH}/${id}/deliveries/${failed.id}/redeliver`);
  expect(body.delivery).toMatchObject({ status: "delivered", notificationStatus: "delivered" });
  expect(receiver.received).toHaveLength(2);
  expect((await deliveries(id))[1]).toMatchObject({ status: "failed", notificationStatus: "delivered" });
});

it("an event that the channel was sent within 30 s is recorded as skipped and not sent", async () => {
  const { receiver, id } = await aWebhook();
  working();
  await firing(id);
  await until(async () => (await deliveries(id)).length === 1);
  const [{ id: deliveryId }] = await deliveries(id);
  const again = () => test.call("POST", `${PATH}/${id}/deliveries/${deliveryId}/redeliver`);
  expect((await again()).body.delivery).toMatchObject({ status: "skipped_dedupe", httpStatus: null });
  expect(receiver.received).toHaveLength(1);
  const { knex } = test.services;
  await knex("notificationDeliveries").update({ createdAt: knex.raw("created_at - interval '31 seconds'") });
  expect((await again()).body.delivery).toMatchObject({ status: "delivered" });
  expect(receiver.received).toHaveLength(2);
});

it("a template gives its event a body; another event keeps the default", async () => {
  const { receiver, id } = await aWebhook(undefined, {
    opened:
      '{"text": {{jsonBody incident.title}}, "checks": {{jsonBody payload.observations.syntheticHttp.affectedChecks}} }',
  });
  working();
  const check = await firing(id);
  await receiver.count(1);
  expect(receiver.received[0]?.body).toEqual({
    text: "Shop: failing from US East (Virginia)",
    checks: [{ checkId: check.id, checkName: "Shop" }],
  });
  const [incident] = (await test.call("GET", "/api/incidents?limit=1")).body.incidents;
  await test.call("POST", `/api/incidents/${incident.id}/close`, {}, test.team.bySession);
  await receiver.count(2);
  expect(receiver.received[1]?.body).toMatchObject({ schema_version: 1, event: { eventType: "closed" } });
});

it("a template that fails gives way to the default body, with a warning", async () => {
  const { receiver, id } = await aWebhook(undefined, { opened: '{"text": {{jsonBody incident.title}}}' });
  warnings.length = 0;
  working();
  await firing(id);
  await receiver.count(1);
  expect(receiver.received[0]?.body).toMatchObject({ schema_version: 1, event: { eventType: "opened" } });
  expect(warnings).toEqual([expect.stringMatching(/template of opened was not used.*Parse error/)]);
  await until(async () => (await deliveries(id)).length === 1);
  expect((await deliveries(id))[0]).toMatchObject({
    status: "delivered",
    error: expect.stringContaining("Parse error"),
  });
});

it("a test send posts the saved template with the chosen example, once a minute, and counts nowhere", async () => {
  const { receiver, id } = await aWebhook(undefined, { closed: '{"by": {{jsonBody actor.type}} }' });
  const sent = await test.call("POST", `${PATH}/${id}/test`, { eventType: "closed" });
  expect(sent.body).toMatchObject({ success: true, delivery: { isTest: true, eventType: "closed" } });
  expect(receiver.received[0]?.body).toEqual({ by: "user" });
  expect((await test.call("POST", `${PATH}/${id}/test`)).status).toBe(429);
  test.clock.advance(60_000);
  expect((await test.call("POST", `${PATH}/${id}/test`)).body.delivery.eventType).toBe("opened");
  expect(receiver.received[1]?.body).toMatchObject({ schema_version: 1, event: { eventType: "opened" } });
});

it("an alert that can't be placed in an incident is notified alone, and holds nothing up", async () => {
  const { receiver, id } = await aWebhook();
  const { knex } = test.services;
  const check = await firing(id);
  const [instance] = await test.instances(check);
  // A severity that no incident can have.
  await knex("incidentQueue")
    .where({ instanceId: instance.id })
    .update({ payload: knex.raw(`jsonb_set(payload, '{severity}', '"absurd"')`) });
  await firing(id);
  working();
  await receiver.count(2);
  const types = receiver.received.map(({ body }) => body.eventType ?? body.event.eventType).sort();
  expect(types).toEqual(["alert.triggered", "opened"]);
  expect(await processQueue(knex, { teamId: test.team.teamId, limit: 1, nowMs: test.clock.nowMs() })).toBe(0);
});
