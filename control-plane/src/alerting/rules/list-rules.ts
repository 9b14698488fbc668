import type { AlertRule, Channel, CheckId, TeamId } from "@svc/contract";
import { getCheckRow } from "../../checks/get-check.ts";
import { channelFromRow } from "../../outbox/channels/row.ts";
import { findChannels } from "../../outbox/channels/store.ts";
import type { Services } from "../../platform/services.ts";
import type { AlertRuleModel } from "./row.ts";
import { listRuleRows, listTeamRuleRows, readSloIds } from "./store.ts";

/** The check's rules, oldest first, with the channels that they name. @throws DomainError not_found (the check) */
export async function listRules(
  { knex, secrets }: Services,
  teamId: TeamId,
  checkId: CheckId,
): Promise<AlertRule[]> {
  const check = await getCheckRow(knex, teamId, checkId);
  const rows = await listRuleRows(knex, teamId, check.key);
  const channelIds = [...new Set(rows.flatMap((row) => row.channelIds))];
  const channels = await findChannels(knex, teamId, channelIds);
  const shown = new Map<string, Channel>(
    channels.map((channel) => [channel.id, channelFromRow(secrets, channel)]),
  );
  const sloKeys = rows.flatMap(({ sloKey }) => sloKey ?? []);
  const sloIds = await readSloIds(knex, sloKeys);
  return rows.map((row) => ({
    ...ruleFromRow(row, check.id, sloIds.get(row.sloKey ?? -1) ?? null),
    channels: row.channelIds.flatMap((id) => shown.get(id) ?? []),
  }));
}

/** The rules that people wrote, of all the team's checks, oldest first; one read however many there are. */
export async function listTeamRules({ knex }: Services, teamId: TeamId): Promise<AlertRuleOfTeam[]> {
  const rows = await listTeamRuleRows(knex, teamId);
  return rows.map((row) => ruleFromRow(row, row.checkId, null));
}

/** A rule without its channels' configurations. */
export type AlertRuleOfTeam = Omit<AlertRule, "channels">;

function ruleFromRow(row: AlertRuleModel, checkId: CheckId, sloId: string | null): AlertRuleOfTeam {
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
    createdAt: row.createdAt,
    updatedAt: row.updatedAt,
  };
}
