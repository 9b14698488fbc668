import type { DisplayLink } from "@svc/contract";
import type { TeamContext } from "../../platform/team-context.ts";
import { listDisplayLinkRows } from "./store.ts";

/** Returns the team's display links, the newest first; also expired ones, until another one is made. */
export function listDisplayLinks({ services, teamId }: TeamContext): Promise<DisplayLink[]> {
  return listDisplayLinkRows(services.knex, teamId);
}
