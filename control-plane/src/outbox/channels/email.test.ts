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

it("addresses that the server will take later are left for another attempt, which is for these alone", async () => {
  const codes: Record<string, number | undefined> = { "bob@example.org": 450, "eve@example.org": 550 };
  const server = await aMailServer((address) => codes[address]);
  const settings = { smtpUrl: server.url, smtpFrom: from };
  const three = { ...config, addresses: [...config.addresses, "eve@example.org"] };
  const message = email.render(anAnnouncement(), three);
  expect(await email.send(message, aSendContext({ settings }))).toEqual({
    httpStatus: null,
    note: "the mail server refused eve@example.org; the mail server did not take it yet for bob@example.org: 450 refused",
    unreached: ["bob@example.org"],
  });
  codes["bob@example.org"] = undefined;
  const context = aSendContext({ settings, unreached: ["bob@example.org"] });
  expect(await email.send(message, context)).toEqual({ httpStatus: null });
  expect(server.mails.map(({ to }) => to)).toEqual([["ada@example.org"], ["bob@example.org"]]);
  expect(new Set(server.mails.map(({ mail }) => mail.messageId)).size).toBe(1);
});

it("an address is left in the channel's own spelling, however the mail server's reply spells it", async () => {
  const addresses = ["ada@example.org", "Bob@Example.ORG", "eva@B\u00fccher.example"];
  let isGreylisted = true;
  const server = await aMailServer((address) =>
    isGreylisted && !address.startsWith("ada") ? 451 : undefined,
  );
  const settings = { smtpUrl: server.url, smtpFrom: from };
  const message = email.render(anAnnouncement(), { ...config, addresses });
  const { unreached } = await email.send(message, aSendContext({ settings }));
  expect(unreached).toEqual(addresses.slice(1));
  isGreylisted = false;
  expect(await email.send(message, aSendContext({ settings, unreached }))).toEqual({ httpStatus: null });
  expect(server.mails.map(({ to }) => to.length)).toEqual([1, 2]);
});

it("an address that the channel no longer has is not sent to", async () => {
  const server = await aMailServer();
  const settings = { smtpUrl: server.url, smtpFrom: from };
  const context = aSendContext({ settings, unreached: ["carol@example.org"] });
  const report = await email.send(email.render(anAnnouncement(), config), context);
  expect(report.note).toBe("the channel no longer has the addresses that were left");
  expect(server.mails).toEqual([]);
});

it("when all addresses are refused, and one of them only for now, the attempt may be repeated", async () => {
  for (const later of ["ada", "bob"]) {
    const server = await aMailServer((address) => (address.startsWith(later) ? 450 : 550));
    const context = aSendContext({ settings: { smtpUrl: server.url, smtpFrom: from } });
    await expect(email.send(email.render(anAnnouncement(), config), context)).rejects.toMatchObject({
      mayRetry: true,
    });
  }
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
