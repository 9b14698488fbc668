/** Reads what a config of one check describes: the check with its labels, and the rules, channels and SLOs that belong to it. */
import { type DescribedRecords, isDescribable } from "@svc/as-code";
import type { CheckId } from "@svc/contract";
import { ruleFromRow } from "../alerting/rules/row.ts";
import { listRuleRows } from "../alerting/rules/store.ts";
import { sloFromRow } from "../alerting/slos/row.ts";
import { listSloRows } from "../alerting/slos/store.ts";
import { getCheckRow } from "../checks/get-check.ts";
import { readLabels } from "../checks/labels/store.ts";
import { checkFromRow } from "../checks/row.ts";
import { channelFromRow } from "../outbox/channels/row.ts";
import { findChannels } from "../outbox/channels/store.ts";
import type { TeamContext } from "../platform/team-context.ts";

/** More rules than a check may have, and more SLOs than are made of one. */
const ROWS_MAX = 10_000;

/**
 * Returns the records, credentials included; undefined when no config can describe the check.
 * @throws DomainError `not_found` when the team has no such check
 */
export async function readRecords(
  { services: { knex, secrets }, teamId }: TeamContext,
  { checkId }: { checkId: CheckId },
): Promise<DescribedRecords | undefined> {
  const row = await getCheckRow(knex, teamId, checkId);
  const check = checkFromRow(secrets, row);
  if (!isDescribable(check)) return undefined;
  const [labels, rules, slos] = await Promise.all([
    readLabels(knex, row.key),
    listRuleRows(knex, teamId, { checkKey: row.key, afterKey: undefined, rowsMax: ROWS_MAX }),
    listSloRows(knex, teamId, { checkId, after: undefined, rowsMax: ROWS_MAX, offset: 0 }),
  ]);
  // Rules that an SLO or a policy generated are generated again from these.
  const written = rules.filter(({ sloKey, policyKey }) => sloKey === null && policyKey === null);
  const notified = new Set([...written, ...slos].flatMap(({ channelIds }) => channelIds));
  const channels = await findChannels(knex, teamId, [...notified]);
  return {
    checks: [check],
    labels: { [check.id]: labels },
    alerts: written.map((rule) => ruleFromRow(rule, { checkId, sloId: null, policyId: null })),
    channels: channels.map((channel) => channelFromRow(secrets, channel, { isMasked: false })),
    patterns: [],
    slos: slos.map(sloFromRow),
    policies: [],
  };
}
