/** A channel's configuration as it may be shown and logged. Pure. */
import { maskUrl } from "../base/mask-url.ts";
import { isSame, keepMasked, MASK, withShortMask } from "../base/masked-read.ts";
import { REDACTED } from "../base/redacted.ts";
import { assertSameDestination, type SecretDestinations } from "../base/secret-destinations.ts";
import type { SecretMark } from "./define-channel.ts";
import { type ChannelConfig, channelTypes } from "./registry.ts";

/**
 * Returns a copy of the configuration in which everything that its type marks as secret is replaced.
 * @param config the object of a channel, with its `type`
 * @throws Error when there is no such type
 */
export function maskChannelConfig(config: Readonly<Record<string, unknown>>): Record<string, unknown> {
  const marks = traitsOf(config).secretFields;
  return Object.fromEntries(
    Object.entries(config).map(([field, value]) => {
      const mark = marks[field];
      return [field, mark ? mask(value, mark) : value];
    }),
  );
}

/**
 * Returns a channel's configuration as a masked read answers it: `***` stands for each secret, for the credentials of a URL, and for
 * what follows the origin of one whose path is secret.
 * @param config the object of a channel, with its `type`
 */
export function maskChannelConfigForRead(config: Readonly<Record<string, unknown>>): Record<string, unknown> {
  const { secretFields, urlFields = [] } = traitsOf(config);
  const isUrl = new Set<string>(urlFields);
  return Object.fromEntries(
    Object.entries(maskChannelConfig(config)).map(([field, value]) => {
      if (secretFields[field] === "beyond_origin" && value !== undefined) return [field, `${value}/${MASK}`];
      if (isUrl.has(field) && typeof value === "string") return [field, withShortMask(maskUrl(value))];
      return [field, secretFields[field] ? withShortMask(value) : value];
    }),
  );
}

/**
 * Returns the given configuration of a channel with the stored secret wherever `***` stands for one.
 * @throws DomainError `invalid` for a `***` that stands for nothing, and for one whose secret would go to another host
 */
export function keepMaskedChannelConfig(
  given: Readonly<Record<string, unknown>>,
  stored: Readonly<Record<string, unknown>>,
): Record<string, unknown> {
  const { secretFields, secretDestinations = {}, urlFields = [] } = traitsOf(given);
  const isSecret = new Set<string>([...Object.keys(secretFields), ...urlFields]);
  const masked = maskChannelConfigForRead(stored);
  return Object.fromEntries(
    Object.entries(given).map(([field, value]) => {
      if (!isSecret.has(field)) return [field, value];
      const path = `channel.${field}`;
      const kept = keepMasked({ given: value, stored: stored[field], masked: masked[field], path });
      if (!isSame(kept, value)) {
        const destinations = secretDestinations[field] ?? [];
        // A URL that itself is kept goes where it went, so it is compared as it is stored.
        assertSameDestination({
          bodyField: "channel",
          path,
          destinations,
          given: { ...given, [field]: kept },
          stored,
        });
      }
      return [field, kept];
    }),
  );
}

/** The parts of a channel type's traits that masking needs, by field. */
interface SecretTraits {
  secretFields: Partial<Record<string, SecretMark>>;
  secretDestinations?: SecretDestinations;
  urlFields?: readonly string[];
}

function traitsOf({ type }: Readonly<Record<string, unknown>>): SecretTraits {
  return channelTypes.get(type as ChannelConfig["type"]);
}

function mask(value: unknown, mark: SecretMark): unknown {
  if (value === undefined) return undefined;
  if (mark === "beyond_origin") return new URL(String(value)).origin;
  return typeof value === "object" && value !== null
    ? Object.fromEntries(Object.keys(value).map((key) => [key, REDACTED]))
    : REDACTED;
}
