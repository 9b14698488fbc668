/** Lists a monitor's results, newest first: `svc results list`. The service filters them by status and age. */
import { durationSeconds, RESULT_STATUSES } from "@svc/contract";
import { type PageOptions, pageOptions } from "../../lookup/pages.ts";
import { resultColumns } from "../../resources/monitors/describe.ts";
import { getMonitor } from "../../resources/monitors/get-monitor.ts";
import { generalError } from "../../runtime/cli-error.ts";
import { defineCommand } from "../../runtime/command.ts";

interface Options extends PageOptions {
  status?: (typeof RESULT_STATUSES)[number];
  since?: number;
}

/** Defines `svc results list`. */
export const command = defineCommand<Options>({
  summary: "list a monitor's results, newest first",
  answers: async () => (await import("../../answers/monitors.ts")).resultsList,
  arguments: [{ name: "<monitor>", description: "name or id of the monitor" }],
  options: [
    ...pageOptions("not together with --status or --since"),
    { flags: "--status <status>", description: "only these", choices: RESULT_STATUSES },
    { flags: "--since <duration>", description: "not older than, e.g. 1h, 24h, 7d", parse: parseSince },
  ],
  examples: [
    'results list "Home page"',
    'results list "Home page" --status failure --since 24h',
    "results list chk_... --limit 200 --json",
  ],
  async run(context, { limit, offset, status, since }, [typed]) {
    if (offset !== undefined && (status !== undefined || since !== undefined))
      throw generalError("--offset can't be combined with --status or --since");
    const api = context.api();
    const { id } = await getMonitor(api, typed as string);
    const nowMs = context.system.nowMs();
    const isFiltered = status !== undefined || since !== undefined;
    const { results } = await api.listResults(id, {
      limit,
      ...(isFiltered
        ? { status, from: since === undefined ? undefined : new Date(nowMs - since * 1000).toISOString() }
        : { offset: offset ?? 0 }),
    });
    return {
      data: { results, limit, ...(isFiltered ? {} : { offset: offset ?? 0 }) },
      print: (out) => {
        if (results.length === 0) out.info("No such results.");
        else out.table(resultColumns(out.colors, nowMs), results);
      },
    };
  },
});

/** Returns seconds. */
function parseSince(text: string): number {
  const seconds = durationSeconds(text, "smhd");
  if (seconds === undefined || seconds === 0)
    throw generalError(`--since is "${text}"; expected a duration, for example 1h, 24h or 7d`);
  return seconds;
}
