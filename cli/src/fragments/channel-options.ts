/** Flags and fields of the commands that write channels. */
import { interpolate } from "@svc/as-code";
import { type ConfigChannel, configChannelSchema } from "@svc/contract";
import { parse } from "yaml";
import { CliError, generalError } from "../runtime/cli-error.ts";
import type { Context } from "../runtime/context.ts";
import { FILE_OPTION, type Fragment, readFragment } from "./read-fragment.ts";

/** Values of these flags. */
export interface ChannelOptions {
  set?: [name: string, value: string][];
  file?: string;
}

/** Flags for the fields of a channel. */
export const CHANNEL_OPTIONS = [
  {
    flags: "--set <field=value>",
    description:
      "a field of the type, as svc.config.yaml has it; secrets best as {{secrets.NAME}}; may be repeated",
    repeats: true,
    parse: (text: string) => {
      const [name = "", value] = text.split(/=(.*)/s);
      if (name === "" || value === undefined) throw generalError(`--set is "${text}"; expected field=value`);
      return [name, value];
    },
  },
  FILE_OPTION,
] as const;

/** Returns the fields of file and flags; values of flags are texts, or YAML where the type wants something else. */
export function channelFields(context: Context, { file, set = [] }: ChannelOptions): Fragment {
  const { env } = context.system;
  const texts = set.map(([name, text]): [string, string] => {
    const filled = interpolate(text, env);
    for (const secret of filled.secrets) context.out.secrets.add(secret);
    const [unresolved] = filled.unresolved;
    if (unresolved) throw generalError(`--set ${name}: ${unresolved.message}`);
    return [name, filled.text];
  });
  return { ...readFragment(context, file), ...Object.fromEntries(texts) };
}

/**
 * Returns the channel that these fields describe, in the form of svc.config.yaml.
 * @throws CliError that lists what is wrong
 */
export function channelOf(fields: Fragment): ConfigChannel {
  const asTexts = configChannelSchema.safeParse(fields);
  if (asTexts.success) return asTexts.data;
  const asYaml = configChannelSchema.safeParse(mapValues(fields, yamlOr));
  if (asYaml.success) return asYaml.data;
  const problems = asYaml.error.issues.map(({ path, message }) => [...path.map(String), message].join(": "));
  throw new CliError("general_error", `the channel can't be used: ${problems.join("; ")}`, {
    hint: "docs/notifications.md lists the fields of each type",
    details: { problems },
  });
}

function yamlOr(value: unknown): unknown {
  if (typeof value !== "string") return value;
  try {
    return parse(value);
  } catch {
    return value;
  }
}

function mapValues(fields: Fragment, map: (value: unknown) => unknown): Fragment {
  return Object.fromEntries(Object.entries(fields).map(([name, value]) => [name, map(value)]));
}
