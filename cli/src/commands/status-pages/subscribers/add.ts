/** Subscribes an endpoint to a status page: `svc status-pages subscribers add`. */

import { getPage, PAGE_ARGUMENT } from "../../../resources/status-pages/get-page.ts";
import { subscriberName } from "../../../resources/status-pages/subscriber-name.ts";
import { generalError } from "../../../runtime/cli-error.ts";
import { defineCommand } from "../../../runtime/command.ts";

/** Defines `svc status-pages subscribers add`. People subscribe by the page itself. */
export const command = defineCommand<{ url?: string }>({
  summary: "have each update of a notice posted to a URL; shows the secret that signs it, once",
  answers: async () => (await import("../../../answers/status-pages.ts")).subscribersAdd,
  arguments: [PAGE_ARGUMENT],
  options: [{ flags: "--url <url>", description: "endpoint to which updates are posted" }],
  examples: ["status-pages subscribers add example-shop --url https://hooks.example.com/status"],
  async run(context, { url }, [typed]) {
    if (url === undefined) throw generalError("give --url");
    const api = context.api();
    const { id, slug } = await getPage(api, typed as string);
    const subscriber = await api.createStatusWebhook(id, { url });
    return {
      data: { subscriber },
      print: (out) => {
        out.line(
          `Updates of ${slug} are posted to ${out.text(subscriberName(subscriber))}: ${subscriber.id}.`,
        );
        out.line(`Secret, shown once: ${subscriber.secret}`);
      },
    };
  },
});
