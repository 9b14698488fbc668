/** Changes the name, display name, coordinates, channels or guard of a private location: `svc locations update`. */
import type { ApiClient, UpdateLocation } from "@svc/contract";
import { CHANNELS_OPTION, channelIdsOf } from "../../fragments/channel-ids.ts";
import { getPrivateLocation, PRIVATE_LOCATION_ARGUMENT } from "../../resources/locations/get-location.ts";
import {
  LOCATION_CHANGE_OPTIONS,
  type LocationOptions,
  locationFieldsOf,
  NONE,
} from "../../resources/locations/location-options.ts";
import { generalError } from "../../runtime/cli-error.ts";
import { defineCommand } from "../../runtime/command.ts";

type Options = LocationOptions<number | typeof NONE> & { name?: string; channel?: string[] };

const CHANNELS_CHANGE_OPTION = {
  ...CHANNELS_OPTION,
  description: "channel to notify, instead of the present ones; may be repeated; none takes them all away",
};

/** Defines `svc locations update`. The coordinate `none` removes one. */
export const command = defineCommand<Options>({
  summary: "change a private location",
  answers: async () => (await import("../../answers/locations.ts")).locationsOne,
  arguments: [PRIVATE_LOCATION_ARGUMENT],
  options: [
    { flags: "--name <name>", description: "new name" },
    ...LOCATION_CHANGE_OPTIONS,
    CHANNELS_CHANGE_OPTION,
  ],
  examples: [
    "locations update office --name berlin",
    "locations update loc_... --latitude 52.5 --longitude 13.4",
    "locations update office --latitude none --longitude none",
    'locations update office --channel "On call"',
    "locations update office --no-guard",
  ],
  async run(context, change, [typed]) {
    if (Object.keys(change).length === 0)
      throw generalError("nothing to change was given", "Run: svc locations update --help");
    const api = context.api();
    const { id } = await getPrivateLocation(api, typed as string);
    const location = await api.updateLocation(id, await bodyOf(api, change));
    return { data: { location }, print: (out) => out.line(`Changed ${out.text(location.name)}.`) };
  },
});

async function bodyOf(
  api: ApiClient,
  { latitude, longitude, channel, ...rest }: Options,
): Promise<UpdateLocation> {
  const isCleared = channel?.length === 1 && channel[0] === NONE;
  const channelIds = isCleared ? [] : await channelIdsOf(api, channel);
  return {
    ...locationFieldsOf(rest),
    ...(channelIds === undefined ? {} : { channelIds }),
    ...(latitude === undefined ? {} : { latitude: latitude === NONE ? null : latitude }),
    ...(longitude === undefined ? {} : { longitude: longitude === NONE ? null : longitude }),
  };
}
