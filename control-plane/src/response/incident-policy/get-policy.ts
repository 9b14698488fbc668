import type { IncidentPolicy } from "@svc/contract";
import type { TeamContext } from "../../platform/team-context.ts";
import { findIncidentPolicy } from "./store.ts";

/** Returns the incident policy of the team; one without steps when it has none. */
export async function getIncidentPolicy({ services, teamId }: TeamContext): Promise<IncidentPolicy> {
  const policy = await findIncidentPolicy(services.knex, teamId);
  return { teamId, ...(policy ?? { steps: [], updatedAt: null }) };
}
