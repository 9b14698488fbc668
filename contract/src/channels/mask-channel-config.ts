/** A channel's configuration as it may be shown and logged. Pure. */
import { REDACTED } from "../base/redacted.ts";
import type { SecretMark } from "./define-channel.ts";
import { type ChannelConfig, channelTypes } from "./registry.ts";

/**
 * Returns a copy of the configuration in which everything that its type marks as secret is replaced.
 * @param config the object of a channel, with its `type`
 * @throws Error when there is no such type
 */
export function maskChannelConfig(config: Readonly<Record<string, unknown>>): Record<string, unknown> {
  const marks: Partial<Record<string, SecretMark>> = channelTypes.get(
    config.type as ChannelConfig["type"],
  ).secretFields;
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
