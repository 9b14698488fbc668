/** The notification channels. To add one: its file beside this one, one line in each list, and its sender in the control plane. */
import * as z from "zod";
import type { SecretMark } from "./channel-type.ts";
import { chatChannel } from "./chat.ts";
import { emailChannel } from "./email.ts";
import { pagingChannel } from "./paging.ts";
import { ticketingChannel } from "./ticketing.ts";
import { webhookChannel } from "./webhook.ts";

export const CHANNEL_TYPES = {
  chat: chatChannel,
  email: emailChannel,
  webhook: webhookChannel,
  paging: pagingChannel,
  ticketing: ticketingChannel,
} as const;

export const channelConfigSchema = z.discriminatedUnion("type", [
  chatChannel.schema,
  emailChannel.schema,
  webhookChannel.schema,
  pagingChannel.schema,
  ticketingChannel.schema,
]);
export type ChannelConfig = z.infer<typeof channelConfigSchema>;
export type ChannelTypeName = ChannelConfig["type"];
export const CHANNEL_TYPE_NAMES = Object.keys(CHANNEL_TYPES) as [ChannelTypeName, ...ChannelTypeName[]];

/** Shown in place of a secret. */
export const REDACTED = "***REDACTED***";

/** A copy of the configuration that may be shown and logged: what its type marks as secret is replaced. */
export function maskChannelConfig(config: ChannelConfig): Record<string, unknown> {
  const marks: Record<string, SecretMark | undefined> = CHANNEL_TYPES[config.type].secretFields;
  return Object.fromEntries(
    Object.entries(config).map(([field, value]) => {
      const mark = marks[field];
      return [field, mark ? mask(value, mark) : value];
    }),
  );
}

function mask(value: unknown, mark: SecretMark): unknown {
  if (value === undefined) return undefined;
  if (mark === "beyond_origin") return new URL(String(value)).origin;
  return typeof value === "object" && value !== null
    ? Object.fromEntries(Object.keys(value).map((key) => [key, REDACTED]))
    : REDACTED;
}
