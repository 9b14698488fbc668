import { invalidField } from "@svc/contract";
import type { Config } from "../../platform/config.ts";

/**
 * Refuses subscriptions by mail where the operator has set no mail server.
 * @throws DomainError `invalid`
 */
export function assertMailServer(
  { smtpUrl }: Pick<Config, "smtpUrl">,
  subscriptions: { email: boolean } | undefined,
): void {
  if (subscriptions?.email && !smtpUrl)
    throw invalidField(
      "subscriptions",
      "email: the service has no mail server; the operator sets SVC_SMTP_URL and SVC_SMTP_FROM",
    );
}
