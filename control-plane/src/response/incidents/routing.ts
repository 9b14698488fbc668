/**
 * Routing: which channels are notified of which occasion. The one place that decides, by the occasion and the channel's
 * audience. Pure.
 *
 * A machine that subscribes to incidents gets every incident event of its team, whether a rule names it or not, and nothing
 * about single alerts; one that does not gets the
 * alerts, at once, and no incident event. People are notified of incidents, and of each alert that ends. A page or a ticket
 * stands for the incident: it ends as soon as the last alert does.
 */
import type { ChannelAudience } from "@svc/contract";
import { type IncidentOccasionType, occasionOf } from "../../outbox/incident-occasions/registry.ts";
import type { AlertNotificationKind } from "../../outbox/payload.ts";
import { type Recipient, wantsAlertsOnly } from "../../outbox/recipient.ts";

/** Something that channels may be notified of. */
export type Occasion =
  | { about: "incident"; type: IncidentOccasionType }
  /** `isLast`: no other member is open (recovered, resolved) or unacknowledged (acknowledged). */
  | { about: "alert"; kind: AlertNotificationKind; isLast: boolean };

/**
 * True when the recipient is notified of the occasion by way of the incident. Recipients that take alerts only are
 * notified of every alert before that, see {@link wantsAlertsOnly}.
 */
export function isNotified(occasion: Occasion, recipient: Recipient): boolean {
  if (wantsAlertsOnly(recipient)) return false;
  const audiences =
    occasion.about === "incident" ? occasionOf(occasion.type).audiences : audiencesOfAlert(occasion);
  return audiences.includes(recipient.audience);
}

function audiencesOfAlert({
  kind,
  isLast,
}: Extract<Occasion, { about: "alert" }>): readonly ChannelAudience[] {
  switch (kind) {
    case "triggered":
    case "escalated":
      return [];
    case "acknowledged":
      return isLast ? ["people", "page", "ticket"] : ["people", "ticket"];
    case "recovered":
    case "resolved":
      // The end of the last alert reaches pages and tickets as the occasion members_recovered.
      return isLast ? ["people"] : ["people", "ticket"];
  }
}
