/** `svc locations create`. */

import { PLACE_OPTIONS, type PlaceOptions } from "../../resources/locations/coordinate-options.ts";
import { defineCommand } from "../../runtime/command.ts";

export const command = defineCommand<PlaceOptions>({
  summary: "create a private location",
  arguments: [{ name: "<name>", description: "its name" }],
  options: PLACE_OPTIONS,
  examples: ["locations create office", 'locations create office --display-name "Berlin office"'],
  async run(context, place, name) {
    const location = await context.api().createLocation({ name: name as string, ...place });
    return {
      data: { location },
      print: (out) => {
        out.line(`Created ${out.text(location.name)} (${location.id}).`);
        out.info(`Nothing runs there yet. Run: svc locations install-command ${location.id}`);
      },
    };
  },
});
