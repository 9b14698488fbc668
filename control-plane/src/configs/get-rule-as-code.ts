/** An alert rule as the files of a config. */
import { isDescribable } from "@svc/as-code";
import { type AlertRuleId, counted, type RecordAsCode } from "@svc/contract";
import { getRule } from "../alerting/rules/get-rule.ts";
import type { TeamContext } from "../platform/team-context.ts";
import { TOO_LARGE } from "./config-size.ts";
import { readChannels } from "./read-channels.ts";
import { readCheckRecords } from "./read-check-records.ts";
import { type RecordToWrite, recordAsCode, UNDESCRIBABLE } from "./record-as-code.ts";

/**
 * Returns the rule as `svc pull` writes it under its monitor, without the monitor's other rules and SLOs.
 * @throws DomainError `not_found`; `unavailable` when too many are being written, or writing it takes too long
 */
export async function getRuleAsCode(ctx: TeamContext, { id }: { id: AlertRuleId }): Promise<RecordAsCode> {
  return recordAsCode(ctx, id, await toWrite(ctx, id));
}

async function toWrite(ctx: TeamContext, id: AlertRuleId): Promise<RecordToWrite> {
  const rule = await getRule(ctx, { id });
  if (rule.sloId !== null)
    return {
      reason: "The rule is made from its SLO: a config describes the SLO, and a deploy makes the rule.",
    };
  if (rule.policyId !== null)
    return {
      reason:
        "The rule follows its alert policy: a config describes the policy, and the service makes the rule.",
    };
  const all = await readCheckRecords(ctx, [rule.checkId]);
  if (!all) return { reason: `The check of the rule has ${TOO_LARGE}` };
  if (!all.checks.every(isDescribable)) return { reason: UNDESCRIBABLE };
  const others = all.alerts.length - 1;
  return {
    records: { ...all, alerts: [rule], slos: [], channels: await readChannels(ctx, [rule]) },
    ...(others > 0 && {
      note: `Put the rule under alerts of its monitor. A deploy of this file alone deletes the monitor's ${counted(others, "other rule")}: a config has all the rules of a monitor.`,
    }),
  };
}
