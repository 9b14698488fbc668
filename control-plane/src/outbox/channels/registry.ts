/**
 * The senders of the channel types. To add one: its file beside this one, one line here, and its definition in the
 * contract.
 */
import { type ChannelConfig, defineFamily } from "@svc/contract";
import { announce } from "../announce.ts";
import type { Notification } from "../payload.ts";
import { chat } from "./chat.ts";
import { discord } from "./discord.ts";
import { email } from "./email.ts";
import { jsm } from "./jsm.ts";
import { msteams } from "./msteams.ts";
import { ntfy } from "./ntfy.ts";
import { paging } from "./paging.ts";
import type { ChannelSender, SendContext, SendReport } from "./sender.ts";
import { slack } from "./slack.ts";
import { telegram } from "./telegram.ts";
import { ticketing } from "./ticketing.ts";
import { webhook } from "./webhook.ts";

/** The senders of all channel types, by type. */
export const channelSenders = defineFamily("channel sender", [
  chat,
  slack,
  msteams,
  discord,
  telegram,
  ntfy,
  email,
  webhook,
  paging,
  jsm,
  ticketing,
]);

/** A sender of any type, for whoever holds a configuration of that type. */
export type AnySender = ChannelSender<ChannelConfig, unknown>;

/** A notification and the channel that it is for. */
export interface Sending {
  config: ChannelConfig;
  notification: Notification;
}

/**
 * Renders a notification for a channel and makes one attempt to send it.
 * @param sender default: the one of the channel's type
 * @throws whatever the sender throws
 */
export function sendNotification(
  { config, notification }: Sending,
  context: SendContext,
  // A sender takes the configuration of its own type, as `get` finds it by that type; TypeScript can't follow.
  sender = channelSenders.get(config.type) as AnySender,
): Promise<SendReport> {
  return sender.send(sender.render(announce(notification), config), context);
}
