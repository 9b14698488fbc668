/** `svc locations update`. */
import { generalError } from "../../cli-error.ts";
import { defineCommand } from "../../command.ts";
import { findPrivateLocation, PRIVATE_LOCATION_ARGUMENT } from "../../locations/find-location.ts";
import { PLACE_OPTIONS, type PlaceOptions } from "../../locations/place-options.ts";

export const command = defineCommand<PlaceOptions & { name?: string }>({
  summary: "change a private location",
  arguments: [PRIVATE_LOCATION_ARGUMENT],
  options: [{ flags: "--name <name>", description: "new name" }, ...PLACE_OPTIONS],
  examples: [
    "locations update office --name berlin",
    "locations update loc_... --latitude 52.5 --longitude 13.4",
  ],
  async run(context, change, typed) {
    if (Object.keys(change).length === 0)
      throw generalError("nothing to change was given", "Run: svc locations update --help");
    const api = context.api();
    const { id } = await findPrivateLocation(api, typed as string);
    const location = await api.updateLocation(id, change);
    return { data: { location }, print: (out) => out.line(`Changed ${out.text(location.name)}.`) };
  },
});
