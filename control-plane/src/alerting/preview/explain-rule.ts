import { type AlertExplanation, type AlertRuleId, notFound } from "@svc/contract";
import type { TeamContext } from "../../platform/team-context.ts";
import { ruleOf } from "../conditions/registry.ts";
import { readChecksToJudge } from "../evaluation/check-store.ts";
import { postgresEvaluationStore } from "../evaluation/evaluation-store.ts";
import { loadInput } from "../evaluation/load-input.ts";
import { ResultReplay } from "../evaluation/result-replay.ts";
import { findRuleRow } from "../rules/store.ts";

/**
 * Tells which conditions of a rule hold now, from the results that are stored.
 * @throws DomainError `not_found` when the team has no such rule, or its check is gone
 */
export async function explainRule(
  { services: { knex, clock }, teamId }: TeamContext,
  { id }: { id: AlertRuleId },
): Promise<AlertExplanation> {
  const row = await findRuleRow(knex, teamId, id);
  const [judged] = row?.checkKey == null ? [] : await readChecksToJudge(knex, [row.checkKey]);
  if (!row || !judged) throw notFound("Alert rule");
  const nowMs = clock.nowMs();
  const { check, locations } = judged;
  const { key, checkKey, name, conditions, channelIds, confirm, recoverySuccesses } = row;
  const rule = { key, id, checkKey, teamId, name, conditions, channelIds, confirm, recoverySuccesses };
  const stored = (
    await loadInput(
      postgresEvaluationStore(knex),
      [{ check, locations, rules: [rule], newResults: [] }],
      nowMs,
    )
  ).get(check.key);
  if (!stored) throw notFound("Alert rule");
  const input = new ResultReplay(stored, []).now();
  const explained = conditions.map((condition) => {
    const { type, match, explain } = ruleOf(condition);
    const found = match(condition, input);
    if (!found) {
      const { threshold, observed, missing } = explain(condition, input);
      return { type, condition, holds: false, threshold, observed, summary: null, missing };
    }
    const { threshold, observed, summary } = found;
    return { type, condition, holds: true, threshold, observed, summary, missing: null };
  });
  return {
    at: new Date(nowMs).toISOString(),
    holds: explained.every(({ holds }) => holds),
    conditions: explained,
  };
}
