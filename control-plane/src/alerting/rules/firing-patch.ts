/** The columns that an alert rule and an alert policy have in common: when it fires, who is notified, and how it ends. */
import type { ChannelId, UpdateAlertRule } from "@svc/contract";
import type { AlertRuleModel } from "./row.ts";

/** Columns by which a rule fires, notifies and ends. */
export type FiringColumns = Pick<
  AlertRuleModel,
  "enabled" | "conditions" | "channelIds" | "confirm" | "recoverySuccesses"
>;

/** Returns the columns that an update names; those of absent fields are left out. Pure. */
export function firingPatchOf({
  enabled,
  conditions,
  channelIds,
  confirm,
  recovery,
}: Pick<
  UpdateAlertRule,
  "enabled" | "conditions" | "channelIds" | "confirm" | "recovery"
>): Partial<FiringColumns> {
  const patch: Partial<FiringColumns> = {};
  if (enabled !== undefined) patch.enabled = enabled;
  if (conditions !== undefined) patch.conditions = conditions;
  // The service has made sure that they exist.
  if (channelIds !== undefined) patch.channelIds = channelIds as ChannelId[];
  if (confirm !== undefined) patch.confirm = confirm;
  if (recovery !== undefined) patch.recoverySuccesses = recovery.consecutiveSuccesses;
  return patch;
}
