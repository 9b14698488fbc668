/** Creates a status page: `svc status-pages create`. */
import type { NewStatusPage } from "@svc/contract";
import { FILE_OPTION, readFragment } from "../../fragments/read-fragment.ts";
import {
  PAGE_FIELDS,
  PAGE_OPTIONS,
  type PageOptions,
  pageBody,
} from "../../resources/status-pages/page-options.ts";
import { generalError } from "../../runtime/cli-error.ts";
import { defineCommand } from "../../runtime/command.ts";

/** Defines `svc status-pages create`. Flags win over the fields of `--file`. */
export const command = defineCommand<PageOptions>({
  summary: "create a status page, which nobody else reads until it is published",
  answers: async () => (await import("../../answers/status-pages.ts")).statusPagesCreate,
  arguments: [{ name: "<slug>", description: "last part of the page's address" }],
  options: [...PAGE_OPTIONS, FILE_OPTION],
  examples: [
    'status-pages create example-shop --title "Example Shop" --component "Website=Home page" --publish',
    "status-pages create example-shop --file page.yaml",
  ],
  async run(context, options, [slug]) {
    const api = context.api();
    const body = await pageBody(api, readFragment(context, options.file, PAGE_FIELDS), options);
    if (body.title === undefined)
      throw generalError("missing: --title (or --file)", "Run: svc status-pages create --help");
    const statusPage = await api.createStatusPage({ ...(body as NewStatusPage), slug: slug as string });
    const address = `${context.apiUrl()}/status/${statusPage.slug}`;
    return {
      data: { statusPage },
      print: (out) =>
        out.line(
          statusPage.isPublished
            ? `Created ${statusPage.slug} (${statusPage.id}): ${out.text(address)}`
            : `Created ${statusPage.slug} (${statusPage.id}). Publish it: svc status-pages edit ${statusPage.slug} --publish`,
        ),
    };
  },
});
