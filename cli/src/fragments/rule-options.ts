/** Flags and fields of the commands that write alert rules. */
import type { ApiClient, NewAlertRule } from "@svc/contract";
import { readCondition } from "../resources/alerts/read-condition.ts";
import { CHANNELS_OPTION, channelIdsOf } from "./channel-ids.ts";
import { FILE_OPTION, type Fragment } from "./read-fragment.ts";

/** Values of these flags. `recoverAfter` is a number of successes. */
export interface RuleOptions {
  name?: string;
  condition?: Record<string, unknown>[];
  channel?: string[];
  confirm?: boolean;
  recoverAfter?: number;
  file?: string;
}

/** Fields of a rule in svc.config.yaml. */
export const RULE_FIELDS = ["name", "enabled", "conditions", "channels", "confirm", "recovery"] as const;

/** Flags for the fields of an alert rule, except its name and monitor. */
export const RULE_OPTIONS = [
  {
    flags: "--condition <condition>",
    description:
      'when it fires, e.g. "consecutive_failures count=3"; all given ones must hold; may be repeated',
    repeats: true,
    parse: readCondition,
  },
  CHANNELS_OPTION,
  { flags: "--confirm", description: "run the monitor once more before a failure alerts" },
  { flags: "--no-confirm", description: "alert at once" },
  FILE_OPTION,
] as const;

/** Returns the body of the request: the fragment's fields, replaced by those of flags. Absent ones are left out. */
export async function ruleBody(
  api: ApiClient,
  fragment: Fragment,
  { name, condition, channel, confirm }: RuleOptions,
): Promise<Partial<NewAlertRule>> {
  const { channels, ...fields } = fragment;
  const channelIds = await channelIdsOf(api, channel ?? channels);
  return {
    ...fields,
    ...(name === undefined ? {} : { name }),
    ...(condition === undefined ? {} : { conditions: condition as never }),
    ...(confirm === undefined ? {} : { confirm }),
    ...(channelIds === undefined ? {} : { channelIds }),
  };
}
