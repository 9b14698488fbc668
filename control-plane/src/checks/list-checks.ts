import type { Check } from "@svc/contract";
import type { TeamContext } from "../platform/team-context.ts";
import { checkFromRow } from "./row.ts";
import { listCheckRows } from "./store.ts";

/** Returns the team's checks, newest first. */
export async function listChecks({ services, teamId }: TeamContext): Promise<Check[]> {
  const rows = await listCheckRows(services.knex, teamId);
  return rows.map((row) => checkFromRow(services.secrets, row));
}
