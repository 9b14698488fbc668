/**
 * What a channel is told, by what happened and what kind of channel it is. Pure, and the one place that decides it.
 * A webhook that subscribes to incidents gets every incident event and nothing of single alerts; one that doesn't gets the
 * alerts and no incident event. People are told of incidents, and at once of each alert that ends. A page or a ticket
 * stands for the incident: it ends as soon as the last of its alerts does.
 */
import { type ChannelAudience, channelTypes } from "@svc/contract";
import type { AlertNotificationKind, IncidentHappening } from "../../outbox/payload.ts";
import { type Recipient, takesAlertsOnly } from "../../outbox/recipient.ts";

/** What happened. */
export type Happening =
  | { of: "incident"; type: IncidentHappening }
  /** isLast: no other member is open (recovered, resolved) or unacknowledged (acknowledged). */
  | { of: "alert"; kind: AlertNotificationKind; isLast: boolean };

/** Whether the recipient is told of it; what is told to those who take alerts only is decided by {@link takesAlertsOnly}. */
export function isTold(happening: Happening, recipient: Recipient): boolean {
  if (takesAlertsOnly(recipient)) return false;
  const { audience } = channelTypes.get(recipient.type);
  return happening.of === "incident"
    ? INCIDENT[happening.type].includes(audience)
    : alertAudiences(happening).includes(audience);
}

const EVERYONE: readonly ChannelAudience[] = ["machine", "people", "page", "ticket"];
const NOT_PAGED: readonly ChannelAudience[] = ["machine", "people", "ticket"];

const INCIDENT: Record<IncidentHappening, readonly ChannelAudience[]> = {
  opened: EVERYONE,
  alert_attached: EVERYONE,
  severity_changed: EVERYONE,
  acknowledged: EVERYONE,
  auto_resolved: EVERYONE,
  closed: EVERYONE,
  reopened: EVERYONE,
  // A note is nothing to be woken by.
  note_added: NOT_PAGED,
  // In place of each alert's own end.
  alerts_recovered: ["people"],
  members_recovered: ["page", "ticket"],
};

function alertAudiences({ kind, isLast }: Extract<Happening, { of: "alert" }>): readonly ChannelAudience[] {
  switch (kind) {
    case "triggered":
    case "escalated":
      return [];
    case "acknowledged":
      return isLast ? ["people", "page", "ticket"] : ["people", "ticket"];
    case "recovered":
    case "resolved":
      // With the last one, pages and tickets are told that all members have recovered.
      return isLast ? ["people"] : ["people", "ticket"];
  }
}
