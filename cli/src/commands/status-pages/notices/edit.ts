/** Changes the fields of a notice, after a question: `svc status-pages notices edit`. */
import { NOTICE_IMPACTS, type NoticeImpact, type UpdateStatusNotice } from "@svc/contract";
import { pickNamed } from "../../../lookup/pick-named.ts";
import { getPage, PAGE_ARGUMENT } from "../../../resources/status-pages/get-page.ts";
import { defineCommand } from "../../../runtime/command.ts";
import { editedOutcome } from "../../../runtime/edited-outcome.ts";

interface Options {
  title?: string;
  component?: string[];
  impact?: NoticeImpact;
  starts?: string;
  ends?: string;
  yes?: boolean;
}

/** Defines `svc status-pages notices edit`. What the notice's updates said stays, and nobody is notified. */
export const command = defineCommand<Options>({
  summary: "change title, components, impact or times of a notice; its updates stay",
  answers: async () => (await import("../../../answers/status-pages.ts")).noticesEdit,
  arguments: [PAGE_ARGUMENT, { name: "<notice-id>", description: "id or title of the notice" }],
  options: [
    { flags: "--title <title>", description: "title" },
    {
      flags: "--component <name>",
      description: "a component that it concerns; may be repeated; replaces the components",
      repeats: true,
    },
    {
      flags: "--impact <state>",
      description: "of an incident: how bad its components are at least",
      choices: NOTICE_IMPACTS,
    },
    { flags: "--starts <time>", description: "ISO 8601 with Z or an offset" },
    { flags: "--ends <time>", description: "ISO 8601 with Z or an offset" },
    { flags: "--yes", description: "don't ask" },
  ],
  examples: ["status-pages notices edit example-shop snot_... --ends 2026-12-06T05:00:00Z --yes"],
  async run(context, { title, component, impact, starts, ends, yes }, [typed, typedNotice]) {
    const api = context.api();
    const { id } = await getPage(api, typed as string);
    const notices = (await api.listStatusNotices(id)).map((notice) => ({ ...notice, name: notice.title }));
    const { name, ...before } = pickNamed("notice", typedNotice as string, notices);
    const change: UpdateStatusNotice = {
      ...(title === undefined ? {} : { title }),
      ...(component === undefined ? {} : { components: component }),
      ...(impact === undefined ? {} : { impact }),
      ...(starts === undefined ? {} : { startsAt: starts }),
      ...(ends === undefined ? {} : { endsAt: ends }),
    };
    return editedOutcome(context, {
      kind: "notice",
      key: "notice",
      before: { ...before, name },
      present: before,
      change,
      hasAgreed: yes,
      send: () => api.updateStatusNotice({ id, noticeId: before.id }, change),
    });
  },
});
