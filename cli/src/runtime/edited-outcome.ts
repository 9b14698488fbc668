/** Changes one resource after a question, and tells what was changed. */
import { isDeepStrictEqual } from "node:util";
import { generalError } from "./cli-error.ts";
import type { CommandOutcome } from "./command.ts";
import { confirm } from "./confirm.ts";
import type { Context } from "./context.ts";

/** A change of one resource, and the request that sends it. */
export interface Edit<Resource> {
  /** Noun for the resource in the question that the user confirms, e.g. `alert rule`. */
  kind: string;
  /** Field of the answer that holds the resource. */
  key: string;
  before: { id: string; name: string | null };
  /** Fields that `change` is compared with. Default: those of `before`, which is answered when nothing differs. */
  present?: object;
  /** The fields that were asked for. Those that are equal already don't count. */
  change: object;
  /** True when --yes was given. */
  hasAgreed: boolean | undefined;
  send(): Promise<Resource>;
}

/**
 * Sends the change unless nothing would be changed by it.
 * @throws CliError when no field was given, or when the user declined
 */
export async function editedOutcome<Resource>(
  context: Context,
  { kind, key, before, present = before, change, hasAgreed, send }: Edit<Resource>,
): Promise<CommandOutcome> {
  if (Object.keys(change).length === 0) throw generalError("nothing to change was given");
  const fields = present as Record<string, unknown>;
  const changed = Object.entries(change)
    .filter(([field, value]) => !isDeepStrictEqual(fields[field], value))
    .map(([field]) => field);
  if (changed.length === 0)
    return { data: { [key]: before, changed }, print: (out) => out.line("Nothing to change.") };
  const name = before.name ?? before.id;
  await confirm(context, `Change ${changed.join(", ")} of ${kind} ${name}`, hasAgreed);
  const resource = await send();
  return {
    data: { [key]: resource, changed },
    print: (out) => out.line(`Changed ${out.text(name)}: ${changed.join(", ")}.`),
  };
}
