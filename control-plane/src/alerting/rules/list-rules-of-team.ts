import { alertRuleSchema } from "@svc/contract";
import * as z from "zod";
import type { ListSource } from "../../platform/http/list-answer.ts";
import type { TeamContext } from "../../platform/team-context.ts";
import { ruleFromRow } from "./row.ts";
import { listTeamRuleRows, type TeamRuleRow } from "./store.ts";

const ruleSchema = alertRuleSchema.omit({ channels: true });

/** Returns the list of the rules that people wrote for any of the team's checks, oldest first. Cursors hold a rule's key. */
export function listRulesOfTeam({ services, teamId }: TeamContext): ListSource<TeamRuleRow> {
  return {
    read: (after, rowsMax) =>
      listTeamRuleRows(services.knex, teamId, { afterKey: after?.[0] as number | undefined, rowsMax }),
    textOf: (row) =>
      JSON.stringify(
        z.encode(ruleSchema, ruleFromRow(row, { checkId: row.checkId, sloId: null, policyId: null })),
      ),
    cursorOf: ({ key }) => [key],
  };
}
