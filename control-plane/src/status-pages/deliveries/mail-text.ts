/** Mails to subscribers of status pages. They tell what the page shows, and nothing else. Pure. */
import { createHash } from "node:crypto";
import { NOTICE_STATUSES, truncate, withoutLineBreaks } from "@svc/contract";
import { type EmailMessage, SUBJECT_LENGTH_MAX } from "../../outbox/mail.ts";
import { escapeHtml } from "../../platform/http/html-page.ts";
import { NOTICE_WORDS } from "../view/words.ts";
import type { ClaimedDelivery } from "./delivery-store.ts";

/** A part of a mail: a paragraph, or a link with its label. */
type Part = string | { label: string; url: string };

/** Addresses that a mail names. */
export interface MailLinks {
  page: string;
  /** Confirms or ends the subscription. */
  subscription: string;
}

/** Returns the mail of a delivery to a mail address. */
export function mailOf(delivery: ClaimedDelivery, links: MailLinks): EmailMessage {
  const { announcement } = delivery;
  return announcement ? noticeMail(delivery, announcement, links) : confirmationMail(delivery, links);
}

function confirmationMail({ key, address, page }: ClaimedDelivery, links: MailLinks): EmailMessage {
  const id = nameOf("confirm", key);
  return {
    id,
    threadId: id,
    isFirstOfThread: true,
    to: [address ?? ""],
    ...texts(`Confirm your subscription to ${page.title}`, [
      `Somebody, probably you, asked for mails about the status page ${page.title}.`,
      { label: "Confirm within a day", url: links.subscription },
      "If it was not you, do nothing: no further mail comes, and your address is forgotten.",
      { label: "The page", url: links.page },
    ]),
  };
}

function noticeMail(
  { subscriberId, address, page }: ClaimedDelivery,
  { noticeId, occasion, content }: NonNullable<ClaimedDelivery["announcement"]>,
  links: MailLinks,
): EmailMessage {
  const { notice, update, eventType } = content;
  const word = update
    ? NOTICE_WORDS[update.status]
    : NOTICE_WORDS[NOTICE_STATUSES.maintenance[eventType === "notice.began" ? 1 : 2]];
  const { startsAt, endsAt, components } = notice;
  const times = `${timeText(startsAt)}${endsAt === null ? "" : ` to ${timeText(endsAt)}`}`;
  return {
    id: nameOf(noticeId, occasion, subscriberId),
    threadId: nameOf(noticeId, "update:1", subscriberId),
    isFirstOfThread: occasion === "update:1",
    to: [address ?? ""],
    unsubscribeUrl: links.subscription,
    ...texts(`[${page.title}] ${word}: ${notice.title}`, [
      `${word}: ${notice.title}`,
      ...(update ? [update.text] : []),
      `${notice.kind === "maintenance" ? "Maintenance" : "Incident"}, ${times}`,
      ...(components.length === 0 ? [] : [`Concerns ${components.join(", ")}`]),
      { label: "The page", url: links.page },
      { label: "Unsubscribe", url: links.subscription },
    ]),
  };
}

function texts(subject: string, parts: readonly Part[]): Pick<EmailMessage, "subject" | "text" | "html"> {
  return {
    subject: truncate(withoutLineBreaks(subject), SUBJECT_LENGTH_MAX),
    text: `${parts.map((part) => (typeof part === "string" ? part : `${part.label}: ${part.url}`)).join("\n\n")}\n`,
    html: `<!doctype html><html><body>${parts.map(partHtml).join("")}</body></html>\n`,
  };
}

function partHtml(part: Part): string {
  if (typeof part === "string") return `<p style="white-space: pre-line">${escapeHtml(part)}</p>`;
  return `<p><a href="${escapeHtml(part.url)}">${escapeHtml(part.label)}</a></p>`;
}

/** Returns a name of a mail that tells nothing, equal in each attempt. */
function nameOf(...parts: readonly (string | number)[]): string {
  return `status.${createHash("sha256").update(parts.join("\n")).digest("hex").slice(0, 40)}`;
}

/** Returns an instant in UTC to the minute. */
function timeText(at: string): string {
  return `${at.slice(0, 10)} ${at.slice(11, 16)} UTC`;
}
