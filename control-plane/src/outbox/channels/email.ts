/** Email over the operator's SMTP server: text and HTML. Mails about one incident form one thread. */
import { oneLine, truncate } from "@svc/contract";
import { createTransport } from "nodemailer";
import { type Announcement, announcementOfAlert } from "./announcement.ts";
import { announcementOfIncident } from "./incident-wording.ts";
import { type ChannelSender, type ConfigOf, SendError, type SendReport } from "./sender.ts";

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
  render: (notification, { addresses }) =>
    messageOf(notification.id, announcementOfAlert(notification), addresses),
  renderIncident: (notification, { addresses }) =>
    messageOf(notification.id, announcementOfIncident(notification), addresses),
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

function messageOf(id: string, said: Announcement, addresses: string[]): EmailMessage {
  const { threadId, isFirstOfThread } = said;
  return {
    ...{ id, threadId, isFirstOfThread, to: addresses },
    subject: truncate(said.title, SUBJECT_MAX),
    text: textOf(said),
    html: htmlOf(said),
  };
}

function textOf({ summary, facts, links }: Announcement): string {
  const lines = [
    summary,
    "",
    ...facts.map(([label, value]) => `${label}: ${value}`),
    "",
    ...links.map(({ text, url }) => `${text}: ${url}`),
  ];
  return `${lines.map(oneLine).join("\n")}\n`;
}

function htmlOf({ title, summary, facts, links }: Announcement): string {
  const rows = facts
    .map(
      ([label, value]) =>
        `<tr><td style="padding:2px 16px 2px 0;color:#667085">${html(label)}</td><td>${html(value)}</td></tr>`,
    )
    .join("");
  const anchors = links.map(({ text, url }) => `<a href="${html(url)}">${html(text)}</a>`).join(" &nbsp; ");
  return `<!doctype html><html><body style="font-family:sans-serif;color:#101828">
<h2 style="font-size:18px">${html(title)}</h2>
<p>${html(oneLine(summary))}</p>
<table style="border-collapse:collapse;font-size:14px">${rows}</table>
<p>${anchors}</p>
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
