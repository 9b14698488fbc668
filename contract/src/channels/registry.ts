/** The notification channels. To add one: its file beside this one, one line here, and its sender in the control plane. */
import type * as z from "zod";
import { defineFamily } from "../base/family.ts";
import { familySchema } from "../base/family-schema.ts";
import { chatChannel } from "./chat.ts";
import { discordChannel } from "./discord.ts";
import { emailChannel } from "./email.ts";
import { jsmChannel } from "./jsm.ts";
import { msteamsChannel } from "./msteams.ts";
import { ntfyChannel } from "./ntfy.ts";
import { pagerChannel } from "./paging.ts";
import { slackChannel } from "./slack.ts";
import { telegramChannel } from "./telegram.ts";
import { ticketingChannel } from "./ticketing.ts";
import { webhookChannel } from "./webhook.ts";

/** The channel types, in the order in which they are documented. */
export const channelTypes = defineFamily("channel", [
  chatChannel,
  slackChannel,
  msteamsChannel,
  discordChannel,
  telegramChannel,
  ntfyChannel,
  emailChannel,
  webhookChannel,
  pagerChannel,
  jsmChannel,
  ticketingChannel,
]);

/** Where a channel leads, defaults filled in: an object of any channel type. */
export const channelConfigSchema = familySchema(channelTypes);
/** The configuration of a channel of any type, secrets in clear. */
export type ChannelConfig = z.infer<typeof channelConfigSchema>;
/** The name of a channel type, such as `webhook`. */
export type ChannelType = ChannelConfig["type"];
