/** Audiences of channel types, from which follows who is notified of what. */
import { type ChannelAudience, type ChannelType, channelTypes } from "@svc/contract";

/** Returns whom channels of this type reach. */
export function audienceOf(type: ChannelType): ChannelAudience {
  return channelTypes.get(type).audience;
}

/** Returns the types of the channels that reach this audience. */
export function typesWithAudience(audience: ChannelAudience): ChannelType[] {
  return channelTypes.types.filter((type) => audienceOf(type) === audience);
}
