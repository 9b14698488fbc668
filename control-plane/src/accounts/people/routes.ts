/** Routes of a team's people and of the signed-in person's own account. */
import { authRoutes, DomainError, invalidField, linkTokenSchema, teamRoutes } from "@svc/contract";
import type { FastifyReply, FastifyRequest } from "fastify";
import type { ApiApp } from "../../platform/http/api.ts";
import { acceptFormToo } from "../../platform/http/body.ts";
import { sessionOf } from "../../platform/http/caller.ts";
import { originOf } from "../../platform/http/origin.ts";
import { authorOf, contextOf, serve } from "../../platform/http/serve.ts";
import type { Services } from "../../platform/services.ts";
import { findSignedInCaller } from "../identity/credentials.ts";
import { getSession } from "../identity/get-session.ts";
import { goneLinkPage, LINK_PAGE_HEADERS } from "../identity/link-page.ts";
import { OIDC_START_PATH } from "../identity/oidc-routes.ts";
import { SESSION_COOKIE, setSessionCookie } from "../identity/session-cookie.ts";
import { createSignInLimit, type LimitSignIn } from "../identity/sign-in-limit.ts";
import { findIdentity } from "../identity/store.ts";
import { hashToken } from "../identity/tokens.ts";
import { acceptInvitation, findInvitation, INVITATION_GONE } from "./accept-invitation.ts";
import { invitationPage } from "./invitation-page.ts";
import { createInvitation, deleteInvitation, INVITATION_PATH, listInvitations } from "./invitations.ts";
import { listMembers, removeMember, setMemberRole } from "./members.ts";
import { endOwnSession, listOwnSessions, setOwnPassword, switchTeam } from "./own-account.ts";

const SUCCESS = { success: true } as const;

/** Registers the routes, and the page of an invitation's link. */
export function registerPeopleRoutes(app: ApiApp, services: Services): void {
  const limitSignIn = createSignInLimit(app, services);
  registerTeamRoutes(app, services);
  registerInvitationLink(app, services, limitSignIn);
  registerAccountRoutes(app, services, limitSignIn);
}

function registerTeamRoutes(app: ApiApp, services: Services): void {
  serve(app, teamRoutes.listMembers, async (request) => ({
    members: await listMembers(contextOf(services, request)),
  }));

  serve(app, teamRoutes.updateMember, async (request) => {
    const { userId } = request.params;
    return { member: await setMemberRole(contextOf(services, request), { userId, role: request.body.role }) };
  });

  serve(app, teamRoutes.removeMember, async (request) => {
    await removeMember(contextOf(services, request), request.params.userId);
    return SUCCESS;
  });

  serve(app, teamRoutes.listInvitations, async (request) => ({
    invitations: await listInvitations(contextOf(services, request)),
  }));

  serve(app, teamRoutes.createInvitation, async (request) => ({
    invitation: await createInvitation(contextOf(services, request), request.body),
  }));

  serve(app, teamRoutes.deleteInvitation, async (request) => {
    await deleteInvitation(contextOf(services, request), request.params.id);
    return SUCCESS;
  });
}

function registerInvitationLink(app: ApiApp, services: Services, limitSignIn: LimitSignIn): void {
  app.get(
    INVITATION_PATH,
    { config: { access: "public" }, schema: { hide: true, querystring: linkTokenSchema } },
    async (request, reply) => {
      const { token } = request.query;
      const signedInUserId = await signedInUserOf(services, request);
      const invitation = await findInvitation(services, { token, signedInUserId });
      void reply.code(invitation ? 200 : 410).headers(LINK_PAGE_HEADERS);
      return invitation ? invitationPage(token, invitation) : goneLinkPage(INVITATION_GONE);
    },
  );

  void app.register(async (scope) => {
    acceptFormToo(scope);
    serve(scope as ApiApp, teamRoutes.acceptInvitation, async (request, reply) => {
      const { token, password } = request.body;
      const signedInUserId = await signedInUserOf(services, request);
      const invitation = await findInvitation(services, { token, signedInUserId });
      if (!invitation) throw new DomainError("gone", INVITATION_GONE);
      const signedIn = await limitSignIn({
        request,
        reply,
        email: invitation.email,
        signIn: () =>
          acceptInvitation(services, { token, password, signedInUserId, origin: originOf(request, "ui") }),
      });
      if (!signedIn) return reply.redirect(OIDC_START_PATH, 303);
      setSessionCookie(reply, services.publicUrl(), signedIn.token);
      return reply.redirect("/", 303);
    });
  });
}

function registerAccountRoutes(app: ApiApp, services: Services, limitSignIn: LimitSignIn): void {
  const { knex } = services;
  const ownContextOf = (request: Pick<FastifyRequest, "caller" | "headers" | "ip">) => ({
    services,
    author: authorOf(request),
    person: sessionOf(request.caller),
  });

  serve(app, authRoutes.listSignInSessions, async ({ caller }) => ({
    sessions: await listOwnSessions(services, sessionOf(caller)),
  }));

  serve(app, authRoutes.deleteSignInSession, async (request) => {
    await endOwnSession(ownContextOf(request), request.params.id);
    return SUCCESS;
  });

  serve(app, authRoutes.switchTeam, async (request) => {
    const { teamId } = request.body;
    const { userId } = sessionOf(request.caller);
    await switchTeam(ownContextOf(request), teamId);
    const tokenHash = hashToken(request.cookies[SESSION_COOKIE] ?? "");
    return getSession(knex, { userId, teamId, tokenHash });
  });

  serve(app, authRoutes.setPassword, async (request, reply: FastifyReply) => {
    const person = sessionOf(request.caller);
    const identity = await findIdentity(knex, person);
    await limitSignIn({
      request,
      reply,
      email: identity?.user.email ?? person.userId,
      signIn: () => setOwnPassword(ownContextOf(request), request.body),
    }).catch((error: unknown) => {
      // 401 would say that the session has ended.
      if (error instanceof DomainError && error.code === "unauthenticated")
        throw invalidField("currentPassword", error.message);
      throw error;
    });
    return SUCCESS;
  });
}

/** Returns the person who is signed in in the browser that asks; undefined when nobody is. */
async function signedInUserOf(
  services: Services,
  { cookies, ip, headers }: Pick<FastifyRequest, "cookies" | "ip" | "headers">,
) {
  const token = cookies[SESSION_COOKIE];
  if (!token) return undefined;
  const presented = { token, address: ip, userAgent: headers["user-agent"] };
  return (await findSignedInCaller(services, presented))?.userId;
}
