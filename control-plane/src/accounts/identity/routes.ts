/** Routes of signing in and out: from a proof of identity to the session cookie, and back. */
import { authRoutes, DomainError, linkTokenSchema, SECOND_MS } from "@svc/contract";
import type { FastifyReply } from "fastify";
import type { ApiApp } from "../../platform/http/api.ts";
import { acceptFormToo } from "../../platform/http/body.ts";
import { sessionOf } from "../../platform/http/caller.ts";
import { REFERENCE_PATH } from "../../platform/http/openapi.ts";
import { serve } from "../../platform/http/serve.ts";
import type { Services } from "../../platform/services.ts";
import { createAttemptLimit } from "./attempt-limit.ts";
import { goneLinkPage, LINK_PAGE_HEADERS, signInPage } from "./link-page.ts";
import { OIDC_START_PATH, registerOidcRoutes } from "./oidc-routes.ts";
import { SESSION_COOKIE, SESSION_LIFETIME_MS, sessionCookieOptions } from "./session-cookie.ts";
import {
  isLinkUsable,
  LINK_GONE,
  type Membership,
  SIGN_IN_LINK_PATH,
  type SignedIn,
  signInByLink,
  signInByPassword,
} from "./sign-in.ts";
import { deleteSession, findIdentity, findSessionExpiry } from "./store.ts";
import { hashToken } from "./tokens.ts";

/** Page that a browser is led to once it is signed in. */
const HOME_PATH = REFERENCE_PATH;

/** Registers the routes; those of the identity provider only when one is configured. */
export function registerIdentityRoutes(app: ApiApp, services: Services): void {
  const { knex, config } = services;
  const limitAttempt = createAttemptLimit(app, services);
  const hasOidc = config.oidcIssuer !== undefined;

  serve(app, authRoutes.login, async (request, reply) => {
    if (hasOidc)
      throw new DomainError("forbidden", `Sign in through the identity provider: ${OIDC_START_PATH}`);
    const signedIn = await limitAttempt({
      request,
      reply,
      email: request.body.email,
      signIn: async () => {
        const person = await signInByPassword(services, request.body);
        setSessionCookie(reply, person);
        return person;
      },
    });
    return identityOf(signedIn);
  });

  app.get(
    SIGN_IN_LINK_PATH,
    { config: { access: "public" }, schema: { hide: true, querystring: linkTokenSchema } },
    async (request, reply) => {
      const { token } = request.query;
      const isUsable = await isLinkUsable(services, token);
      void reply.code(isUsable ? 200 : 410).headers(LINK_PAGE_HEADERS);
      return isUsable ? signInPage(token) : goneLinkPage(LINK_GONE);
    },
  );

  void app.register(async (scope) => {
    acceptFormToo(scope);
    serve(scope as ApiApp, authRoutes.useLink, async (request, reply) => {
      setSessionCookie(reply, await signInByLink(services, request.body.token));
      return reply.redirect("/", 303);
    });
  });

  serve(app, authRoutes.session, async (request) => {
    const expiresAt = await findSessionExpiry(knex, hashToken(request.cookies[SESSION_COOKIE] ?? ""));
    return { ...(await identityOf(sessionOf(request.caller))), expiresAt: expiresAt ?? "" };
  });

  serve(app, authRoutes.logout, async (request, reply) => {
    await deleteSession(knex, hashToken(request.cookies[SESSION_COOKIE] ?? ""));
    void reply.clearCookie(SESSION_COOKIE, sessionCookieOptions(services.publicUrl()));
    return { success: true as const };
  });

  app.get("/", { config: { access: "public" }, schema: { hide: true } }, (_request, reply) =>
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
      maxAge: SESSION_LIFETIME_MS / SECOND_MS,
    });
  }

  async function identityOf(person: Membership) {
    const identity = await findIdentity(knex, person);
    if (!identity) throw new DomainError("unauthenticated", "This account does not exist any more");
    return identity;
  }
}
