import { alertPolicySchema } from "@svc/contract";
import * as z from "zod";
import type { ListSource } from "../../platform/http/list-answer.ts";
import type { TeamContext } from "../../platform/team-context.ts";
import { type PolicyRow, policyFromRow } from "./row.ts";
import { listPolicyRows } from "./store.ts";

/** Returns the list of the team's alert policies, newest first. */
export function listPolicies({ services, teamId }: TeamContext): ListSource<PolicyRow> {
  return {
    read: (after, rowsMax) => listPolicyRows(services.knex, teamId, { after, rowsMax }),
    isFull: true,
    textOf: (row) => JSON.stringify(z.encode(alertPolicySchema, policyFromRow(row))),
    cursorOf: (row) => [row.createdAt, row.key],
  };
}
