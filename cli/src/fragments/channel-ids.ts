import type { ApiClient } from "@svc/contract";
import { pickNamed } from "../lookup/pick-named.ts";
import { generalError } from "../runtime/cli-error.ts";

/** The flag of commands that name channels to notify. */
export const CHANNELS_OPTION = {
  flags: "--channel <name-or-id>",
  description: "channel to notify; may be repeated",
  repeats: true,
} as const;

/**
 * Returns the ids of channels by what a flag or a fragment names: `@name`, a name or an id. Undefined stays undefined.
 * @throws CliError when there is no such channel
 */
export async function channelIdsOf(api: ApiClient, typed: unknown): Promise<string[] | undefined> {
  if (typed === undefined) return undefined;
  if (!Array.isArray(typed)) throw generalError("channels: expected a list");
  const channels = await api.listChannels();
  return [...new Set(typed.map((one) => pickNamed("channel", String(one).replace(/^@/, ""), channels).id))];
}
