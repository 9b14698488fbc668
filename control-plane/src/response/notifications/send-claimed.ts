/** Hands a claimed notification over to its channel. */
import type { Egress } from "@svc/egress";
import type { Logger } from "pino";
import { sendNotification } from "../../outbox/channels/registry.ts";
import type { SenderSettings, SendReport } from "../../outbox/channels/sender.ts";
import type { SecretBox } from "../../platform/db/secret-box.ts";
import type { TeamEgress } from "../../platform/team-egress.ts";
import { type ClaimedNotification, sendingOf } from "./claimed-notification.ts";
import type { MailBudget } from "./mail-budget.ts";

/** Everything that senders need besides the notification. */
export interface SendingTools {
  log: Logger;
  secrets: SecretBox;
  egressOf: TeamEgress;
  operatorEgress: Egress;
  settings: SenderSettings;
  /** Wall clock, Unix ms. */
  nowMs: () => number;
  mailBudget: MailBudget;
}

/**
 * Sends the notification once, by the sender of its channel's type.
 * @throws whatever the sender throws
 */
export function sendClaimed(
  { log, secrets, egressOf, operatorEgress, settings, nowMs, mailBudget }: SendingTools,
  claimed: ClaimedNotification,
  signal: AbortSignal,
): Promise<SendReport> {
  const { channelId, id, teamId } = claimed;
  return sendNotification(sendingOf(claimed, { secrets, publicUrl: settings.publicUrl() }), {
    signal,
    nowMs,
    egress: egressOf(claimed.teamId),
    operatorEgress,
    settings,
    externalId: claimed.externalId ?? undefined,
    unreached: claimed.unreached ?? undefined,
    spendMails: (count) => mailBudget.spend(teamId, count),
    warn: (message) => log.warn({ channelId, notificationId: id }, message),
  });
}
