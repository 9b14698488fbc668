/**
 * The shape of a channel type on the side of whoever writes one: its fields, which of them are secret, and whom it
 * reaches.
 */
import * as z from "zod";
import { type TypedMember, type TypedSchema, typedMember } from "../base/family-schema.ts";
import { quietHoursSchema } from "../base/quiet-hours.ts";

/**
 * The secret part of a field, which listings, plans and the change log mask.
 * - `whole`: all of it
 * - `beyond_origin`: everything of the URL after scheme, host and port (the path of a webhook is often its
 * credential)
 */
export type SecretMark = "whole" | "beyond_origin";

/**
 * The audience of a channel, which decides what is sent to it.
 * - `people`: readers of messages, who want each event and each alert's end
 * - `page`: somebody who is woken, for as long as an incident lasts
 * - `ticket`: a record of the incident that is kept up to date
 * - `machine`: a program, which gets each event as data
 */
export type ChannelAudience = "people" | "page" | "ticket" | "machine";

/** The fields that every channel to people has: its messages' links that acknowledge, and its quiet hours. */
export const fieldsOfPeople = {
  acknowledgeLinks: z
    .boolean()
    .optional()
    .describe(
      "true: messages about open incidents have a link by which whoever reads them acknowledges the incident. Default false.",
    ),
  quietHours: quietHoursSchema.optional(),
};

const ONLY_PEOPLE = "only channels that reach people take it";
/** For each field of a channel to people the reason why other audiences have none. */
const REFUSALS: Record<Exclude<ChannelAudience, "people">, Record<keyof typeof fieldsOfPeople, string>> = {
  page: {
    acknowledgeLinks: `${ONLY_PEOPLE}; a page is acknowledged where it arrives`,
    quietHours: `${ONLY_PEOPLE}; a page wakes whoever is on call by the schedule of the pager service`,
  },
  ticket: {
    acknowledgeLinks: `${ONLY_PEOPLE}; a ticket is worked on where it lies`,
    quietHours: `${ONLY_PEOPLE}; a ticket wakes nobody and records the incident as it goes`,
  },
  machine: {
    acknowledgeLinks: `${ONLY_PEOPLE}; a program acknowledges nothing`,
    quietHours: `${ONLY_PEOPLE}; a program gets each event as it happens`,
  },
};

/** Returns for each field that channels of this audience don't take the reason, by the field's name. */
export function refusedFieldsOf(audience: ChannelAudience): Record<string, string> {
  return audience === "people" ? {} : REFUSALS[audience];
}

/** Everything about a channel type beside its schema. */
export interface ChannelTraits<Schema extends TypedSchema = TypedSchema> {
  readonly audience: ChannelAudience;
  /** The secret fields by name; for a map (headers) each of its values is meant. */
  readonly secretFields: Partial<Record<keyof z.infer<Schema>, SecretMark>>;
  /** For each secret field, and each of `urlFields`, the fields that say where its secrets go. */
  readonly secretDestinations?: Partial<
    Record<keyof z.infer<Schema>, readonly (keyof z.infer<Schema> & string)[]>
  >;
  /** Fields with a URL that is no secret but may hold one: a password, or a query parameter named like a credential. */
  readonly urlFields?: readonly (keyof z.infer<Schema> & string)[];
  /** Name of the field that shows a reader where the channel leads: an address, a host, a region. */
  readonly destinationField: keyof z.infer<Schema> & string;
  /** The fields in Markdown, for docs/notifications.md. */
  readonly fields: string;
  /** A phrase in Markdown that says what the service sends, for docs/notifications.md. */
  readonly sends: string;
}

/** The contract side of a channel type: its schema and its traits. */
export interface ChannelDefinition<Schema extends TypedSchema = TypedSchema>
  extends TypedMember<Schema>,
    ChannelTraits<Schema> {}

/**
 * Returns the definition of a channel type. Its sender has the file of that name in the control plane.
 * @param schema fields that a user may write; `type` is the channel type's name
 */
export function defineChannel<Schema extends TypedSchema>(
  schema: Schema,
  traits: ChannelTraits<Schema>,
): ChannelDefinition<Schema> {
  return typedMember(schema, traits);
}
