import type { CheckId } from "@svc/contract";
import { expect, it } from "vitest";
import { aNotification, anAnnouncement, aSendContext } from "../../../test-support/notifications.ts";
import { aMailServer } from "../../../test-support/receivers.ts";
import { announce } from "../announce.ts";
import { email } from "./email.ts";

const config = { type: "email" as const, addresses: ["ada@example.org", "bob@example.org"] };
const from = "Monitoring <svc@example.com>";

it("arrives with all that is known, as text and as HTML", async () => {
  const server = await aMailServer();
  const context = aSendContext({ settings: { smtpUrl: server.url, smtpFrom: from } });
  expect(await email.send(email.render(anAnnouncement(), config), context)).toEqual({ httpStatus: null });
  const [{ to, mail }] = server.mails as [(typeof server.mails)[0]];
  expect(to).toEqual(config.addresses);
  expect(mail.from).toEqual({ name: "Monitoring", address: "svc@example.com" });
  expect(mail.subject).toBe("[CRITICAL] Home page: alert triggered");
  expect(mail.messageId).toBe("<ntf_01h2xcejqtf2nbrexx3vqjhp41@svc.example>");
  expect(mail.text).toContain("Locations: US East (Virginia)");
  expect(mail.text).toContain("Open the alert: https://svc.example/alerts/ainst_01h2xcejqtf2nbrexx3vqjhp41");
  expect(mail.html).toContain('<a href="https://svc.example/alerts/ainst_01h2xcejqtf2nbrexx3vqjhp41">');
});

it("later notifications belong to the thread of the first", async () => {
  const server = await aMailServer();
  const context = aSendContext({ settings: { smtpUrl: server.url, smtpFrom: from } });
  await email.send(email.render(anAnnouncement({ kind: "recovered" }), config), context);
  const [{ mail }] = server.mails as [(typeof server.mails)[0]];
  expect(mail.inReplyTo).toBe("<ainst_01h2xcejqtf2nbrexx3vqjhp41@svc.example>");
  expect(mail.subject).toBe("Home page: recovered");
});

it("a name can add neither header nor markup", async () => {
  const server = await aMailServer();
  const name = 'x\r\nBcc: eve@example.org\r\n\r\n<script>alert("x")</script>';
  const notification = aNotification({
    payload: {
      check: { id: "chk_x" as CheckId, name, type: "http" },
      summary: "a\r\nSubject: b <b>bold</b>",
    },
  });
  const context = aSendContext({ settings: { smtpUrl: server.url, smtpFrom: from } });
  await email.send(email.render(announce(notification), config), context);
  const [{ to, mail, raw }] = server.mails as [(typeof server.mails)[0]];
  expect(to).toEqual(config.addresses);
  expect(mail.bcc ?? []).toEqual([]);
  expect(raw.split("\r\n\r\n")[0]).not.toMatch(/^Bcc:/im);
  expect(mail.headers.filter((header) => header.key === "subject")).toHaveLength(1);
  expect(mail.html).not.toContain("<script>");
  expect(mail.html).not.toContain("<b>bold");
});

it("sending fails and says so where the operator has set no mail server", async () => {
  await expect(email.send(email.render(anAnnouncement(), config), aSendContext())).rejects.toMatchObject({
    message: "email is not set up: the operator has to set SVC_SMTP_URL and SVC_SMTP_FROM",
    mayRetry: false,
  });
});

it("refused addresses are reported, the others get the mail", async () => {
  const server = await aMailServer((address) => (address.startsWith("bob") ? 550 : undefined));
  const context = aSendContext({ settings: { smtpUrl: server.url, smtpFrom: from } });
  expect(await email.send(email.render(anAnnouncement(), config), context)).toEqual({
    httpStatus: null,
    note: "the mail server refused bob@example.org",
  });
});

it.each([
  [550, false],
  [451, true],
])("when all addresses are refused with %i, the attempt may be repeated: %s", async (code, mayRetry) => {
  const server = await aMailServer(() => code);
  const context = aSendContext({ settings: { smtpUrl: server.url, smtpFrom: from } });
  await expect(email.send(email.render(anAnnouncement(), config), context)).rejects.toMatchObject({
    mayRetry,
  });
});

it.each(["connection", "login", "sender"] as const)(
  "when the mail server refuses the %s with a 5xx reply, the attempt may be repeated",
  async (stage) => {
    const server = await aMailServer(undefined, { refusedStage: stage });
    const smtpUrl = stage === "login" ? server.url.replace("//", "//user:old-password@") : server.url;
    const context = aSendContext({ settings: { smtpUrl, smtpFrom: from } });
    await expect(email.send(email.render(anAnnouncement(), config), context)).rejects.toMatchObject({
      message: expect.stringContaining("5"),
      mayRetry: true,
    });
  },
);

it("an attempt at a mail server that refuses the mail itself is not repeated", async () => {
  const server = await aMailServer(undefined, { refusedStage: "mail" });
  const context = aSendContext({ settings: { smtpUrl: server.url, smtpFrom: from } });
  await expect(email.send(email.render(anAnnouncement(), config), context)).rejects.toMatchObject({
    mayRetry: false,
  });
});

it("an attempt at a mail server that can't be reached may be repeated", async () => {
  const context = aSendContext({ settings: { smtpUrl: "smtp://127.0.0.1:1", smtpFrom: from } });
  await expect(email.send(email.render(anAnnouncement(), config), context)).rejects.toMatchObject({
    mayRetry: true,
  });
});
