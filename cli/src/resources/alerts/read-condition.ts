/** Reads a condition as a command line writes it: `consecutive_failures count=3`. */
import { conditionTypes } from "@svc/contract";
import { generalError } from "../../runtime/cli-error.ts";

/**
 * Returns the condition with its fields; a value that is JSON counts as such, any other is text.
 * @throws CliError for an unknown type, and for a word that is no field
 */
export function readCondition(text: string): Record<string, unknown> {
  const [type = "", ...words] = text.trim().split(/\s+/);
  if (!(conditionTypes.types as readonly string[]).includes(type))
    throw generalError(`--condition is "${text}"; it begins with one of ${conditionTypes.types.join(", ")}`);
  const fields = words.map((word) => {
    const [name = "", value] = word.split(/=(.*)/s);
    if (name === "" || value === undefined)
      throw generalError(
        `--condition is "${text}"; expected <type> <field>=<value>..., e.g. ${type} count=3`,
      );
    return [name, jsonOr(value)] as const;
  });
  return { type, ...Object.fromEntries(fields) };
}

function jsonOr(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return text;
  }
}
