/** Recipients of notifications: the channel properties that decide which notifications a channel gets. */
import type { ChannelType } from "@svc/contract";

/** A channel as routing sees it. */
export interface Recipient {
  type: ChannelType;
  /** False for a webhook that opted out of incident events; true for every other channel. */
  isSubscribed: boolean;
}

/** True when the channel is notified of each alert as it happens, without waiting for the alert's incident. */
export function takesAlertsOnly({ type, isSubscribed }: Recipient): boolean {
  return type === "webhook" && !isSubscribed;
}
