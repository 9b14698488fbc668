import type { CheckId } from "@svc/contract";
import { expect, it } from "vitest";
import { anAnnouncement, aSendContext } from "../../../test-support/notifications.ts";
import { aReceiver } from "../../../test-support/receivers.ts";
import { msteams, type TeamsMessage } from "./msteams.ts";

const config = { type: "msteams" as const, webhookUrl: "http://127.0.0.1:1/workflows/w0?sig=secret" };

/** Returns the style of the card's heading, its texts, one for each block, and its actions. */
function partsOf({ body }: TeamsMessage) {
  const card = body.attachments[0]?.content;
  const [heading, ...blocks] = card?.body ?? [];
  if (heading?.type !== "Container") throw new Error("the card begins with no container");
  const texts = [...heading.items, ...blocks].map((block) =>
    block.type === "RichTextBlock" ? block.inlines.map(({ text }) => text).join("") : block.type,
  );
  return { style: heading.style, texts, actions: card?.actions ?? [] };
}

it("says what happened to which check, since when, from where, with links to more", () => {
  const { style, texts, actions } = partsOf(msteams.render(anAnnouncement(), config));
  expect(style).toBe("attention");
  expect(texts.slice(0, 2)).toEqual([
    "[CRITICAL] Home page: alert triggered",
    "Home page is failing from US East: status 503, expected 200",
  ]);
  expect(texts).toContain("Locations: US East (Virginia)");
  expect(texts).toContain("Started: 2026-06-01 12:00:00 UTC");
  expect(actions).toEqual([
    {
      type: "Action.OpenUrl",
      title: "Open the alert",
      url: "https://svc.example/alerts/ainst_01h2xcejqtf2nbrexx3vqjhp41",
    },
    {
      type: "Action.OpenUrl",
      title: "Open the check",
      url: "https://svc.example/checks/chk_01h2xcejqtf2nbrexx3vqjhp41",
    },
  ]);
});

it("a name stands only where Markdown is not read, and begins no line of its own", () => {
  const name = "[Open the alert](https://evil.example)\n**fake**";
  const payload = { check: { id: "chk_x" as CheckId, name, type: "http" as const } };
  const message = msteams.render(anAnnouncement({ payload }), config);
  expect(JSON.stringify(message.body)).not.toMatch(/"type":"(TextBlock|FactSet)"/);
  const { texts, actions } = partsOf(message);
  expect(texts.join("")).not.toContain("\n");
  expect(JSON.stringify(actions)).not.toContain("evil.example");
});

it("an end is green and names no severity", () => {
  const { style, texts } = partsOf(
    msteams.render(anAnnouncement({ kind: "recovered", payload: { durationMs: 125_000 } }), config),
  );
  expect([style, texts[0]]).toEqual(["good", "Home page: recovered"]);
});

it("the longest texts make no message that Teams refuses for its size", () => {
  const long = "€".repeat(10_000);
  const announcement = {
    ...anAnnouncement(),
    title: long,
    summary: long,
    details: Array.from({ length: 40 }, (_, index) => [`Detail ${index}`, long] as const),
  };
  const { body } = msteams.render(announcement, config);
  expect(Buffer.byteLength(JSON.stringify(body))).toBeLessThan(28_000);
});

it("posts JSON to the flow's URL, its signature included, and takes 202 as an answer", async () => {
  const receiver = await aReceiver(() => ({ status: 202 }));
  const message = msteams.render(anAnnouncement(), { ...config, webhookUrl: `${receiver.url}/w0?sig=s` });
  expect(await msteams.send(message, aSendContext())).toEqual({ httpStatus: 202 });
  expect(receiver.received).toMatchObject([{ method: "POST", path: "/w0?sig=s", body: message.body }]);
});
