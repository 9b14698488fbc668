import { createEgress } from "@svc/egress";
import { describe, expect, it } from "vitest";
import { aNotification, anAnnouncement, aSendContext } from "../../../test-support/notifications.ts";
import { aReceiver } from "../../../test-support/receivers.ts";
import { webhook } from "./webhook.ts";

const config = { type: "webhook" as const, url: "http://127.0.0.1:1/", method: "POST" as const };

it("the body has the documented shape", () => {
  const { body } = webhook.render(
    anAnnouncement({ kind: "acknowledged", payload: { actorId: "usr_1" } }),
    config,
  );
  expect(body).toEqual({
    schema_version: 1,
    notificationId: "ntf_01h2xcejqtf2nbrexx3vqjhp41",
    eventType: "alert.acknowledged",
    isTest: false,
    teamId: "team_01h2xcejqtf2nbrexx3vqjhp41",
    occurredAt: "2026-06-01T12:00:01.000Z",
    summary: "Home page is failing from US East: status 503, expected 200",
    alert: {
      id: "ainst_01h2xcejqtf2nbrexx3vqjhp41",
      state: "acknowledged",
      severity: "critical",
      startedAt: "2026-06-01T12:00:00.000Z",
      durationMs: null,
      actorId: "usr_1",
      traceId: "0af7651916cd43dd8448eb211c80319c",
      context: { conditions: [{ type: "consecutive_failures", threshold: 2, observed: 2 }] },
    },
    rule: { id: "alert_01h2xcejqtf2nbrexx3vqjhp41", name: "Down" },
    check: {
      id: "chk_01h2xcejqtf2nbrexx3vqjhp41",
      name: "Home page",
      type: "http",
      targetUrl: "https://example.com/",
    },
    locations: ["US East (Virginia)"],
    links: aNotification().links,
  });
});

it.each([
  ["triggered", "active"],
  ["escalated", "active"],
  ["acknowledged", "acknowledged"],
  ["recovered", "recovered"],
  ["resolved", "resolved"],
] as const)("after %s the alert is %s", (kind, state) => {
  expect(webhook.render(anAnnouncement({ kind }), config).body).toMatchObject({ alert: { state } });
});

it("the channel's method and headers are used; headers that frame the body are the service's", async () => {
  const receiver = await aReceiver();
  const headers = {
    Authorization: "Bearer x",
    "content-length": "3",
    "Transfer-Encoding": "chunked",
    "X-A": "1",
  };
  const message = webhook.render(anAnnouncement(), { ...config, url: receiver.url, method: "PUT", headers });
  await webhook.send(message, aSendContext());
  const [request] = receiver.received;
  expect(request).toMatchObject({ method: "PUT", body: message.body });
  expect(request?.headers).toMatchObject({
    authorization: "Bearer x",
    "x-a": "1",
    "content-type": "application/json",
    "svc-notification-id": "ntf_01h2xcejqtf2nbrexx3vqjhp41",
  });
  expect(request?.headers).not.toHaveProperty("transfer-encoding");
});

describe("the answer", () => {
  const send = async (answer: { status: number; headers?: Record<string, string>; body?: string }) => {
    const receiver = await aReceiver(() => answer);
    const message = webhook.render(anAnnouncement(), { ...config, url: receiver.url });
    const outcome = await webhook.send(message, aSendContext()).catch((error) => error);
    expect(receiver.received).toHaveLength(1);
    return outcome;
  };

  it.each([
    [200, undefined],
    [202, undefined],
    [301, false],
    [307, false],
    [400, false],
    [404, false],
    [408, true],
    [410, false],
    [429, true],
    [500, true],
    [503, true],
  ])("%i: may be tried again: %s", async (status, mayRetry) => {
    const outcome = await send({ status, headers: { location: "http://127.0.0.1:9/next" } });
    expect(outcome).toMatchObject(
      mayRetry === undefined ? { httpStatus: status } : { mayRetry, httpStatus: status },
    );
  });

  it("the endpoint's words about a refusal are shown, shortened and on one line", async () => {
    const { message } = await send({ status: 400, body: `no\n\u0007such ${"x".repeat(5_000)}` });
    expect(message).toMatch(/^the endpoint answered 400: no such x+$/);
    expect(message.length).toBeLessThan(260);
  });

  it("Retry-After is respected, in seconds or as a date", async () => {
    expect((await send({ status: 429, headers: { "retry-after": "7" } })).retryAfterMs).toBe(7_000);
    const inAMinute = new Date(Date.now() + 60_000).toUTCString();
    const { retryAfterMs } = await send({ status: 503, headers: { "retry-after": inAMinute } });
    expect(retryAfterMs).toBeGreaterThan(30_000);
    expect((await send({ status: 429, headers: { "retry-after": "soon" } })).retryAfterMs).toBeUndefined();
    expect((await send({ status: 404, headers: { "retry-after": "7" } })).retryAfterMs).toBeUndefined();
  });

  it("a redirect to a private address is not followed", async () => {
    const dialled: string[] = [];
    const egress = createEgress({
      allowPrivate: true,
      resolve: async (hostname) => {
        dialled.push(hostname);
        return [{ address: "127.0.0.1", family: 4 }];
      },
    });
    const receiver = await aReceiver(() => ({
      status: 302,
      headers: { location: "http://metadata.example/" },
    }));
    const url = receiver.url.replace("127.0.0.1", "receiver.example");
    const message = webhook.render(anAnnouncement(), { ...config, url });
    const outcome = await webhook.send(message, aSendContext({ egress })).catch((error) => error);
    expect(outcome.message).toContain("a redirect to http://metadata.example; redirects are not followed");
    expect(dialled).toEqual(["receiver.example"]);
  });

  it("a private address is refused where the operator has not allowed it", async () => {
    const egress = createEgress({ allowPrivate: false });
    const receiver = await aReceiver();
    const message = webhook.render(anAnnouncement(), { ...config, url: receiver.url });
    await expect(webhook.send(message, aSendContext({ egress }))).rejects.toThrow(/127\.0\.0\.1/);
    expect(receiver.received).toHaveLength(0);
  });
});
