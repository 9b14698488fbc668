/** Email over the operator's SMTP server: text and HTML. Mails about one incident form one thread. */
import { firstCharacters, truncate, withoutLineBreaks } from "@svc/contract";
import { createTransport } from "nodemailer";
import type { Announcement } from "../announcement.ts";
import { defineSender, SendError, type SendReport } from "./sender.ts";

/** A mail before its encoding, and its position in its thread. */
export interface EmailMessage {
  to: string[];
  subject: string;
  text: string;
  html: string;
  /** Left side of the Message-ID: equal in each attempt, so that mail systems can drop a repetition. */
  id: string;
  threadId: string;
  isFirstOfThread: boolean;
}

const SUBJECT_MAX = 200;
const TIMEOUT_MS = 10_000;

/** Sends one mail to all addresses of the channel. */
export const email = defineSender("email", {
  render: (announcement, { addresses }): EmailMessage => {
    const { notification, threadId, isFirstOfThread, title } = announcement;
    return {
      id: notification.id,
      threadId,
      isFirstOfThread,
      to: addresses,
      subject: truncate(title, SUBJECT_MAX),
      text: textOf(announcement),
      html: htmlOf(announcement),
    };
  },
  send: async (message, { settings, signal, spendMails }) => {
    const { smtpUrl, smtpFrom, publicUrl } = settings;
    if (!smtpUrl || !smtpFrom)
      throw new SendError("email is not set up: the operator has to set SVC_SMTP_URL and SVC_SMTP_FROM", {
        mayRetry: false,
      });
    spendMails?.(message.to.length);
    return sendEmail(message, { settings: { smtpUrl, smtpFrom, publicUrl }, signal });
  },
});

/** A mail server, the sender's address, and the base of this service's links. */
interface MailSettings {
  smtpUrl: string;
  smtpFrom: string;
  publicUrl: () => string;
}

/**
 * Hands a mail to the operator's mail server.
 * @throws SendError when the server can't take it
 */
export async function sendEmail(
  message: EmailMessage,
  { settings: { smtpUrl, smtpFrom, publicUrl }, signal }: { settings: MailSettings; signal: AbortSignal },
): Promise<SendReport> {
  const domain = new URL(publicUrl()).hostname;
  const thread = `<${message.threadId}@${domain}>`;
  const transport = createTransport({
    url: smtpUrl,
    connectionTimeout: TIMEOUT_MS,
    greetingTimeout: TIMEOUT_MS,
    socketTimeout: TIMEOUT_MS,
    dnsTimeout: TIMEOUT_MS,
    // The texts come from users and targets: none of them may make the transport load a file or an address.
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
}

/** Returns a mail of the service's own, about no alert or incident: plain lines, in a thread of its own. */
export function plainEmail({
  id,
  to,
  subject,
  lines,
}: {
  id: string;
  to: string[];
  subject: string;
  lines: readonly string[];
}): EmailMessage {
  const texts = lines.map(withoutLineBreaks);
  return {
    id,
    threadId: id,
    isFirstOfThread: true,
    to,
    subject: truncate(withoutLineBreaks(subject), SUBJECT_MAX),
    text: `${texts.join("\n\n")}\n`,
    html: `<!doctype html><html><body>${texts.map((text) => `<p>${html(text)}</p>`).join("")}</body></html>\n`,
  };
}

function reportOf(rejected: readonly (string | { address: string })[]): SendReport {
  if (rejected.length === 0) return { httpStatus: null };
  const refused = rejected.map((address) => (typeof address === "string" ? address : address.address));
  return { httpStatus: null, note: `the mail server refused ${refused.join(", ")}` };
}

/** Returns the failure as a SendError: a 4xx reply, or a failed connection, may be retried; a 5xx reply is final. */
function asSendError(error: unknown): unknown {
  if (!(error instanceof Error && "code" in error)) return error;
  const { responseCode, response, message } = error as Error & { responseCode?: number; response?: string };
  return new SendError(
    `the mail server could not take it: ${firstCharacters(withoutLineBreaks(response ?? message), 300)}`,
    {
      mayRetry: responseCode === undefined || responseCode < 500,
      cause: error,
    },
  );
}

function textOf({ summary, details, links }: Announcement): string {
  const lines = [
    summary,
    "",
    ...details.map(([label, value]) => `${label}: ${value}`),
    "",
    ...links.map(({ text, url }) => `${text}: ${url}`),
  ];
  return `${lines.map(withoutLineBreaks).join("\n")}\n`;
}

function htmlOf({ title, summary, details, links }: Announcement): string {
  const rows = details
    .map(
      ([label, value]) =>
        `<tr><td style="padding:2px 16px 2px 0;color:#667085">${html(label)}</td><td>${html(value)}</td></tr>`,
    )
    .join("");
  const anchors = links.map(({ text, url }) => `<a href="${html(url)}">${html(text)}</a>`).join(" &nbsp; ");
  return `<!doctype html><html><body style="font-family:sans-serif;color:#101828">
<h2 style="font-size:18px">${html(title)}</h2>
<p>${html(withoutLineBreaks(summary))}</p>
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
