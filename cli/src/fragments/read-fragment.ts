/** Reads one resource that a command takes from a file, in the form that svc.config.yaml has for it. */

import { Positions, problemLine } from "@svc/as-code/config";
import { isObject, nearestName } from "@svc/contract";
import { readConfigFile } from "../config/load-config.ts";
import { CliError, generalError } from "../runtime/cli-error.ts";
import type { Context } from "../runtime/context.ts";

/** The flag of commands that take a fragment. */
export const FILE_OPTION = {
  flags: "--file <path>",
  description: "YAML file with the fields as svc.config.yaml has them; other flags win",
} as const;

/** Values of one resource by the field names of svc.config.yaml. */
export type Fragment = Record<string, unknown>;

/**
 * Returns the fields of a fragment, with placeholders filled in; an empty one when no file was given.
 * @param fields names of the fields that are allowed; undefined: all names are allowed
 * @throws CliError that lists what is wrong with the file
 */
export function readFragment(
  { out, system: { cwd, env } }: Pick<Context, "out" | "system">,
  path: string | undefined,
  fields?: readonly string[],
): Fragment {
  if (path === undefined) return {};
  const read = readConfigFile(cwd, path, { env, positions: new Positions() });
  for (const secret of read.secrets) out.secrets.add(secret);
  const problems = [...read.problems, ...read.unresolved];
  if (problems.length > 0)
    throw new CliError("general_error", `${path} can't be used`, {
      hint: problems.map((problem) => `  ${problemLine(problem)}`).join("\n"),
      details: { problems },
    });
  if (!isObject(read.value)) throw generalError(`${path}: expected a map of fields`);
  const unknown = fields && Object.keys(read.value).find((field) => !fields.includes(field));
  if (fields && unknown !== undefined) {
    const nearest = nearestName(unknown, fields);
    throw generalError(`${path}: unknown field "${unknown}"${nearest ? `; did you mean "${nearest}"?` : ""}`);
  }
  return read.value as Fragment;
}
