/** Changes a status page, after a question: `svc status-pages edit`. */
import type { UpdateStatusPage } from "@svc/contract";
import { FILE_OPTION, readFragment } from "../../fragments/read-fragment.ts";
import { getPage, PAGE_ARGUMENT } from "../../resources/status-pages/get-page.ts";
import {
  PAGE_FIELDS,
  PAGE_OPTIONS,
  type PageOptions,
  pageBody,
} from "../../resources/status-pages/page-options.ts";
import { defineCommand } from "../../runtime/command.ts";
import { editedOutcome } from "../../runtime/edited-outcome.ts";

interface Options extends PageOptions {
  slug?: string;
  yes?: boolean;
}

/** Defines `svc status-pages edit`. Sends the given fields only; components replace the former ones. */
export const command = defineCommand<Options>({
  summary: "change a status page; components replace the former ones",
  answers: async () => (await import("../../answers/status-pages.ts")).statusPagesEdit,
  arguments: [PAGE_ARGUMENT],
  options: [
    { flags: "--slug <slug>", description: "new slug; the former address is nobody's then" },
    ...PAGE_OPTIONS,
    FILE_OPTION,
    { flags: "--yes", description: "don't ask" },
  ],
  examples: ["status-pages edit example-shop --publish --yes"],
  async run(context, options, [typed]) {
    const api = context.api();
    const { name, ...before } = await getPage(api, typed as string);
    const fields = await pageBody(api, readFragment(context, options.file, PAGE_FIELDS), options);
    const change = { ...fields, ...(options.slug === undefined ? {} : { slug: options.slug }) };
    const outcome = await editedOutcome(context, {
      kind: "status page",
      key: "statusPage",
      before: { ...before, name },
      present: before,
      change,
      hasAgreed: options.yes,
      send: () => api.updateStatusPage(before.id, change as UpdateStatusPage),
    });
    return outcome;
  },
});
