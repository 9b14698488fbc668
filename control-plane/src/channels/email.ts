/** Email over the operator's SMTP server: text and HTML. Mails about one alert instance form one thread. */
import { createTransport } from "nodemailer";
import type { Notification } from "../notifications/payload.ts";
import { type ChannelSender, type ConfigOf, SendError, type SendReport } from "./sender.ts";
import { factsOf, oneLine, shortened, titleOf } from "./wording.ts";

export interface EmailMessage {
  to: string[];
  subject: string;
  text: string;
  html: string;
  /** Left of the @ in Message-ID: the same at each attempt, so that mail systems can drop a repetition. */
  id: string;
  threadId: string;
  isFirstOfThread: boolean;
}

const SUBJECT_MAX = 200;
const TIMEOUT_MS = 10_000;

export const email: ChannelSender<ConfigOf<"email">, EmailMessage> = {
  render: (notification, { addresses }) => ({
    to: addresses,
    subject: shortened(titleOf(notification), SUBJECT_MAX),
    text: textOf(notification),
    html: htmlOf(notification),
    id: notification.id,
    threadId: notification.instanceId,
    isFirstOfThread: notification.kind === "triggered",
  }),
  send: async (message, { settings, signal }) => {
    const { smtpUrl, smtpFrom, publicUrl } = settings;
    if (!smtpUrl || !smtpFrom)
      throw new SendError("email is not set up: the operator has to set SVC_SMTP_URL and SVC_SMTP_FROM", {
        mayRetry: false,
      });
    const domain = new URL(publicUrl).hostname;
    const thread = `<${message.threadId}@${domain}>`;
    const transport = createTransport({
      url: smtpUrl,
      connectionTimeout: TIMEOUT_MS,
      greetingTimeout: TIMEOUT_MS,
      socketTimeout: TIMEOUT_MS,
      dnsTimeout: TIMEOUT_MS,
      // What a name or a summary holds is text, never a file or an address to load.
      disableFileAccess: true,
      disableUrlAccess: true,
    });
    try {
      const sent = await transport.sendMail({
        from: smtpFrom,
        to: message.to.map((address) => ({ name: "", address })),
        subject: message.subject,
        text: message.text,
        html: message.html,
        messageId: `<${message.id}@${domain}>`,
        ...(message.isFirstOfThread ? {} : { inReplyTo: thread }),
        references: [thread],
        headers: { "Auto-Submitted": "auto-generated" },
        signal,
      });
      return reportOf(sent.rejected ?? []);
    } catch (error) {
      throw asSendError(error);
    } finally {
      transport.close();
    }
  },
};

function reportOf(rejected: readonly (string | { address: string })[]): SendReport {
  if (rejected.length === 0) return { httpStatus: null };
  const refused = rejected.map((address) => (typeof address === "string" ? address : address.address));
  return { httpStatus: null, note: `the mail server refused ${refused.join(", ")}` };
}

/** 4xx is the server's "later", 5xx its "no"; without a code the connection failed. */
function asSendError(error: unknown): unknown {
  if (!(error instanceof Error && "code" in error)) return error;
  const { responseCode, response, message } = error as Error & { responseCode?: number; response?: string };
  return new SendError(`the mail server could not take it: ${oneLine(response ?? message).slice(0, 300)}`, {
    mayRetry: responseCode === undefined || responseCode < 500,
    cause: error,
  });
}

function textOf(notification: Notification): string {
  const { payload, links } = notification;
  const facts = factsOf(notification).map(([label, value]) => `${label}: ${value}`);
  const lines = [payload.summary, "", ...facts, "", `Alert: ${links.instance}`, `Check: ${links.check}`];
  return `${lines.map(oneLine).join("\n")}\n`;
}

function htmlOf(notification: Notification): string {
  const { payload, links } = notification;
  const rows = factsOf(notification)
    .map(
      ([label, value]) =>
        `<tr><td style="padding:2px 16px 2px 0;color:#667085">${html(label)}</td><td>${html(value)}</td></tr>`,
    )
    .join("");
  return `<!doctype html><html><body style="font-family:sans-serif;color:#101828">
<h2 style="font-size:18px">${html(titleOf(notification))}</h2>
<p>${html(oneLine(payload.summary))}</p>
<table style="border-collapse:collapse;font-size:14px">${rows}</table>
<p><a href="${html(links.instance)}">Open the alert</a> &nbsp; <a href="${html(links.check)}">Open the check</a></p>
</body></html>
`;
}

function html(text: string): string {
  return text
    .replaceAll("&", "&amp;")
    .replaceAll("<", "&lt;")
    .replaceAll(">", "&gt;")
    .replaceAll('"', "&quot;");
}
