/** Adds an update to a notice of a status page: `svc status-pages notices update`. */
import { NOTICE_STATUSES, type NoticeStatus } from "@svc/contract";
import { getPage, PAGE_ARGUMENT } from "../../../resources/status-pages/get-page.ts";
import { generalError } from "../../../runtime/cli-error.ts";
import { defineCommand } from "../../../runtime/command.ts";

const STATUSES = [...NOTICE_STATUSES.incident, ...NOTICE_STATUSES.maintenance];

/** Defines `svc status-pages notices update`. The statuses resolved and completed end the notice. */
export const command = defineCommand<{ status?: NoticeStatus; text?: string }>({
  summary: "add an update to a notice; the statuses resolved and completed end it",
  answers: async () => (await import("../../../answers/status-pages.ts")).noticesOne,
  arguments: [PAGE_ARGUMENT, { name: "<notice-id>", description: "id of the notice" }],
  options: [
    { flags: "--status <status>", description: "how it stands now", choices: STATUSES },
    { flags: "--text <text>", description: "text, which is public" },
  ],
  examples: [
    'status-pages notices update example-shop snot_... --status resolved --text "It is fast again."',
  ],
  async run(context, { status, text }, [typed, noticeId]) {
    if (status === undefined || text === undefined) throw generalError("give --status and --text");
    const api = context.api();
    const { id } = await getPage(api, typed as string);
    const notice = await api.addNoticeUpdate({ id, noticeId: noticeId as string }, { status, text });
    return { data: { notice }, print: (out) => out.line(`${out.text(notice.title)}: ${status}.`) };
  },
});
