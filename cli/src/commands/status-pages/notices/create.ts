/** Tells of an incident or of maintenance on a status page: `svc status-pages notices create`. */
import { NOTICE_IMPACTS, NOTICE_KINDS, type NoticeImpact, type NoticeKind } from "@svc/contract";
import { getPage, PAGE_ARGUMENT } from "../../../resources/status-pages/get-page.ts";
import { generalError } from "../../../runtime/cli-error.ts";
import { defineCommand } from "../../../runtime/command.ts";

interface Options {
  kind: NoticeKind;
  title?: string;
  text?: string;
  component?: string[];
  impact?: NoticeImpact;
  starts?: string;
  ends?: string;
}

/** Defines `svc status-pages notices create`. Everything in a notice is public. */
export const command = defineCommand<Options>({
  summary: "tell of an incident or of maintenance on a status page",
  answers: async () => (await import("../../../answers/status-pages.ts")).noticesOne,
  arguments: [PAGE_ARGUMENT],
  options: [
    { flags: "--kind <kind>", description: "what it is", choices: NOTICE_KINDS, default: "incident" },
    { flags: "--title <title>", description: "title" },
    { flags: "--text <text>", description: "text of the first update" },
    {
      flags: "--component <name>",
      description: "a component that it concerns; may be repeated",
      repeats: true,
    },
    {
      flags: "--impact <state>",
      description: "of an incident: how bad its components are at least",
      choices: NOTICE_IMPACTS,
    },
    { flags: "--starts <time>", description: "ISO 8601 with Z or an offset; of an incident by default now" },
    { flags: "--ends <time>", description: "ISO 8601 with Z or an offset; required for maintenance" },
  ],
  examples: [
    'status-pages notices create example-shop --title "Slow checkout" --text "We look into it." --component Checkout --impact degraded',
    'status-pages notices create example-shop --kind maintenance --title Upgrade --text "The shop is closed." --starts 2026-12-06T02:00:00Z --ends 2026-12-06T04:00:00Z',
  ],
  async run(context, { kind, title, text, component, impact, starts, ends }, [typed]) {
    if (title === undefined || text === undefined) throw generalError("give --title and --text");
    const api = context.api();
    const { id, slug } = await getPage(api, typed as string);
    const notice = await api.createStatusNotice(id, {
      kind,
      title,
      text,
      ...(component === undefined ? {} : { components: component }),
      ...(impact === undefined ? {} : { impact }),
      ...(starts === undefined ? {} : { startsAt: starts }),
      ...(ends === undefined ? {} : { endsAt: ends }),
    });
    return {
      data: { notice },
      print: (out) => out.line(`Published notice ${out.text(notice.title)} on ${slug} (${notice.id}).`),
    };
  },
});
