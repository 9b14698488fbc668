import { type AlertRule, alertRuleSchema, type BaselineMetric, type CheckId, notFound } from "@svc/contract";
import * as z from "zod";
import type { CheckModel } from "../../checks/row.ts";
import { currentLocationKeys, findCheckRow } from "../../checks/store.ts";
import { channelFromRow } from "../../outbox/channels/row.ts";
import { findChannels } from "../../outbox/channels/store.ts";
import type { ListSource } from "../../platform/http/list-answer.ts";
import type { TeamContext } from "../../platform/team-context.ts";
import { baselineProgress } from "../baselines/baseline-progress.ts";
import { readHourSamples } from "../baselines/store.ts";
import { ruleOf } from "../conditions/registry.ts";
import { type AlertRuleModel, ruleFromRow } from "./row.ts";
import { listRuleRows, readPolicyIds, readSloIds } from "./store.ts";

/** A rule's row with its form in the API. */
interface ListedRule {
  key: number;
  rule: AlertRule;
}

/** The check whose rules are read. */
interface RulesOfCheckInput {
  checkId: CheckId;
  /** True: `***` stands for each secret of the channels. */
  isMasked: boolean;
}

/** Rules that are read at once: each names up to 50 channels, which are shown with it. */
const RULES_AT_ONCE = 10;

/**
 * Returns the list of the check's rules, oldest first, with the channels that they name. Cursors hold a rule's key.
 * @throws DomainError `not_found` when the team has no such check
 */
export async function listRulesOfCheck(
  ctx: TeamContext,
  { checkId, isMasked }: RulesOfCheckInput,
): Promise<ListSource<ListedRule>> {
  const { services, teamId } = ctx;
  const check = await findCheckRow(services.knex, teamId, checkId);
  if (!check) throw notFound("Check");
  return {
    read: async (after, rowsMax) => {
      const rows = await listRuleRows(services.knex, teamId, {
        checkKey: check.key,
        afterKey: after?.[0] as number | undefined,
        rowsMax: Math.min(rowsMax, RULES_AT_ONCE),
      });
      const rules = await describeRules(ctx, { checkId, isMasked }, rows);
      return withBaselines(ctx, check, rules);
    },
    textOf: ({ rule }) => JSON.stringify(z.encode(alertRuleSchema, rule)),
    cursorOf: ({ key }) => [key],
  };
}

/** Adds to rules that compare metrics with baselines how far these baselines are. */
async function withBaselines(
  { services: { knex, clock } }: TeamContext,
  check: CheckModel,
  listed: readonly ListedRule[],
): Promise<ListedRule[]> {
  const metricsOf = ({ rule }: ListedRule) => [
    ...new Set(rule.conditions.flatMap((one) => ruleOf(one).needs(one).baseline ?? [])),
  ];
  const metrics = [...new Set(listed.flatMap(metricsOf))];
  if (metrics.length === 0) return [...listed];
  const samples = await readHourSamples(knex, check.key, metrics);
  const locationKeys = await currentLocationKeys(knex, check.key);
  const progressOf = (metric: BaselineMetric) =>
    baselineProgress({
      metric,
      locationKeys,
      samples: samples.filter((one) => one.metric === metric),
      frequencySeconds: check.frequencySeconds,
      nowMs: clock.nowMs(),
    });
  return listed.map((one) => {
    const ofRule = metricsOf(one);
    return ofRule.length === 0 ? one : { ...one, rule: { ...one.rule, baselines: ofRule.map(progressOf) } };
  });
}

async function describeRules(
  { services, teamId }: TeamContext,
  { checkId, isMasked }: RulesOfCheckInput,
  rows: readonly AlertRuleModel[],
): Promise<ListedRule[]> {
  const { knex, secrets } = services;
  const channelIds = [...new Set(rows.flatMap((row) => row.channelIds))];
  const channels = await findChannels(knex, teamId, channelIds);
  const shown = new Map<string, AlertRule["channels"][number]>(
    channels.map((channel) => [channel.id, channelFromRow(secrets, channel, { isMasked })]),
  );
  const sloIds = await readSloIds(
    knex,
    rows.flatMap(({ sloKey }) => sloKey ?? []),
  );
  const policyIds = await readPolicyIds(
    knex,
    rows.flatMap(({ policyKey }) => policyKey ?? []),
  );
  return rows.map((row) => ({
    key: row.key,
    rule: {
      ...ruleFromRow(row, {
        checkId,
        sloId: sloIds.get(row.sloKey ?? -1) ?? null,
        policyId: policyIds.get(row.policyKey ?? -1) ?? null,
      }),
      channels: row.channelIds.flatMap((id) => shown.get(id) ?? []),
    },
  }));
}
