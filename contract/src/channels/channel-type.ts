/** What a member of the channel family says about itself. */
import type * as z from "zod";

/**
 * What of a field is secret, in listings, plans and the change log. whole: all of it; beyond_origin: everything of the
 * URL after scheme, host and port (the path of a webhook is often its credential).
 */
export type SecretMark = "whole" | "beyond_origin";

export interface ChannelType<Schema extends z.ZodObject> {
  schema: Schema;
  /** By field name; for a map (headers) each of its values is meant. */
  secretFields: Partial<Record<keyof z.infer<Schema>, SecretMark>>;
}

/** Only there to check a member's marks against its own fields. */
export function defineChannel<Schema extends z.ZodObject>(channel: ChannelType<Schema>): ChannelType<Schema> {
  return channel;
}
