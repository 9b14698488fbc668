/** Alert rule rows. */
import type { Condition, TeamId } from "@svc/contract";
import objection from "objection";

/** A row of `alert_rules`. `key` is what the evaluation carries, `id` what the API shows. */
export class AlertRuleModel extends objection.Model {
  static override tableName = "alert_rules";
  static override idColumn = "key";
  static override jsonAttributes = ["conditions"];

  declare key: number;
  declare id: string;
  declare teamId: TeamId;
  declare checkKey: number;
  declare name: string | null;
  declare enabled: boolean;
  declare conditions: Condition[];
  declare channelIds: string[];
  declare confirm: boolean;
  declare recoverySuccesses: number;
  /** The SLO that generated the rule, and for which of its paces; null: a person wrote it. */
  declare sloKey: number | null;
  declare sloPace: "fast" | "slow" | null;
  /** Counts the changes. */
  declare revision: number;
  declare createdAt: string;
  declare updatedAt: string | null;
  declare deletedAt: string | null;
}
