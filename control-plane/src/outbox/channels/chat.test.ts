import type { CheckId } from "@svc/contract";
import { expect, it } from "vitest";
import { anAnnouncement, aSendContext } from "../../../test-support/notifications.ts";
import { aReceiver } from "../../../test-support/receivers.ts";
import { chat } from "./chat.ts";

const config = { type: "chat" as const, webhookUrl: "http://127.0.0.1:1/hook" };

it("says what happened to which check, since when, from where, with links to more", () => {
  const { body } = chat.render(anAnnouncement(), config);
  expect(body.text).toBe(
    [
      ":rotating_light: *[CRITICAL] Home page: alert triggered*",
      "Home page is failing from US East: status 503, expected 200",
      "<https://svc.example/alerts/ainst_01h2xcejqtf2nbrexx3vqjhp41|Open the alert> | <https://svc.example/checks/chk_01h2xcejqtf2nbrexx3vqjhp41|Open the check>",
    ].join("\n"),
  );
  const [attachment] = body.attachments;
  expect(attachment?.fields).toContainEqual({ title: "Locations", value: "US East (Virginia)", short: true });
  expect(attachment?.fields).toContainEqual({
    title: "Started",
    value: "2026-06-01 12:00:00 UTC",
    short: true,
  });
});

it("a name can forge no link, call nobody and begin no line of its own", () => {
  const name = "<!channel> <https://evil.example|Open the alert>\n*fake*";
  const payload = { check: { id: "chk_x" as CheckId, name, type: "http" as const }, summary: "a\nb & <c>" };
  const { body } = chat.render(anAnnouncement({ payload }), config);
  expect(body.text).not.toMatch(/<!channel>|<https:\/\/evil/);
  expect(body.text.split("\n")).toHaveLength(3);
  expect(body.text).toContain("a b &amp; &lt;c&gt;");
});

it("an end is green and names no severity", () => {
  const { body } = chat.render(
    anAnnouncement({ kind: "recovered", payload: { durationMs: 125_000 } }),
    config,
  );
  expect(body.text).toContain("*Home page: recovered*");
  expect(body.attachments[0]?.color).toBe("#12b76a");
  expect(body.attachments[0]?.fields).toContainEqual({ title: "Duration", value: "2 min 5 s", short: true });
});

it("posts JSON to the webhook's URL", async () => {
  const receiver = await aReceiver();
  const message = chat.render(anAnnouncement(), { ...config, webhookUrl: `${receiver.url}/services/T0` });
  expect(await chat.send(message, aSendContext())).toEqual({ httpStatus: 200 });
  expect(receiver.received).toMatchObject([{ method: "POST", path: "/services/T0", body: message.body }]);
});
