import type { Secret } from "@svc/contract";
import type { TeamContext } from "../../platform/team-context.ts";
import { listSecretRows } from "./store.ts";

/** Returns the team's secrets without their values, by name. */
export async function listSecrets({ services, teamId }: TeamContext): Promise<Secret[]> {
  return listSecretRows(services.knex, teamId);
}
