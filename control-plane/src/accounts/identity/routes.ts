/** /api/auth and the sign-in link: from a proof of identity to the session cookie, and back. */
import {
  DomainError,
  errorSchema,
  identitySchema,
  loginSchema,
  sessionSchema,
  successSchema,
  type TeamId,
} from "@svc/contract";
import type { FastifyReply } from "fastify";
import * as z from "zod";
import type { ApiApp } from "../../platform/http/api.ts";
import { sessionOf } from "../../platform/http/caller.ts";
import { REFERENCE_PATH } from "../../platform/http/openapi.ts";
import type { Services } from "../../platform/services.ts";
import { createAttemptLimit } from "./attempt-limit.ts";
import { OIDC_START_PATH, registerOidcRoutes } from "./oidc-routes.ts";
import { SESSION_COOKIE, SESSION_LIFETIME_MS, sessionCookieOptions } from "./session-cookie.ts";
import { SIGN_IN_LINK_PATH, type SignedIn, signInByLink, signInByPassword } from "./sign-in.ts";
import { deleteSession, selectIdentity, selectSessionExpiry } from "./store.ts";
import { hashToken } from "./tokens.ts";

/** Where a browser goes once it is signed in. */
const HOME_PATH = REFERENCE_PATH;
const publicAccess = { config: { access: "public" } } as const;
const sessionAccess = { config: { access: "session" } } as const;

export function registerIdentityRoutes(app: ApiApp, services: Services): void {
  const { knex, config } = services;
  const countAttempt = createAttemptLimit(app);
  const hasOidc = config.oidcIssuer !== undefined;

  app.post(
    "/api/auth/login",
    {
      ...publicAccess,
      schema: {
        summary: "Sign in by password",
        body: loginSchema,
        response: { 200: identitySchema, 401: errorSchema, 403: errorSchema },
      },
    },
    async (request, reply) => {
      if (hasOidc)
        throw new DomainError("forbidden", `Sign in through the identity provider: ${OIDC_START_PATH}`);
      const { email, password } = request.body;
      await countAttempt(request, email);
      const signedIn = await signInByPassword(services, email, password);
      setSessionCookie(reply, signedIn);
      return identityOf(signedIn);
    },
  );

  app.get(
    SIGN_IN_LINK_PATH,
    {
      ...publicAccess,
      // A mail scanner's HEAD must not use the link up.
      exposeHeadRoute: false,
      schema: {
        summary: "Sign in by a one-time link",
        tags: ["Auth"],
        querystring: z.object({ token: z.string().min(1).max(256) }),
        response: { 303: z.null().describe("Signed in: on to the dashboard"), 410: errorSchema },
      },
    },
    async (request, reply) => {
      setSessionCookie(reply, await signInByLink(services, request.query.token));
      return reply.redirect(HOME_PATH, 303);
    },
  );

  app.get(
    "/api/auth/session",
    { ...sessionAccess, schema: { summary: "Who is signed in", response: { 200: sessionSchema } } },
    async (request) => {
      const expiresAt = await selectSessionExpiry(knex, hashToken(request.cookies[SESSION_COOKIE] ?? ""));
      return { ...(await identityOf(sessionOf(request.caller))), expiresAt: expiresAt ?? "" };
    },
  );

  app.post(
    "/api/auth/logout",
    {
      ...sessionAccess,
      schema: { summary: "End the session", response: { 200: successSchema } },
    },
    async (request, reply) => {
      await deleteSession(knex, hashToken(request.cookies[SESSION_COOKIE] ?? ""));
      void reply.clearCookie(SESSION_COOKIE, sessionCookieOptions(services.publicUrl()));
      return { success: true as const };
    },
  );

  app.get("/", { ...publicAccess, schema: { hide: true } }, (_request, reply) =>
    reply.redirect(HOME_PATH, 302),
  );

  if (hasOidc)
    registerOidcRoutes(app, services, (reply, signedIn, returnTo) => {
      setSessionCookie(reply, signedIn);
      return reply.redirect(returnTo ?? HOME_PATH, 303);
    });

  function setSessionCookie(reply: FastifyReply, { token }: SignedIn): void {
    void reply.setCookie(SESSION_COOKIE, token, {
      ...sessionCookieOptions(services.publicUrl()),
      maxAge: SESSION_LIFETIME_MS / 1000,
    });
  }

  async function identityOf(session: { userId: string; teamId: TeamId }) {
    const identity = await selectIdentity(knex, session);
    if (!identity) throw new DomainError("unauthenticated", "This account does not exist any more");
    return identity;
  }
}
