/** Lists the runner keys of a private location, by their beginnings: `svc locations keys list`. */
import { ago } from "../../../output/times.ts";
import { getPrivateLocation, PRIVATE_LOCATION_ARGUMENT } from "../../../resources/locations/get-location.ts";
import { defineCommand } from "../../../runtime/command.ts";

/** Defines `svc locations keys list`. No answer holds a whole key. */
export const command = defineCommand({
  summary: "list the runner keys of a private location",
  answers: async () => (await import("../../../answers/locations.ts")).runnerKeysList,
  arguments: [PRIVATE_LOCATION_ARGUMENT],
  examples: ["locations keys list office", "locations keys list office --json"],
  async run(context, _options, [typed]) {
    const api = context.api();
    const { id } = await getPrivateLocation(api, typed as string);
    const keys = await api.listRunnerKeys(id);
    const nowMs = context.system.nowMs();
    return {
      data: { keys },
      print: (out) => {
        if (keys.length === 0) out.info(`No keys. Run: svc locations keys create ${id}`);
        else
          out.table(
            [
              { title: "NAME", value: ({ name }) => name },
              { title: "KEY", value: ({ keyPrefix }) => `${keyPrefix}...` },
              { title: "LAST USED", value: ({ lastUsedAt }) => ago(lastUsedAt, nowMs) },
              { title: "CREATED", value: ({ createdAt }) => ago(createdAt, nowMs) },
              { title: "ID", value: ({ id }) => id },
            ],
            keys,
          );
      },
    };
  },
});
