import type { TeamContext } from "../../platform/team-context.ts";
import { type RuleWithoutChannels, ruleFromRow } from "./row.ts";
import { listTeamRuleRows } from "./store.ts";

/** Returns the rules that people wrote for any of the team's checks, oldest first; one read however many there are. */
export async function listRulesOfTeam({ services, teamId }: TeamContext): Promise<RuleWithoutChannels[]> {
  const rows = await listTeamRuleRows(services.knex, teamId);
  return rows.map((row) => ruleFromRow(row, { checkId: row.checkId, sloId: null }));
}
