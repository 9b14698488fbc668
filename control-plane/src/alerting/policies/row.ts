/** Alert policy rows, and how the API shows them. */
import type { AlertPolicy, AlertPolicyId, ChannelId, Condition, TeamId } from "@svc/contract";
import objection from "objection";

/** A row of `alert_policies`. Generated rules carry its `key`, the API shows its `id`. */
export class AlertPolicyModel extends objection.Model {
  static override tableName = "alert_policies";
  static override idColumn = "key";
  static override jsonAttributes = ["conditions"];

  declare key: number;
  declare id: AlertPolicyId;
  declare teamId: TeamId;
  declare name: string;
  declare labels: string[];
  declare enabled: boolean;
  declare conditions: Condition[];
  declare channelIds: ChannelId[];
  declare confirm: boolean;
  declare recoverySuccesses: number;
  /** Counts the changes of the policy. */
  declare revision: number;
  /** True once all rules of the policy follow its newest revision. */
  declare isApplied: boolean;
  declare createdAt: string;
  declare updatedAt: string | null;
  declare deletedAt: string | null;
}

/** A row with the number of checks that have a rule of the policy. */
export interface PolicyRow extends AlertPolicyModel {
  checkCount: number;
}

/** Returns a policy as the API answers it. */
export function policyFromRow(row: PolicyRow): AlertPolicy {
  return {
    id: row.id,
    name: row.name,
    labels: row.labels,
    enabled: row.enabled,
    conditions: row.conditions,
    channelIds: row.channelIds,
    confirm: row.confirm,
    recovery: { consecutiveSuccesses: row.recoverySuccesses },
    checkCount: row.checkCount,
    isApplied: row.isApplied,
    createdAt: row.createdAt,
    updatedAt: row.updatedAt,
  };
}

/** The fields that people set. */
export type DescribedPolicy = Pick<
  AlertPolicyModel,
  "name" | "labels" | "enabled" | "conditions" | "channelIds" | "confirm" | "recoverySuccesses"
>;

/** Returns the fields that people set, as the change log compares them. */
export function describePolicy(row: DescribedPolicy): Record<string, unknown> {
  const { name, labels, enabled, conditions, channelIds, confirm, recoverySuccesses } = row;
  const recovery = { consecutiveSuccesses: recoverySuccesses };
  return { name, labels, enabled, conditions, channelIds, confirm, recovery };
}
