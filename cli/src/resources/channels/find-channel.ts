/** Channels as they may be shown. */
import { type ApiClient, type Channel, type ChannelConfig, maskChannelConfig } from "@svc/contract";
import { pickNamed } from "../../lookup/pick-named.ts";

export const CHANNEL_ARGUMENT = { name: "<name-or-id>", description: "name or id of the channel" };

/** All of them, newest first, credentials masked. */
export async function readChannels(api: ApiClient): Promise<Channel[]> {
  return (await api.listChannels()).map((channel) => ({
    ...channel,
    config: maskChannelConfig(channel.config as ChannelConfig),
  }));
}

/** The channel with the id or name. @throws CliError when there is none or several */
export async function findChannel(api: ApiClient, typed: string): Promise<Channel> {
  return pickNamed("channel", typed, await readChannels(api));
}
