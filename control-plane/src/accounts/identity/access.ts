/** Controls access to routes, before a body is read: finds the caller, compares it with the route's access, counts it. */
import {
  type Access,
  API_ROUTES,
  accessRuleOf,
  DomainError,
  excerpt,
  LIFECYCLE_NEEDS_SESSION,
  roleIncludes,
  type TeamRole,
} from "@svc/contract";
import type { FastifyRequest } from "fastify";
import type { ApiApp } from "../../platform/http/api.ts";
import type { Caller } from "../../platform/http/caller.ts";
import type { CountRequest, RateUse } from "../../platform/http/rate-limit.ts";
import { authorOf } from "../../platform/http/serve.ts";
import type { Services } from "../../platform/services.ts";
import { findApiKeyCaller, findDisplayCaller, findRunnerCaller, findSignedInCaller } from "./credentials.ts";
import { DISPLAY_COOKIE } from "./display-cookie.ts";
import { SESSION_COOKIE } from "./session-cookie.ts";
import { watchAddresses } from "./watch-addresses.ts";

const SAFE_METHODS = new Set(["GET", "HEAD", "OPTIONS"]);

/** What a display session may call, for the sentence that refuses everything else. */
const FOR_DISPLAYS = API_ROUTES.filter(({ forDisplays }) => forDisplays)
  .map(({ method, path }) => `${method} ${path}`)
  .join(", ");

/** A credential as a request presents it. */
type Credential = { kind: "bearer" | "cookie" | "display"; token: string };

/** Adds `caller` and `runnerCaller` to requests and refuses requests without the access that their route asks for. */
export function controlAccess(app: ApiApp, services: Services, count: CountRequest): void {
  const noticeAddress = watchAddresses(services);
  app.decorateRequest("caller", null as never);
  app.decorateRequest("runnerCaller", null as never);
  app.addHook("onRequest", async (request, reply) => {
    if (request.routeOptions.config.isUncounted) return;
    const access: Access = request.is404 ? "public" : (request.routeOptions.config.access ?? "owner");
    const uses = await rateUsesOf(request, services, access).catch(async (error) => {
      await count(request, reply, ofAddress(request));
      throw error;
    });
    await count(request, reply, uses);
    const { caller } = request;
    if (caller && caller.kind !== "session") await noticeAddress(caller, authorOf(request));
  });
}

/** Lets the request pass or throws. Returns the keys under which its rate is counted, the narrowest first. */
async function rateUsesOf(request: FastifyRequest, services: Services, access: Access): Promise<RateUse[]> {
  if (access === "public") return ofAddress(request);
  const rule = accessRuleOf(access);
  if (rule.credentials === "runner") {
    const bearer = bearerOf(request);
    const runner = bearer && (await findRunnerCaller(services, bearer.token));
    if (!runner)
      throw unauthenticated("A runner key or a dispatch token is needed: Authorization: Bearer rk_...");
    request.runnerCaller = runner;
    const key = runner.kind === "runner_key" ? runner.runnerKeyId : `run:${runner.checkKey}:${runner.slotMs}`;
    return [{ key, share: "whole" }];
  }
  if (rule.credentials === "key") assertNoOtherSite(request, services.publicUrl());
  const caller =
    rule.credentials === "display"
      ? await displayOf(request, services)
      : await callerOf(request, services, rule.credentials);
  if (caller.kind === "display") assertForDisplays(request);
  else if (caller.kind === "session") assertSameOrigin(request, services.publicUrl());
  else if (rule.credentials === "session") throw keyRefused(access);
  if (rule.role) assertRole(caller, rule.role);
  request.caller = caller;
  return ofCaller(caller);
}

/** Returns the caller of a team's route. @throws DomainError `unauthenticated` without a valid credential */
async function callerOf(
  request: FastifyRequest,
  services: Services,
  wanted: ReturnType<typeof accessRuleOf>["credentials"],
): Promise<Caller> {
  const credentials = credentialsOf(request).filter(({ kind }) => wanted !== "key" || kind === "bearer");
  for (const credential of credentials) {
    const caller = await findCaller(services, credential, request);
    if (caller) return caller;
  }
  throw unauthenticated(
    credentials.length > 0
      ? "Invalid, expired or revoked credentials"
      : "Authentication is needed: Authorization: Bearer sk_...",
  );
}

/**
 * Returns the display session of a route that is about it.
 * @throws DomainError `unauthenticated` for a browser that never opened a display link; `gone` when its link has ended
 */
async function displayOf(request: FastifyRequest, services: Services): Promise<Caller> {
  const credential = bearerOf(request) ? undefined : displayCookieOf(request);
  if (!credential) throw unauthenticated("A display session is needed: open a display link");
  const caller = await findCaller(services, credential, request);
  if (!caller) throw new DomainError("gone", "This display link was revoked or has expired");
  return caller;
}

