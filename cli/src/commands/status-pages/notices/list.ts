/** Lists the notices of a status page: `svc status-pages notices list`. */
import { getPage, PAGE_ARGUMENT } from "../../../resources/status-pages/get-page.ts";
import { defineCommand } from "../../../runtime/command.ts";

/** Defines `svc status-pages notices list`, newest first. */
export const command = defineCommand({
  summary: "list the notices of a status page: incidents and maintenance in people's words",
  answers: async () => (await import("../../../answers/status-pages.ts")).noticesList,
  arguments: [PAGE_ARGUMENT],
  examples: ["status-pages notices list example-shop"],
  async run(context, _options, [typed]) {
    const api = context.api();
    const { id } = await getPage(api, typed as string);
    const notices = await api.listStatusNotices(id);
    return {
      data: { notices },
      print: (out) => {
        if (notices.length === 0) out.info("No notices.");
        else
          out.table(
            [
              { title: "TITLE", value: ({ title }) => title },
              { title: "KIND", value: ({ kind }) => kind },
              { title: "STATUS", value: ({ updates }) => updates[0]?.status ?? "-" },
              { title: "ACTIVE", value: ({ isActive }) => (isActive ? "yes" : "no") },
              { title: "STARTS", value: ({ startsAt }) => startsAt },
              { title: "ENDS", value: ({ endsAt }) => endsAt ?? "-" },
              { title: "ID", value: ({ id: noticeId }) => noticeId },
            ],
            notices,
          );
      },
    };
  },
});
