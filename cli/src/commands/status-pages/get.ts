/** Shows a status page and what it tells: `svc status-pages get`. */
import { printFields } from "../../output/print-fields.ts";
import { getPage, PAGE_ARGUMENT } from "../../resources/status-pages/get-page.ts";
import { defineCommand } from "../../runtime/command.ts";

/** Defines `svc status-pages get`. */
export const command = defineCommand({
  summary: "show a status page, and what it tells everybody",
  answers: async () => (await import("../../answers/status-pages.ts")).statusPagesGet,
  arguments: [PAGE_ARGUMENT],
  examples: ["status-pages get example-shop", "status-pages get stp_... --json"],
  async run(context, _options, [typed]) {
    const api = context.api();
    const { name: _name, ...statusPage } = await getPage(api, typed as string);
    const view = await api.viewStatusPage(statusPage.id);
    const address = `${context.apiUrl()}/status/${statusPage.slug}`;
    return {
      data: { statusPage, view },
      print: (out) => {
        printFields(out, [
          ["Title", statusPage.title],
          ["Id", statusPage.id],
          ["Address", statusPage.isPublished ? address : `${address} (not published)`],
          ["State", view.state],
          ["Monitors", String(statusPage.checkCount)],
        ]);
        if (view.components.length === 0) return;
        out.table(
          [
            { title: "COMPONENT", value: ({ name }) => name },
            { title: "STATE", value: ({ state }) => state },
            { title: "GOOD", value: ({ goodPercent }) => (goodPercent === null ? "-" : `${goodPercent} %`) },
            {
              title: "DAYS WITHOUT DATA",
              value: ({ days }) => String(days.filter(({ state }) => state === "unmeasured").length),
            },
          ],
          view.components,
        );
      },
    };
  },
});
