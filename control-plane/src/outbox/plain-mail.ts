/** Mails of the service's own to people of its teams, over the operator's SMTP server. */
import type { SendPlainMail } from "../accounts/api-keys/warn-of-expiry.ts";
import type { Services } from "../platform/services.ts";
import { plainEmail, sendEmail } from "./channels/email.ts";

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
