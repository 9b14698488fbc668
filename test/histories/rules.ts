/** Alert rules of a history, as the plan has them. */
import type { ChannelId } from "@svc/contract";
import type { LateRule } from "./plan.ts";
import type { RuleRecord } from "./tables.ts";

/** Returns the rule's row, without its key and its transaction. */
export function ruleOf({
  check,
  failures,
  successes,
  channels,
}: Pick<LateRule, "check" | "failures" | "successes" | "channels">): Omit<RuleRecord, "key" | "changedXid"> {
  return {
    checkKey: check + 1,
    conditions: [{ type: "consecutive_failures", count: failures }],
    recoverySuccesses: successes,
    channelIds: channels.map((channel) => `nch_${channel + 1}` as ChannelId),
  };
}
