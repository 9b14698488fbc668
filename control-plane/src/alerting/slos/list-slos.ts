import type { Slo, SlosQuery } from "@svc/contract";
import type { TeamContext } from "../../platform/team-context.ts";
import { sloFromRow } from "./row.ts";
import { listSloRows } from "./store.ts";

/** Returns a page of the team's SLOs, newest first. */
export async function listSlos({ services, teamId }: TeamContext, query: SlosQuery): Promise<Slo[]> {
  return (await listSloRows(services.knex, teamId, query)).map(sloFromRow);
}
