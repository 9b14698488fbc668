import { newId } from "@svc/contract";
import { createEgress } from "@svc/egress";
import { describe, expect, it } from "vitest";
import { anAnnouncement, aSendContext } from "../../../test-support/notifications.ts";
import { type Answer, aReceiver, type Received } from "../../../test-support/receivers.ts";
import { announce } from "../announce.ts";
import type { NotificationAboutLocation } from "../payload.ts";
import { slack } from "./slack.ts";

const config = {
  type: "slack" as const,
  botToken: "xoxb-1-secret",
  channel: "C0123456789",
  apiUrl: "http://127.0.0.1:1/api/",
};

const ok = (body: object): Answer => ({ status: 200, body: JSON.stringify(body) });

/** Slack's Web API: threads are in the channel that they began in, and messages get timestamps in turn. */
async function aSlack(refuse: (request: Received, nth: number) => Answer | undefined = () => undefined) {
  const messages: { channel: string; ts: string; thread_ts?: string }[] = [];
  const receiver = await aReceiver((request, nth) => {
    const refusal = refuse(request, nth);
    if (refusal) return refusal;
    const { channel, thread_ts } = request.body;
    if (thread_ts !== undefined && !messages.some((one) => one.ts === thread_ts && one.channel === channel))
      return ok({ ok: false, error: "thread_not_found" });
    const ts = `17000000${messages.length}.000100`;
    messages.push({ channel, ts, ...(thread_ts && { thread_ts }) });
    return ok({ ok: true, channel, ts, message: { ts } });
  });
  const send = (externalId?: string, changes: Partial<typeof config> = {}) =>
    slack.send(
      slack.render(anAnnouncement(), { ...config, apiUrl: `${receiver.url}/api/`, ...changes }),
      aSendContext({ externalId }),
    );
  return { ...receiver, messages, send };
}

function aLocationNotification(
  previousHealth: NotificationAboutLocation["payload"]["health"],
): NotificationAboutLocation {
  const id = newId("location");
  return {
    about: "location",
    id: newId("notification"),
    teamId: newId("team"),
    isTest: false,
    links: { location: `https://svc.example/locations/${id}` },
    payload: {
      location: { id, name: "office", displayName: "Office" },
      health: "offline",
      previousHealth,
      lastHeartbeat: null,
      checkCount: 3,
      occurredAt: "2026-06-01T12:00:01.000Z",
    },
  };
}

it("posts JSON with the bot's token, and unfolds no links", async () => {
  const { received, send } = await aSlack();
  await send();
  expect(received).toMatchObject([
    {
      method: "POST",
      path: "/api/chat.postMessage",
      headers: { authorization: "Bearer xoxb-1-secret", "content-type": "application/json" },
      body: { channel: "C0123456789", unfurl_links: false, unfurl_media: false },
    },
  ]);
  expect(received[0]?.body.text).toContain("*[CRITICAL] Home page: alert triggered*");
  expect(received[0]?.body).not.toHaveProperty("thread_ts");
});

describe("a thread", () => {
  it("begins with the first message, and has the others", async () => {
    const { messages, send } = await aSlack();
    const { externalId } = await send();
    expect(externalId).toBe("C0123456789/170000000.000100");
    // A later message is remembered nowhere: the thread is that of the first.
    expect(await send(externalId)).toEqual({ httpStatus: 200 });
    expect(messages.map(({ thread_ts }) => thread_ts)).toEqual([undefined, "170000000.000100"]);
  });

  it("begins anew when the channel leads to another of Slack's", async () => {
    const { messages, send } = await aSlack();
    const { externalId } = await send();
    const elsewhere = await send(externalId, { channel: "C0123456789X" });
    expect(elsewhere.externalId).toBe("C0123456789X/170000001.000100");
    expect(messages[1]).not.toHaveProperty("thread_ts");
  });

  it("begins anew when a location fails again", async () => {
    const { messages, url } = await aSlack();
    for (const previousHealth of ["active", "degraded"] as const) {
      const announcement = announce(aLocationNotification(previousHealth));
      const message = slack.render(announcement, { ...config, apiUrl: url });
      messages.push({ channel: config.channel, ts: "1.1" });
      await slack.send(message, aSendContext({ externalId: `${config.channel}/1.1` }));
    }
    expect(messages.filter(({ ts }) => ts !== "1.1").map(({ thread_ts }) => thread_ts)).toEqual([
      undefined,
      "1.1",
    ]);
  });

  it("begins anew when its first message was deleted", async () => {
    const { messages, send, received } = await aSlack();
    expect((await send("C0123456789/1600000000.000100")).externalId).toBe("C0123456789/170000000.000100");
    expect(messages).toHaveLength(1);
    expect(received).toHaveLength(2);
  });
});

describe("answers", () => {
  it.each([
    ["invalid_auth", false],
    ["channel_not_found", false],
    ["not_in_channel", false],
    ["is_archived", false],
    ["token_revoked", false],
    ["msg_too_long", false],
    ["missing_scope", false],
    ["an_error_of_next_year", false],
    ["internal_error", true],
    ["fatal_error", true],
    ["service_unavailable", true],
    ["ratelimited", true],
  ])("%s: may be tried again: %s", async (error, mayRetry) => {
    const { send } = await aSlack(() => ok({ ok: false, error }));
    for (const externalId of [undefined, "C0123456789/1.1"])
      await expect(send(externalId)).rejects.toMatchObject({
        message: `Slack answered ${error}`,
        mayRetry,
        httpStatus: 200,
      });
  });

  it("a rate limit is waited for, whether it comes as 429 or as 200", async () => {
    const body = '{"ok":false,"error":"ratelimited"}';
    for (const status of [429, 200]) {
      const { send } = await aSlack(() => ({ status, headers: { "retry-after": "30" }, body }));
      await expect(send()).rejects.toMatchObject({ mayRetry: true, retryAfterMs: 30_000 });
    }
  });

  it("a page, or an answer without an outcome, is no delivery", async () => {
    for (const body of ["<html>sign in</html>", "{}", "[]", '{"ok":"true"}']) {
      const { send } = await aSlack(() => ({ status: 200, body }));
      await expect(send()).rejects.toMatchObject({ message: /is apiUrl right/, mayRetry: true });
    }
  });
});

it("the longest texts make no message that Slack cuts, and names can't call everyone", () => {
  const long = "<!channel>&€".repeat(5_000);
  const announcement = {
    ...anAnnouncement(),
    title: long,
    summary: long,
    subject: { name: long, url: "https://svc.example/" },
    details: Array.from({ length: 20 }, () => ["Detail", long] as const),
  };
  const { body } = slack.render(announcement, config);
  expect(body.text.length).toBeLessThan(40_000);
  expect(JSON.stringify(body)).not.toContain("<!");
  expect(Buffer.byteLength(JSON.stringify(body))).toBeLessThan(256 * 1024);
});

it("a private address is refused where the operator has not allowed it", async () => {
  const { url, received } = await aReceiver();
  const message = slack.render(anAnnouncement(), { ...config, apiUrl: url });
  const context = aSendContext({ egress: createEgress({ allowPrivate: false }) });
  await expect(slack.send(message, context)).rejects.toThrow(/127\.0\.0\.1/);
  expect(received).toHaveLength(0);
});
