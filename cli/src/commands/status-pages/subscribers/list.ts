/** Lists who subscribes to a status page: `svc status-pages subscribers list`. */

import { getPage, PAGE_ARGUMENT } from "../../../resources/status-pages/get-page.ts";
import { subscriberName } from "../../../resources/status-pages/subscriber-name.ts";
import { defineCommand } from "../../../runtime/command.ts";

/** Defines `svc status-pages subscribers list`, newest first. Addresses are personal data. */
export const command = defineCommand({
  summary: "list who has the notices of a status page sent, by mail or webhook",
  answers: async () => (await import("../../../answers/status-pages.ts")).subscribersList,
  arguments: [PAGE_ARGUMENT],
  examples: ["status-pages subscribers list example-shop"],
  async run(context, _options, [typed]) {
    const api = context.api();
    const { id } = await getPage(api, typed as string);
    const subscribers = await api.listStatusSubscribers(id);
    return {
      data: { subscribers },
      print: (out) => {
        if (subscribers.length === 0) out.info("No subscribers.");
        else
          out.table(
            [
              { title: "ADDRESS", value: subscriberName },
              { title: "TYPE", value: ({ type }) => type },
              { title: "CONFIRMED", value: ({ confirmedAt }) => confirmedAt ?? "not yet" },
              { title: "ID", value: ({ id: subscriberId }) => subscriberId },
            ],
            subscribers,
          );
      },
    };
  },
});
