/** Routes of the life of a team. */
import { teamRoutes } from "@svc/contract";
import type { ApiApp } from "../../platform/http/api.ts";
import { answerDocument, type DocumentSection } from "../../platform/http/document-answer.ts";
import { contextOf, serve } from "../../platform/http/serve.ts";
import type { Services } from "../../platform/services.ts";
import type { TeamContext } from "../../platform/team-context.ts";
import { recordAudit } from "../audit/record-audit.ts";
import { SESSION_COOKIE, sessionCookieOptions } from "../identity/session-cookie.ts";
import { deleteTeam, type TeamDependents } from "./delete-team.ts";

/** Parts of the routes that higher layers have; handed in by the composition root. */
export interface TeamRouteParts {
  dependents: readonly TeamDependents[];
  /** Returns the lists of the team's export. */
  exportSections: (ctx: TeamContext) => DocumentSection[];
}

/** Registers the routes. */
export function registerTeamRoutes(
  app: ApiApp,
  services: Services,
  { dependents, exportSections }: TeamRouteParts,
): void {
  serve(app, teamRoutes.exportTeam, async (request, reply) => {
    const { teamId, author, services: reading } = contextOf(services, request);
    await recordAudit({ services, teamId, author }, { action: "team.exported", resourceId: teamId });
    const exportedAt = new Date(services.clock.nowMs()).toISOString();
    return answerDocument(reply, {
      teamId,
      head: { format: "svc.team.v1", teamId, exportedAt },
      sections: exportSections({ services: reading, teamId, author }),
    });
  });

  serve(app, teamRoutes.deleteTeam, async (request, reply) => {
    await deleteTeam(contextOf(services, request), { name: request.body.name, dependents });
    void reply.clearCookie(SESSION_COOKIE, sessionCookieOptions(services.publicUrl()));
    return { success: true as const };
  });
}
