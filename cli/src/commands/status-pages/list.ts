/** Lists the status pages: `svc status-pages list`. */
import { defineCommand } from "../../runtime/command.ts";

/** Defines `svc status-pages list`, which answers all pages at once. */
export const command = defineCommand({
  summary: "list the status pages",
  answers: async () => (await import("../../answers/status-pages.ts")).statusPagesList,
  examples: ["status-pages list", "status-pages list --json"],
  async run(context) {
    const statusPages = await context.api().listStatusPages();
    return {
      data: { statusPages },
      print: (out) => {
        if (statusPages.length === 0) out.info("No status pages.");
        else
          out.table(
            [
              { title: "SLUG", value: ({ slug }) => slug },
              { title: "TITLE", value: ({ title }) => title },
              { title: "PUBLISHED", value: ({ isPublished }) => (isPublished ? "yes" : "no") },
              { title: "COMPONENTS", value: ({ components }) => String(components.length) },
              { title: "MONITORS", value: ({ checkCount }) => String(checkCount) },
              { title: "ID", value: ({ id }) => id },
            ],
            statusPages,
          );
      },
    };
  },
});
