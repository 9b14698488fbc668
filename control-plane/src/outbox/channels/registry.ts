/** The senders of the channel types. To add one: its file beside this one, one line here, its schema in the contract. */
import type { ChannelConfig, ChannelType } from "@svc/contract";
import type { IncidentNotification, Notification } from "../payload.ts";
import { chat } from "./chat.ts";
import { email } from "./email.ts";
import { paging } from "./paging.ts";
import type { ChannelSender, SendContext, SendReport } from "./sender.ts";
import { ticketing } from "./ticketing.ts";
import { webhook } from "./webhook.ts";

export const CHANNEL_SENDERS = { chat, email, webhook, paging, ticketing } satisfies Record<
  ChannelType,
  unknown
>;

/** What a channel can be told of. */
export type Renderable =
  | { about: "alert"; notification: Notification }
  | { about: "incident"; notification: IncidentNotification };

/** Renders and makes one attempt. @throws whatever the sender does */
export function sendByType(
  config: ChannelConfig,
  said: Renderable,
  context: SendContext,
): Promise<SendReport> {
  // A type's sender takes that type's configuration: the key of the record says so, which TypeScript can't follow.
  const sender = CHANNEL_SENDERS[config.type] as ChannelSender<ChannelConfig, unknown>;
  const message =
    said.about === "incident"
      ? sender.renderIncident(said.notification, config)
      : sender.render(said.notification, config);
  return sender.send(message, context);
}
