/** Creates a runner key and prints it: `svc locations keys create`. The service shows its secret this once. */
import { getPrivateLocation, PRIVATE_LOCATION_ARGUMENT } from "../../../resources/locations/get-location.ts";
import { defineCommand } from "../../../runtime/command.ts";

/** Defines `svc locations keys create`; `data.key.secret` is the key in clear. */
export const command = defineCommand<{ name?: string }>({
  summary: "create a runner key; it is shown this once",
  answers: async () => (await import("../../../answers/locations.ts")).runnerKeysCreate,
  arguments: [PRIVATE_LOCATION_ARGUMENT],
  options: [{ flags: "--name <name>", description: "what it is for" }],
  examples: ["locations keys create office --name rack-1"],
  async run(context, options, [typed]) {
    const api = context.api();
    const { id } = await getPrivateLocation(api, typed as string);
    const key = await api.createRunnerKey(id, options);
    return {
      data: { key },
      print: (out) => {
        out.line(key.secret);
        out.info(`Key ${out.text(key.name)} (${key.id}) of ${id}; it is not shown again.`);
      },
    };
  },
});
