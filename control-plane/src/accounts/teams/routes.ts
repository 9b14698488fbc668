/** Routes of the life of a team. */
import { teamRoutes } from "@svc/contract";
import type { ApiApp } from "../../platform/http/api.ts";
import { contextOf, serve } from "../../platform/http/serve.ts";
import type { Services } from "../../platform/services.ts";
import { SESSION_COOKIE, sessionCookieOptions } from "../identity/session-cookie.ts";
import { deleteTeam, type TeamDependents } from "./delete-team.ts";

/** Registers the routes. */
export function registerTeamRoutes(
  app: ApiApp,
  services: Services,
  dependents: readonly TeamDependents[],
): void {
  serve(app, teamRoutes.deleteTeam, async (request, reply) => {
    await deleteTeam(contextOf(services, request), { name: request.body.name, dependents });
    void reply.clearCookie(SESSION_COOKIE, sessionCookieOptions(services.publicUrl()));
    return { success: true as const };
  });
}
