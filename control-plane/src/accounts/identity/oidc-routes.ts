/** Routes of /api/auth/oidc: to the identity provider and back. */
import { DomainError, isPagePath, MINUTE_MS } from "@svc/contract";
import type { FastifyReply } from "fastify";
import * as z from "zod";
import type { ApiApp } from "../../platform/http/api.ts";
import { originOf } from "../../platform/http/origin.ts";
import type { Services } from "../../platform/services.ts";
import { createOidcClient, type PendingSignIn, signInByProvenIdentity } from "./oidc.ts";
import { sessionCookieOptions } from "./session-cookie.ts";
import type { SignedIn } from "./sign-in.ts";

/** Path at which a sign-in at the identity provider begins. */
export const OIDC_START_PATH = "/api/auth/oidc/start";
const CALLBACK_PATH = "/api/auth/oidc/callback";
const PENDING_COOKIE = "svc_oidc";
const PENDING_LIFETIME_MS = 10 * MINUTE_MS;
const PURPOSE = "oidc-pending";
const route = { config: { access: "public" } } as const;

const CONSENT_PAGE = /^\/cli\/authorize(\?code=[A-Z-]{9})?$/;

/** Path of our own that a sign-in may lead back to: no scheme, no host. */
const returnToSchema = z
  .string()
  .max(2048)
  .refine((path) => CONSENT_PAGE.test(path) || isPagePath(path), "expected the path of a page");

interface Pending extends PendingSignIn {
  expiresAtMs: number;
  returnTo?: string | undefined;
}

/**
 * Answers a person who has signed in.
 * @param returnTo path that the sign-in was asked to lead back to
 */
export type AnswerSignIn = (
  reply: FastifyReply,
  signedIn: SignedIn,
  returnTo: string | undefined,
) => FastifyReply;

/** Registers the routes to the identity provider and back. */
export function registerOidcRoutes(app: ApiApp, services: Services, answer: AnswerSignIn): void {
  const { config, secrets, clock } = services;
  const publicUrl = services.publicUrl();
  const client = createOidcClient({
    issuer: config.oidcIssuer ?? "",
    clientId: config.oidcClientId ?? "",
    clientSecret: config.oidcClientSecret ?? "",
    redirectUri: publicUrl + CALLBACK_PATH,
  });
  const cookieOptions = { ...sessionCookieOptions(publicUrl), path: CALLBACK_PATH };

  app.get(
    OIDC_START_PATH,
    {
      ...route,
      schema: {
        summary: "Sign in through the identity provider",
        querystring: z.object({ returnTo: returnToSchema.optional() }),
        response: { 302: z.null().describe("On to the identity provider") },
      },
    },
    async ({ query }, reply) => {
      const { url, pending } = await client.start();
      const expiresAtMs = clock.nowMs() + PENDING_LIFETIME_MS;
      const cookie = seal({ ...pending, expiresAtMs, returnTo: query.returnTo });
      void reply.setCookie(PENDING_COOKIE, cookie, { ...cookieOptions, maxAge: PENDING_LIFETIME_MS / 1000 });
      return reply.redirect(url, 302);
    },
  );

  app.get(CALLBACK_PATH, { ...route, schema: { hide: true } }, async (request, reply) => {
    const pending = unseal(request.cookies[PENDING_COOKIE] ?? "");
    if (!pending)
      throw new DomainError(
        "unauthenticated",
        `This sign-in was not started here or took too long: ${OIDC_START_PATH}`,
      );
    void reply.clearCookie(PENDING_COOKIE, cookieOptions);
    const identity = await client.finish(new URL(request.url, publicUrl), pending);
    return answer(
      reply,
      await signInByProvenIdentity(services, { identity, origin: originOf(request, "ui") }),
      pending.returnTo,
    );
  });

  /** Signs without encrypting: the cookie lives in the browser that it is about. */
  function seal(pending: Pending): string {
    const text = Buffer.from(JSON.stringify(pending)).toString("base64url");
    return `${text}.${secrets.sign(PURPOSE, text).toString("base64url")}`;
  }

  function unseal(cookie: string): Pending | undefined {
    const [text = "", signature = ""] = cookie.split(".");
    if (!secrets.hasSigned(PURPOSE, text, Buffer.from(signature, "base64url"))) return undefined;
    const pending = JSON.parse(Buffer.from(text, "base64url").toString());
    return clock.nowMs() < pending.expiresAtMs ? pending : undefined;
  }
}
