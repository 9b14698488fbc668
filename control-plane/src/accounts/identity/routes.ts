/** Routes of signing in and out: from a proof of identity to the session cookie, and back. */
import { authRoutes, DomainError, linkTokenSchema, pagePath } from "@svc/contract";
import type { ApiApp } from "../../platform/http/api.ts";
import { acceptFormToo } from "../../platform/http/body.ts";
import { sessionOf } from "../../platform/http/caller.ts";
import { originOf } from "../../platform/http/origin.ts";
import { contextOf, serve } from "../../platform/http/serve.ts";
import type { Services } from "../../platform/services.ts";
import { recordAudit } from "../audit/record-audit.ts";
import { getSession } from "./get-session.ts";
import { LINK_PAGE_HEADERS, signInPage, usedLinkPage } from "./link-page.ts";
import { OIDC_START_PATH, registerOidcRoutes } from "./oidc-routes.ts";
import { SESSION_COOKIE, sessionCookieOptions, setSessionCookie } from "./session-cookie.ts";
import { findUsableLink, SIGN_IN_LINK_PATH, signInByLink, signInByPassword } from "./sign-in.ts";
import { createSignInLimit } from "./sign-in-limit.ts";
import { deleteSignInSession, findIdentity } from "./store.ts";
import { hashToken } from "./tokens.ts";

/** Page that a browser is led to once it is signed in. */
const HOME_PATH = pagePath("overview", {});

/** Registers the routes; those of the identity provider only when one is configured. */
export function registerIdentityRoutes(app: ApiApp, services: Services): void {
  const { knex, config } = services;
  const limitSignIn = createSignInLimit(app, services);
  const hasOidc = config.oidcIssuer !== undefined;

  serve(app, authRoutes.getOptions, async () => ({
    password: !hasOidc,
    oidcStartUrl: hasOidc ? OIDC_START_PATH : null,
  }));

  serve(app, authRoutes.login, async (request, reply) => {
    if (hasOidc)
      throw new DomainError("forbidden", `Sign in through the identity provider: ${OIDC_START_PATH}`);
    const signedIn = await limitSignIn({
      request,
      reply,
      email: request.body.email,
      signIn: async () => {
        const person = await signInByPassword(services, { ...request.body, origin: originOf(request, "ui") });
        setSessionCookie(reply, services.publicUrl(), person.token);
        return person;
      },
    });
    const identity = await findIdentity(knex, signedIn);
    if (!identity) throw new DomainError("unauthenticated", "This account does not exist any more");
    return identity;
  });

  app.get(
    SIGN_IN_LINK_PATH,
    { config: { access: "public" }, schema: { hide: true, querystring: linkTokenSchema } },
    async (request, reply) => {
      const { token } = request.query;
      const link = await findUsableLink(services, token);
      if (!link && !request.headers.accept?.includes("text/html") && request.headers.accept?.includes("json"))
        throw new DomainError("gone", "This link was used or has expired");
      void reply.code(link ? 200 : 410).headers(LINK_PAGE_HEADERS);
      return link ? signInPage({ token, asksPassword: !link.hasPassword && !hasOidc }) : usedLinkPage();
    },
  );

  void app.register(async (scope) => {
    acceptFormToo(scope);
    serve(scope as ApiApp, authRoutes.useLink, async (request, reply) => {
      const { token, password } = request.body;
      const firstPassword = hasOidc ? undefined : password;
      const signedIn = await signInByLink(services, {
        token,
        firstPassword,
        origin: originOf(request, "ui"),
      });
      setSessionCookie(reply, services.publicUrl(), signedIn.token);
      return reply.redirect(HOME_PATH, 303);
    });
  });

  serve(app, authRoutes.session, async (request) => {
    const tokenHash = hashToken(request.cookies[SESSION_COOKIE] ?? "");
    return getSession(knex, { ...sessionOf(request.caller), tokenHash });
  });

  serve(app, authRoutes.logout, async (request, reply) => {
    const tokenHash = hashToken(request.cookies[SESSION_COOKIE] ?? "");
    await knex.transaction(async (trx) => {
      await deleteSignInSession(trx, tokenHash);
      await recordAudit(contextOf(services, request), { action: "session.ended" }, trx);
    });
    void reply
      .clearCookie(SESSION_COOKIE, sessionCookieOptions(services.publicUrl()))
      .header("clear-site-data", '"cache"');
    return { success: true as const };
  });

  if (hasOidc)
    registerOidcRoutes(app, services, (reply, signedIn, returnTo) => {
      setSessionCookie(reply, services.publicUrl(), signedIn.token);
      return reply.redirect(returnTo ?? HOME_PATH, 303);
    });
}
