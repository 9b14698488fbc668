/** Email over the operator's SMTP server: text and HTML. Mails about one incident form one thread. */
import { truncate, withoutLineBreaks } from "@svc/contract";
import { escapeHtml } from "../../platform/http/html-page.ts";
import type { Announcement } from "../announcement.ts";
import { type EmailMessage, SUBJECT_LENGTH_MAX, sendEmail } from "../mail.ts";
import { defineSender, SendError } from "./sender.ts";

/** Sends one mail to all addresses of the channel. */
export const email = defineSender("email", {
  needsMailServer: true,
  render: (announcement, { addresses }): EmailMessage => {
    const { notification, threadId, isFirstOfThread, title } = announcement;
    return {
      id: notification.id,
      threadId,
      isFirstOfThread,
      to: addresses,
      subject: truncate(title, SUBJECT_LENGTH_MAX),
      text: textOf(announcement),
      html: htmlOf(announcement),
    };
  },
  send: async (message, { settings, signal, spendMails, unreached }) => {
    const { smtpUrl, smtpFrom, publicUrl } = settings;
    if (!smtpUrl || !smtpFrom)
      throw new SendError("email is not set up: the operator has to set SVC_SMTP_URL and SVC_SMTP_FROM", {
        mayRetry: false,
      });
    const to = unreached ? message.to.filter((address) => unreached.includes(address)) : message.to;
    if (to.length === 0)
      return { httpStatus: null, note: "the channel no longer has the addresses that were left" };
    spendMails?.(to.length);
    return sendEmail({ ...message, to }, { settings: { smtpUrl, smtpFrom, publicUrl }, signal });
  },
});

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
        `<tr><td style="padding:2px 16px 2px 0;color:#667085">${escapeHtml(label)}</td><td>${escapeHtml(value)}</td></tr>`,
    )
    .join("");
  const anchors = links
    .map(({ text, url }) => `<a href="${escapeHtml(url)}">${escapeHtml(text)}</a>`)
    .join(" &nbsp; ");
  return `<!doctype html><html><body style="font-family:sans-serif;color:#101828">
<h2 style="font-size:18px">${escapeHtml(title)}</h2>
<p>${escapeHtml(withoutLineBreaks(summary))}</p>
<table style="border-collapse:collapse;font-size:14px">${rows}</table>
<p>${anchors}</p>
</body></html>
`;
}