/** Refuses what the wall doesn't need to a display session. */
function assertForDisplays({ method, routeOptions }: FastifyRequest): void {
  if (routeOptions.config.forDisplays && SAFE_METHODS.has(method)) return;
  throw new DomainError(
    "display_only",
    `A display link shows the wall; its session may call nothing but ${FOR_DISPLAYS}`,
  );
}

function ofAddress({ ip }: FastifyRequest): RateUse[] {
  return [{ key: `ip:${ip}`, share: "whole" }];
}

/**
 * Returns the shares of a team's caller. All keys of a team share one limit, and one key takes at most half of it, so
 * that more keys are no way around it. People have a share of their own: a team's scripts don't keep them from the
 * dashboard. So have screens.
 */
function ofCaller(caller: Caller): RateUse[] {
  switch (caller.kind) {
    case "api_key":
      return [
        { key: `key:${caller.apiKeyId}`, share: "half" },
        { key: `keys:${caller.teamId}`, share: "whole" },
      ];
    case "session":
      return [
        { key: `session:${caller.userId}:${caller.teamId}`, share: "quarter" },
        { key: `sessions:${caller.teamId}`, share: "half" },
      ];
    case "display":
      return [
        { key: `display:${caller.displayLinkId}`, share: "quarter" },
        { key: `displays:${caller.teamId}`, share: "half" },
      ];
  }
}

/**
 * Returns the credentials of a request, the one that counts first. A Bearer header goes before all cookies, and a person's session
 * before a display session: the screen's goes on when the person who set it up has left.
 */
function credentialsOf(request: FastifyRequest): Credential[] {
  const bearer = bearerOf(request);
  if (bearer) return [bearer];
  const cookie = request.cookies[SESSION_COOKIE];
  const display = displayCookieOf(request);
  return [...(cookie ? [{ kind: "cookie", token: cookie } as const] : []), ...(display ? [display] : [])];
}

function bearerOf({ headers: { authorization } }: FastifyRequest): Credential | undefined {
  if (authorization === undefined) return undefined;
  // Text after the token makes it another token, which nobody has.
  return { kind: "bearer", token: /^bearer +(\S+) *$/i.exec(authorization)?.[1] ?? "" };
}

function displayCookieOf({ cookies }: FastifyRequest): Credential | undefined {
  const token = cookies[DISPLAY_COOKIE];
  return token ? { kind: "display", token } : undefined;
}

function findCaller(
  services: Services,
  { kind, token }: Credential,
  { ip: address, headers }: FastifyRequest,
): Promise<Caller | undefined> {
  const presented = { token, address, userAgent: headers["user-agent"] };
  if (kind === "bearer") return findApiKeyCaller(services, presented);
  return kind === "cookie" ? findSignedInCaller(services, presented) : findDisplayCaller(services, presented);
}

function keyRefused(access: Access): DomainError {
  return access === "incident_session"
    ? new DomainError("forbidden", LIFECYCLE_NEEDS_SESSION)
    : new DomainError("session_required", "A dashboard session is needed; an API key can't do this");
}

/** The one place where a role is compared with the role that a route needs. */
function assertRole({ kind, role }: Caller, needed: TeamRole): void {
  if (roleIncludes(role, needed)) return;
  const who = kind === "session" ? `${role}s of a team` : `keys with the role ${role}`;
  throw new DomainError(
    "role_required",
    `This needs the role ${needed}; ${who} ${role === "viewer" ? "only read" : "can't do it"}`,
  );
}

/**
 * Refuses a change by cookie unless it comes from our own pages: browsers send the cookie along, whichever site made
 * them ask.
 */
function assertSameOrigin(request: FastifyRequest, publicUrl: string): void {
  if (SAFE_METHODS.has(request.method)) return;
  const { origin } = request.headers;
  const own = [new URL(publicUrl).origin, `${request.protocol}://${request.headers.host}`];
  const isCrossSite = request.headers["sec-fetch-site"] === "cross-site";
  if (isCrossSite || origin === undefined || !own.includes(origin))
    throw new DomainError(
      "forbidden",
      "A change by session cookie needs an Origin header of this service's own",
    );
}

/**
 * Refuses a browser's request from a page of another site. A route that takes keys alone has no page of its own, and a page
 * that has got hold of a key, or whose name leads to this service's address, is no client of it.
 */
function assertNoOtherSite({ headers: { origin } }: FastifyRequest, publicUrl: string): void {
  if (origin === undefined || origin === new URL(publicUrl).origin) return;
  throw new DomainError(
    "forbidden",
    `A page of ${excerpt(origin)} can't call this; use a client that is no browser`,
  );
}

function unauthenticated(message: string): DomainError {
  return new DomainError("unauthenticated", message);
}
