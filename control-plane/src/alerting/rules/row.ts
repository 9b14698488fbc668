/** Alert rule rows, and how the API shows them. */
import type {
  AlertPolicyId,
  AlertRule,
  AlertRuleId,
  ChannelId,
  CheckId,
  Condition,
  SloId,
  TeamId,
} from "@svc/contract";
import objection from "objection";

/** A row of `alert_rules`. The evaluation carries its `key`, the API shows its `id`. */
export class AlertRuleModel extends objection.Model {
  static override tableName = "alert_rules";
  static override idColumn = "key";
  static override jsonAttributes = ["conditions"];

  declare key: number;
  declare id: AlertRuleId;
  declare teamId: TeamId;
  /** null: an SLO generated the rule that is about a third-party pattern. */
  declare checkKey: number | null;
  declare name: string | null;
  declare enabled: boolean;
  declare conditions: Condition[];
  declare channelIds: ChannelId[];
  declare confirm: boolean;
  declare recoverySuccesses: number;
  /** The SLO that generated the rule; null: a person wrote it. */
  declare sloKey: number | null;
  /** The pace of that SLO which the rule is about. */
  declare sloPace: "fast" | "slow" | null;
  /** The alert policy that generated the rule; null: none did. */
  declare policyKey: number | null;
  /** Counts the changes of the row. */
  declare revision: number;
  declare createdAt: string;
  declare updatedAt: string | null;
  declare deletedAt: string | null;
}

/** A rule without the configurations of its channels. */
export type RuleWithoutChannels = Omit<AlertRule, "channels">;

/** Ids of the records that a rule belongs to and, where one generated it, follows. */
export interface RuleOwners {
  checkId: CheckId;
  sloId: SloId | null;
  policyId: AlertPolicyId | null;
}

/** Returns a rule as the API answers it, its channels left out. */
export function ruleFromRow(
  row: AlertRuleModel,
  { checkId, sloId, policyId }: RuleOwners,
): RuleWithoutChannels {
  return {
    id: row.id,
    checkId,
    name: row.name,
    enabled: row.enabled,
    conditions: row.conditions,
    channelIds: row.channelIds,
    confirm: row.confirm,
    recovery: { consecutiveSuccesses: row.recoverySuccesses },
    sloId,
    policyId,
    createdAt: row.createdAt,
    updatedAt: row.updatedAt,
  };
}
