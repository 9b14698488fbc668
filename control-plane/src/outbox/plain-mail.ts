/** Mails of the service's own to people of its teams, over the operator's SMTP server. */
import { truncate, withoutLineBreaks } from "@svc/contract";
import type { SendPlainMail } from "../accounts/api-keys/warn-of-expiry.ts";
import { escapeHtml } from "../platform/http/html-page.ts";
import type { Services } from "../platform/services.ts";
import { type EmailMessage, SUBJECT_LENGTH_MAX, sendEmail } from "./mail.ts";

const TIMEOUT_MS = 30_000;

/** Returns the function that sends mails; undefined where the operator has set no mail server. */
export function createPlainMail({
  config,
  publicUrl,
}: Pick<Services, "config" | "publicUrl">): SendPlainMail | undefined {
  const { smtpUrl, smtpFrom } = config;
  if (!smtpUrl || !smtpFrom) return undefined;
  return async (mail) => {
    const settings = { smtpUrl, smtpFrom, publicUrl };
    await sendEmail(plainEmail(mail), { settings, signal: AbortSignal.timeout(TIMEOUT_MS) });
  };
}

/** Returns a mail of the service's own, about no alert or incident: plain lines, in a thread of its own. */
function plainEmail({
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
    subject: truncate(withoutLineBreaks(subject), SUBJECT_LENGTH_MAX),
    text: `${texts.join("\n\n")}\n`,
    html: `<!doctype html><html><body>${texts.map((text) => `<p>${escapeHtml(text)}</p>`).join("")}</body></html>\n`,
  };
}
