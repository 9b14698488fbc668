import { type AlertRule, type CheckId, notFound } from "@svc/contract";
import { findCheckRow } from "../../checks/store.ts";
import { channelFromRow } from "../../outbox/channels/row.ts";
import { findChannels } from "../../outbox/channels/store.ts";
import type { TeamContext } from "../../platform/team-context.ts";
import { ruleFromRow } from "./row.ts";
import { listRuleRows, readSloIds } from "./store.ts";

/**
 * Returns the check's rules, oldest first, with the channels that they name.
 * @throws DomainError `not_found` when the team has no such check
 */
export async function listRulesOfCheck(
  { services, teamId }: TeamContext,
  { checkId }: { checkId: CheckId },
): Promise<AlertRule[]> {
  const { knex, secrets } = services;
  const check = await findCheckRow(knex, teamId, checkId);
  if (!check) throw notFound("Check");
  const rows = await listRuleRows(knex, teamId, check.key);
  const channelIds = [...new Set(rows.flatMap((row) => row.channelIds))];
  const channels = await findChannels(knex, teamId, channelIds);
  const shown = new Map<string, AlertRule["channels"][number]>(
    channels.map((channel) => [channel.id, channelFromRow(secrets, channel)]),
  );
  const sloIds = await readSloIds(
    knex,
    rows.flatMap(({ sloKey }) => sloKey ?? []),
  );
  return rows.map((row) => ({
    ...ruleFromRow(row, { checkId: check.id, sloId: sloIds.get(row.sloKey ?? -1) ?? null }),
    channels: row.channelIds.flatMap((id) => shown.get(id) ?? []),
  }));
}
