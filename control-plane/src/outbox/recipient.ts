/** Recipients of notifications: the properties of a channel that decide which notifications it gets. */
import type { ChannelAudience, ChannelId, ChannelType, TeamId } from "@svc/contract";
import { audienceOf } from "./audience.ts";

/** A channel as routing sees it. */
export interface Recipient {
  audience: ChannelAudience;
  /** False for a machine's channel that opted out of incident events; true for every other channel. */
  isSubscribed: boolean;
}

/** A recipient with the keys by which the outbox addresses it. */
export interface RecipientChannel extends Recipient {
  key: number;
  id: ChannelId;
  teamId: TeamId;
}

/** True when the channel is notified of each alert as it happens, without waiting for the alert's incident. */
export function wantsAlertsOnly({ audience, isSubscribed }: Recipient): boolean {
  return audience === "machine" && !isSubscribed;
}

/**
 * True when channels of this type send incident events as data: they take a template, may opt out of incident events,
 * and get each event once.
 */
export function isForMachines(type: ChannelType): boolean {
  return audienceOf(type) === "machine";
}

/** Returns the recipients with these ids that are the team's, each once. */
export function recipientsAmong(
  recipients: ReadonlyMap<ChannelId, RecipientChannel>,
  teamId: TeamId,
  ids: readonly ChannelId[],
): RecipientChannel[] {
  return [...new Set(ids)].flatMap((id) => {
    const recipient = recipients.get(id);
    return recipient?.teamId === teamId ? [recipient] : [];
  });
}
