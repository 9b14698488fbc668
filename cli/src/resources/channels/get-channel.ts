/** Finds channels, with their credentials masked. */
import { type ApiClient, type Channel, maskChannelConfig } from "@svc/contract";
import { pickNamed } from "../../lookup/pick-named.ts";

/** Argument of commands about one channel. */
export const CHANNEL_ARGUMENT = { name: "<name-or-id>", description: "name or id of the channel" };

/** Returns all channels, newest first, with credentials masked. */
export async function listMaskedChannels(api: ApiClient): Promise<Channel[]> {
  return (await api.listChannels()).map((channel) => ({
    ...channel,
    config: maskChannelConfig(channel.config),
  }));
}

/**
 * Returns the channel with the id or name, credentials masked.
 * @throws CliError when there is none, or several
 */
export async function getChannel(api: ApiClient, typed: string): Promise<Channel> {
  return pickNamed("channel", typed, await listMaskedChannels(api));
}
