/** Creates a private location: `svc locations create`. Nothing runs there until an agent is installed. */
import { CHANNELS_OPTION, channelIdsOf } from "../../fragments/channel-ids.ts";
import {
  LOCATION_OPTIONS,
  type LocationOptions,
  locationFieldsOf,
} from "../../resources/locations/location-options.ts";
import { defineCommand } from "../../runtime/command.ts";

/** Defines `svc locations create`; `data.location` has the new id. */
export const command = defineCommand<LocationOptions & { channel?: string[] }>({
  summary: "create a private location",
  answers: async () => (await import("../../answers/locations.ts")).locationsOne,
  arguments: [{ name: "<name>", description: "its name" }],
  options: [...LOCATION_OPTIONS, CHANNELS_OPTION],
  examples: [
    "locations create office",
    'locations create office --display-name "Berlin office" --channel "On call"',
  ],
  async run(context, options, [name]) {
    const api = context.api();
    const { channel, ...fields } = options;
    const channelIds = await channelIdsOf(api, channel);
    const location = await api.createLocation({
      name: name as string,
      ...locationFieldsOf(fields),
      ...(channelIds === undefined ? {} : { channelIds }),
    });
    return {
      data: { location },
      print: (out) => {
        out.line(`Created ${out.text(location.name)} (${location.id}).`);
        out.info(`Nothing runs there yet. Run: svc locations install-command ${location.id}`);
      },
    };
  },
});
