/** Lists who changed which configuration record: `svc log`. */
import { CHANGE_SOURCES, type Change, type ChangeSource } from "@svc/contract";
import { type PageOptions, pageOptions } from "../lookup/pages.ts";
import { relativeTime } from "../output/times.ts";
import { generalError } from "../runtime/cli-error.ts";
import { defineCommand } from "../runtime/command.ts";

const TYPES = ["check", "alert", "slo", "channel"] as const;

interface Options extends PageOptions {
  type?: (typeof TYPES)[number];
  name?: string;
  source?: ChangeSource;
}

/** Defines `svc log`. The service filters and pages. */
export const command = defineCommand<Options>({
  summary: "list changes of the configuration, newest first",
  answers: async () => (await import("../answers/logs.ts")).log,
  options: [
    { flags: "--type <type>", description: "only of these resources", choices: TYPES },
    { flags: "--name <part>", description: "only of resources whose name contains this, in any case" },
    { flags: "--source <source>", description: "only made there", choices: CHANGE_SOURCES },
    ...pageOptions("not together with --name"),
  ],
  examples: ["log", "log --type check --source yaml", "log --name checkout --limit 100 --json"],
  async run(context, options) {
    if (options.offset !== undefined && options.name !== undefined)
      throw generalError("--offset can't be combined with --name");
    const { changes, limit, offset } = await context.api().listChanges(options);
    const nowMs = context.system.nowMs();
    return {
      data: { changes, limit, offset },
      print: (out) => {
        if (changes.length === 0) out.info("No such changes.");
        else out.table(columns(nowMs), changes);
      },
    };
  },
});

function columns(nowMs: number) {
  return [
    { title: "TIME", value: ({ createdAt }: Change) => relativeTime(Date.parse(createdAt), nowMs) },
    { title: "ACTION", value: ({ action }: Change) => action },
    { title: "TYPE", value: ({ type }: Change) => type },
    { title: "NAME", value: ({ name, resourceId }: Change) => name ?? resourceId },
    { title: "SOURCE", value: ({ source }: Change) => source },
    {
      title: "FIELDS",
      value: ({ changedFields }: Change) => changedFields.map(({ field }) => field).join(", "),
    },
  ];
}
