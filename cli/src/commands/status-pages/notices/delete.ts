/** Deletes a notice of a status page, after a question: `svc status-pages notices delete`. */
import { pickNamed } from "../../../lookup/pick-named.ts";
import { getPage, PAGE_ARGUMENT } from "../../../resources/status-pages/get-page.ts";
import { defineCommand } from "../../../runtime/command.ts";
import { confirm } from "../../../runtime/confirm.ts";

/** Defines `svc status-pages notices delete`, which asks unless `--yes` is given. */
export const command = defineCommand<{ yes?: boolean }>({
  summary: "delete a notice with its updates",
  answers: async () => (await import("../../../answers/deleted.ts")).deleted,
  arguments: [PAGE_ARGUMENT, { name: "<notice-id>", description: "id or title of the notice" }],
  options: [{ flags: "--yes", description: "don't ask" }],
  examples: ["status-pages notices delete example-shop snot_... --yes"],
  async run(context, { yes }, [typed, noticeId]) {
    const api = context.api();
    const { id: pageId } = await getPage(api, typed as string);
    const notices = (await api.listStatusNotices(pageId)).map((notice) => ({
      ...notice,
      name: notice.title,
    }));
    const { id, name } = pickNamed("notice", noticeId as string, notices);
    await confirm(context, `Delete notice ${name}`, yes);
    await api.deleteStatusNotice({ id: pageId, noticeId: id });
    return { data: { deleted: true, id, name }, print: (out) => out.line(`Deleted ${out.text(name)}.`) };
  },
});
