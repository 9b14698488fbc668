import type { CheckId } from "@svc/contract";
import { createEgress } from "@svc/egress";
import { describe, expect, it } from "vitest";
import { anAnnouncement, aSendContext } from "../../../test-support/notifications.ts";
import { type Answer, aReceiver, type Received } from "../../../test-support/receivers.ts";
import { telegram } from "./telegram.ts";

const config = {
  type: "telegram" as const,
  botToken: "123456:ABC-secret",
  chatId: "-1001234567890",
  apiUrl: "http://127.0.0.1:1/",
};

/** Returns a text as Telegram shows it. */
const shown = (html: string) =>
  html
    .replaceAll(/<\/?(?:b|a)(?: href="[^"]*")?>/g, "")
    .replaceAll("&lt;", "<")
    .replaceAll("&gt;", ">")
    .replaceAll("&quot;", '"')
    .replaceAll("&amp;", "&");

/** A Bot API that numbers messages from 41. */
async function aBotApi(refuse: (request: Received) => Answer | undefined = () => undefined) {
  const receiver = await aReceiver(
    (request, nth) =>
      refuse(request) ?? {
        status: 200,
        body: JSON.stringify({ ok: true, result: { message_id: 41 + nth, chat: { id: -1 } } }),
      },
  );
  const send = (externalId?: string, changes: Partial<typeof config> & { topicId?: number } = {}) =>
    telegram.send(
      telegram.render(anAnnouncement(), { ...config, apiUrl: receiver.url, ...changes }),
      aSendContext({ externalId }),
    );
  return { ...receiver, send };
}

it("says what happened to which check, since when, from where, with links to more", () => {
  const { url, body } = telegram.render(anAnnouncement(), config);
  expect(url).toBe("http://127.0.0.1:1/bot123456:ABC-secret/sendMessage");
  expect(body).toMatchObject({ chat_id: "-1001234567890", parse_mode: "HTML" });
  const lines = body.text.split("\n");
  expect(lines.slice(0, 3)).toEqual([
    "<b>[CRITICAL] Home page: alert triggered</b>",
    "Home page is failing from US East: status 503, expected 200",
    "",
  ]);
  expect(lines).toContain("Locations: <b>US East (Virginia)</b>");
  expect(lines.at(-1)).toBe(
    '<a href="https://svc.example/alerts/ainst_01h2xcejqtf2nbrexx3vqjhp41">Open the alert</a> | ' +
      '<a href="https://svc.example/checks/chk_01h2xcejqtf2nbrexx3vqjhp41">Open the check</a>',
  );
});

it("a name forges no markup, and begins no line of its own", () => {
  const name = '</b><a href="https://evil.example">Open</a> &lt; "x"\n<b>fake';
  const payload = { check: { id: "chk_x" as CheckId, name, type: "http" as const }, summary: name };
  const { text } = telegram.render(anAnnouncement({ payload }), config).body;
  const [title = ""] = text.split("\n");
  expect(shown(title)).toBe(`[CRITICAL] ${name.replace("\n", " ")}: alert triggered`);
  expect(text.match(/<a href="https:\/\/svc\.example/g)).toHaveLength(text.match(/<a /g)?.length ?? 0);
});

it.each(["x", "&", "€", "𝒳"])("the longest texts of %s make no message that Telegram refuses", (letter) => {
  const long = letter.repeat(10_000);
  const announcement = {
    ...anAnnouncement(),
    title: long,
    summary: long,
    details: Array.from({ length: 40 }, (_, index) => [`Detail ${index}`, long] as const),
  };
  const { text } = telegram.render(announcement, config).body;
  expect(shown(text).length).toBeLessThan(4_096);
});

describe("messages about one incident", () => {
  it("reply to the first, also when it was deleted", async () => {
    const { received, send } = await aBotApi();
    expect(await send()).toEqual({ httpStatus: 200, externalId: "-1001234567890/41" });
    // A later message is remembered nowhere.
    expect(await send("-1001234567890/41", { topicId: 7 })).toEqual({ httpStatus: 200 });
    expect(received[0]?.body).not.toHaveProperty("reply_parameters");
    expect(received[1]?.body).toMatchObject({
      message_thread_id: 7,
      reply_parameters: { message_id: 41, allow_sending_without_reply: true },
    });
  });

  it("reply to nothing in another chat", async () => {
    const { received, send } = await aBotApi();
    expect((await send("-1001234567890/41", { chatId: "@ops" })).externalId).toBe("@ops/41");
    expect(received[0]?.body).not.toHaveProperty("reply_parameters");
  });
});

describe("answers", () => {
  it("a rate limit is waited for", async () => {
    const body = JSON.stringify({
      ok: false,
      error_code: 429,
      description: "Too Many Requests: retry after 35",
      parameters: { retry_after: 35 },
    });
    const { send } = await aBotApi(() => ({ status: 429, body }));
    await expect(send()).rejects.toMatchObject({ mayRetry: true, httpStatus: 429, retryAfterMs: 35_000 });
  });

  it.each([
    [400, "Bad Request: chat not found", false],
    [401, "Unauthorized", false],
    [403, "Forbidden: bot was kicked from the supergroup chat", false],
    [404, "Not Found", false],
    [500, "Internal Server Error", true],
  ])("%i %s: may be tried again: %s", async (status, description, mayRetry) => {
    const body = JSON.stringify({ ok: false, error_code: status, description });
    const { send } = await aBotApi(() => ({ status, body }));
    const error = await send().catch((thrown) => thrown);
    expect(error).toMatchObject({ mayRetry, httpStatus: status });
    expect(error.message).toContain(description);
    expect(error.message).not.toContain("secret");
  });

  it("a page is no delivery", async () => {
    const { send } = await aBotApi(() => ({ status: 200, body: "<html>" }));
    await expect(send()).rejects.toMatchObject({ message: /is apiUrl right/, mayRetry: true });
  });

  it("a connection that fails does not show the token", async () => {
    const message = telegram.render(anAnnouncement(), config);
    const error = await telegram.send(message, aSendContext()).catch((thrown) => thrown);
    expect(error.message).toContain("could not be loaded");
    expect(error.message).not.toContain("secret");
  });
});

it("a private address is refused where the operator has not allowed it", async () => {
  const { url, received } = await aReceiver();
  const message = telegram.render(anAnnouncement(), { ...config, apiUrl: url });
  const context = aSendContext({ egress: createEgress({ allowPrivate: false }) });
  await expect(telegram.send(message, context)).rejects.toThrow(/127\.0\.0\.1/);
  expect(received).toHaveLength(0);
});
