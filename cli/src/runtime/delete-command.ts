/** Commands that delete one resource, after a question. */
import type { ApiClient } from "@svc/contract";
import { type Command, defineCommand } from "./command.ts";
import { confirm } from "./confirm.ts";

interface Deletion {
  /** Words of the command: `slos delete`. */
  path: string;
  summary: string;
  /** Noun for the resource in the question that the user confirms, e.g. `SLO`. */
  kind: string;
  /** Ends that question by naming what is deleted with the resource, e.g. ` and its burn-rate rules`. Default: empty. */
  along?: string;
  argument: { name: string; description: string };
  find(api: ApiClient, typed: string): Promise<{ id: string; name: string | null }>;
  send(api: ApiClient, id: string): Promise<unknown>;
}

/** Builds the command. A resource that others refer to is a conflict of the service, which names them. */
export function deleteCommand({ path, summary, kind, along = "", argument, find, send }: Deletion): Command {
  return defineCommand<{ yes?: boolean }>({
    summary,
    answers: async () => (await import("../answers/deleted.ts")).deleted,
    arguments: [argument],
    options: [{ flags: "--yes", description: "don't ask" }],
    examples: [`${path} "On call" --yes`],
    async run(context, { yes }, [typed]) {
      const api = context.api();
      const { id, name } = await find(api, typed as string);
      await confirm(context, `Delete ${kind} ${name ?? id}${along}`, yes);
      await send(api, id);
      return {
        data: { deleted: true, id, name },
        print: (out) => out.line(`Deleted ${out.text(name ?? id)}.`),
      };
    },
  });
}
