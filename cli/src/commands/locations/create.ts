/** Creates a private location: `svc locations create`. Nothing runs there until an agent is installed. */
import { LOCATION_OPTIONS, type LocationOptions } from "../../resources/locations/location-options.ts";
import { defineCommand } from "../../runtime/command.ts";

/** Defines `svc locations create`; `data.location` has the new id. */
export const command = defineCommand<LocationOptions>({
  summary: "create a private location",
  answers: "`location`",
  arguments: [{ name: "<name>", description: "its name" }],
  options: LOCATION_OPTIONS,
  examples: ["locations create office", 'locations create office --display-name "Berlin office"'],
  async run(context, options, [name]) {
    const location = await context.api().createLocation({ name: name as string, ...options });
    return {
      data: { location },
      print: (out) => {
        out.line(`Created ${out.text(location.name)} (${location.id}).`);
        out.info(`Nothing runs there yet. Run: svc locations install-command ${location.id}`);
      },
    };
  },
});
