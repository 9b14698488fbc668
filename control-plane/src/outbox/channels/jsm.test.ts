import { createEgress } from "@svc/egress";
import { describe, expect, it } from "vitest";
import { anAnnouncement, anIncidentNotification, aSendContext } from "../../../test-support/notifications.ts";
import { type Answer, aReceiver, type Received } from "../../../test-support/receivers.ts";
import { announce } from "../announce.ts";
import type { IncidentOccasionType } from "../incident-occasions/registry.ts";
import { jsm } from "./jsm.ts";

const ID = "inc_01h2xcejqtf2nbrexx3vqjhp41";
const config = {
  type: "jsm" as const,
  apiKey: "key-secret",
  apiUrl: "http://127.0.0.1:1/jsm/ops/integration/",
};

/** The alerts of an integration: created, counted up, acknowledged and closed by their alias. */
async function anIntegration(refuse: (request: Received) => Answer | undefined = () => undefined) {
  const alerts: { alias: string; count: number; status: string; notes: string[] }[] = [];
  const receiver = await aReceiver((request) => {
    const refusal = refuse(request);
    if (refusal) return refusal;
    const { pathname, searchParams } = new URL(request.path, "http://x");
    const [, alias = "", action] = /\/v2\/alerts\/([^/]+)\/(\w+)$/.exec(pathname) ?? [];
    const open = (wanted: string) => alerts.find((one) => one.alias === wanted && one.status !== "closed");
    if (action === undefined) {
      const alert = open(request.body.alias);
      if (alert) alert.count++;
      else alerts.push({ alias: request.body.alias, count: 1, status: "open", notes: [] });
    } else {
      if (searchParams.get("identifierType") !== "alias") return { status: 422, body: "{}" };
      const alert = open(decodeURIComponent(alias));
      if (alert && action === "acknowledge") alert.status = "acknowledged";
      if (alert && action === "close") alert.status = "closed";
      alert?.notes.push(request.body.note);
    }
    return { status: 202, body: '{"result":"Request will be processed","took":0.1,"requestId":"r"}' };
  });
  const send = (occasion: IncidentOccasionType) => {
    const apiUrl = `${receiver.url}/jsm/ops/integration`;
    const message = jsm.render(announce(anIncidentNotification(occasion)), { ...config, apiUrl });
    return jsm.send(message, aSendContext());
  };
  return { ...receiver, alerts, send };
}

it("creates the alert of an incident, by the integration's key", async () => {
  const { received, send } = await anIntegration();
  expect(await send("opened")).toEqual({ httpStatus: 202 });
  expect(received).toMatchObject([
    {
      method: "POST",
      path: "/jsm/ops/integration/v2/alerts",
      headers: { authorization: "GenieKey key-secret" },
      body: {
        message: "[CRITICAL] Example check: status 503, expected 200: incident opened",
        alias: ID,
        priority: "P1",
        source: "svc",
        tags: ["svc", "critical"],
        details: { Severity: "critical", Opened: "2026-06-01 12:00:00 UTC" },
      },
    },
  ]);
  expect(received[0]?.body.description).toContain(`Open the incident: https://svc.example/incidents/${ID}`);
});

it("has one alert for an incident, whatever comes twice; it is acknowledged and closed by its alias", async () => {
  const { alerts, send } = await anIntegration();
  for (const occasion of ["opened", "opened", "alert_attached", "acknowledged", "alerts_recovered"] as const)
    await send(occasion);
  expect(alerts).toMatchObject([{ alias: ID, count: 3, status: "acknowledged" }]);
  await send("members_recovered");
  await send("auto_resolved");
  expect(alerts).toMatchObject([{ status: "closed" }]);
  expect(alerts[0]?.notes).toHaveLength(3);
  await send("reopened");
  expect(alerts).toMatchObject([{ status: "closed" }, { alias: ID, count: 1, status: "open" }]);
});

it("texts and priorities keep to the lengths that the API takes", () => {
  const long = "€".repeat(20_000);
  const announcement = {
    ...anAnnouncement({ payload: { severity: "warning" } }),
    title: long,
    summary: long,
    details: Array.from({ length: 40 }, (_, index) => [`Detail ${index}`, long] as const),
    origin: { source: long, component: long, group: "g", class: "c" },
  };
  const { body } = jsm.render(announcement, config);
  expect(body.priority).toBe("P3");
  expect((body.message as string).length).toBeLessThanOrEqual(130);
  expect((body.entity as string).length).toBeLessThanOrEqual(512);
  expect((body.description as string).length).toBeLessThanOrEqual(15_000);
  expect(body.description).toMatch(/Open the check: https:\/\/svc\.example\/checks\/\w+$/);
  expect(JSON.stringify(body.details).length).toBeLessThan(8_000);
});

describe("answers", () => {
  it.each<[Answer, object]>([
    [
      { status: 429, headers: { "x-ratelimit-state": "THROTTLED", "x-ratelimit-period-in-sec": "60" } },
      { mayRetry: true, retryAfterMs: 60_000 },
    ],
    [
      { status: 429, headers: { "retry-after": "5" } },
      { mayRetry: true, retryAfterMs: 5_000 },
    ],
    [{ status: 503 }, { mayRetry: true, retryAfterMs: undefined }],
    [{ status: 401, body: '{"message":"Could not authenticate"}' }, { mayRetry: false }],
    [{ status: 403, body: '{"message":"The integration is disabled"}' }, { mayRetry: false }],
    [{ status: 422, body: '{"message":"Request body is not processable"}' }, { mayRetry: false }],
  ])("%j", async (answer, error) => {
    const { send } = await anIntegration(() => answer);
    await expect(send("opened")).rejects.toMatchObject(error);
  });
});

it("a private address is refused where the operator has not allowed it", async () => {
  const { url, received } = await aReceiver();
  const message = jsm.render(anAnnouncement(), { ...config, apiUrl: url });
  const context = aSendContext({ egress: createEgress({ allowPrivate: false }) });
  await expect(jsm.send(message, context)).rejects.toThrow(/127\.0\.0\.1/);
  expect(received).toHaveLength(0);
});
