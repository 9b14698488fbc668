import type { CheckId } from "@svc/contract";
import { createEgress } from "@svc/egress";
import { describe, expect, it } from "vitest";
import { anAnnouncement, anIncidentNotification, aSendContext } from "../../../test-support/notifications.ts";
import { type Answer, aReceiver } from "../../../test-support/receivers.ts";
import { announce } from "../announce.ts";
import { type DiscordMessage, discord } from "./discord.ts";

const config = { type: "discord" as const, webhookUrl: "http://127.0.0.1:1/api/webhooks/1/secret" };
/** Returns a text as Discord shows it: without the backslashes of escapes. */
const shown = (text: string) => text.replaceAll(/\\([^0-9A-Za-z\s])/g, "$1");
/** Returns the count of characters that Discord limits in a message. */
const sizeOf = ({ body: { embeds } }: DiscordMessage) =>
  [...embeds[0].title, ...embeds[0].description].length +
  embeds[0].fields.reduce((sum, { name, value }) => sum + [...name, ...value].length, 0);

it("says what happened to which check, since when, from where, with links to more", () => {
  const { body } = discord.render(anAnnouncement(), config);
  const [embed] = body.embeds;
  expect(shown(embed.title)).toBe("[CRITICAL] Home page: alert triggered");
  expect(shown(embed.description)).toBe(
    "Home page is failing from US East: status 503, expected 200\n\n" +
      "[Open the alert](https://svc.example/alerts/ainst_01h2xcejqtf2nbrexx3vqjhp41) | " +
      "[Open the check](https://svc.example/checks/chk_01h2xcejqtf2nbrexx3vqjhp41)",
  );
  expect(embed).toMatchObject({
    url: "https://svc.example/checks/chk_01h2xcejqtf2nbrexx3vqjhp41",
    timestamp: "2026-06-01T12:00:01.000Z",
    color: 0xd92d20,
  });
  const field = embed.fields.find(({ name }) => name === "Started");
  expect(field).toMatchObject({ value: "2026\\-06\\-01 12\\:00\\:00 UTC", inline: true });
});

it("an end is green", () => {
  const { body } = discord.render(announce(anIncidentNotification("auto_resolved")), config);
  expect(body.embeds[0].color).toBe(0x12b76a);
});

it("a name mentions nobody, forges no link and begins no line of its own", () => {
  const name = "@everyone <@&1> [Open the alert](https://evil.example)\n# **fake** `x` :fire: ||x|| \\";
  const payload = { check: { id: "chk_x" as CheckId, name, type: "http" as const }, summary: name };
  const { body } = discord.render(anAnnouncement({ payload }), config);
  expect(body.allowed_mentions).toEqual({ parse: [] });
  const [{ title, description, fields }] = body.embeds;
  for (const text of [title, description.split("\n\n")[0] ?? "", ...fields.map(({ value }) => value)]) {
    expect(text).not.toContain("\n");
    // No character of markup stands there without a backslash.
    expect(text.replaceAll(/\\[^0-9A-Za-z\s]/g, "")).not.toMatch(/[\\*_~`|>#[\]()<:@-]/);
  }
  expect(shown(title)).toContain(name.replace("\n", " "));
});

it.each(["x", "€", "@", "𝒳", "\\"])(
  "the longest texts of %s make no message that Discord refuses",
  (letter) => {
    const long = letter.repeat(10_000);
    const announcement = {
      ...anAnnouncement(),
      title: long,
      summary: long,
      details: Array.from({ length: 40 }, (_, index) => [`Detail ${index}`, long] as const),
    };
    const message = discord.render(announcement, config);
    const [{ title, fields }] = message.body.embeds;
    expect(title.length).toBeLessThanOrEqual(256);
    expect(title.isWellFormed()).toBe(true);
    expect(fields.length).toBeLessThanOrEqual(25);
    for (const { value } of fields) expect(value.length).toBeLessThanOrEqual(1_024);
    expect(sizeOf(message)).toBeLessThan(6_000);
  },
);

describe("answers", () => {
  async function send(answer: Answer, webhookUrl = "/api/webhooks/1/secret") {
    const receiver = await aReceiver(() => answer);
    const message = discord.render(anAnnouncement(), { ...config, webhookUrl: receiver.url + webhookUrl });
    const outcome = await discord.send(message, aSendContext()).catch((error) => error);
    return { outcome, received: receiver.received, message };
  }

  it("asks Discord to confirm that the message is stored, in the thread that the URL names", async () => {
    const { outcome, received, message } = await send({ status: 200, body: '{"id":"1"}' });
    expect(outcome).toEqual({ httpStatus: 200 });
    expect(received).toMatchObject([
      { method: "POST", path: "/api/webhooks/1/secret?wait=true", body: message.body },
    ]);
    const inThread = await send({ status: 200 }, "/api/webhooks/1/secret?thread_id=7&wait=false");
    expect(inThread.received[0]?.path).toBe("/api/webhooks/1/secret?thread_id=7&wait=true");
  });

  it.each<[string, Answer, number | undefined]>([
    ["of the body", { status: 429, body: '{"message":"limited","retry_after":1.337,"global":false}' }, 1_337],
    [
      "of the header of a limit that has ended",
      { status: 429, headers: { "x-ratelimit-reset-after": "0.5" } },
      500,
    ],
    [
      "of a ban, which comes without JSON",
      { status: 429, headers: { "retry-after": "120" }, body: "<html>" },
      120_000,
    ],
    ["of none", { status: 429, body: '{"retry_after":"soon"}' }, undefined],
  ])("a rate limit is waited for: the delay %s", async (_, answer, retryAfterMs) => {
    const { outcome } = await send(answer);
    expect(outcome).toMatchObject({ mayRetry: true, httpStatus: 429 });
    expect(outcome.retryAfterMs).toBe(retryAfterMs);
  });

  it.each([
    [400, '{"code":50035,"message":"Invalid Form Body"}', false],
    [401, '{"code":50027,"message":"Invalid Webhook Token"}', false],
    [404, '{"code":10015,"message":"Unknown Webhook"}', false],
    [502, "", true],
  ])("%i: is shown in Discord's words", async (status, body, mayRetry) => {
    const { outcome } = await send({ status, body });
    expect(outcome).toMatchObject({ mayRetry, httpStatus: status });
    expect(outcome.message).toContain(body);
  });
});

it("a private address is refused where the operator has not allowed it", async () => {
  const { url, received } = await aReceiver();
  const message = discord.render(anAnnouncement(), { ...config, webhookUrl: url });
  const context = aSendContext({ egress: createEgress({ allowPrivate: false }) });
  await expect(discord.send(message, context)).rejects.toThrow(/127\.0\.0\.1/);
  expect(received).toHaveLength(0);
});
