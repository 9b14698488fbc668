/** Controls access to routes, before a body is read: finds the caller, compares it with the route's access, counts it. */
import {
  type Access,
  accessRuleOf,
  DomainError,
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
import { findApiKeyCaller, findRunnerCaller, findSignedInCaller } from "./credentials.ts";
import { SESSION_COOKIE } from "./session-cookie.ts";
import { watchKeyAddresses } from "./watch-key-addresses.ts";

const SAFE_METHODS = new Set(["GET", "HEAD", "OPTIONS"]);

/** A credential as a request presents it. */
type Credential = { kind: "bearer"; token: string } | { kind: "cookie"; token: string };

/** Adds `caller` and `runnerCaller` to requests and refuses requests without the access that their route asks for. */
export function controlAccess(app: ApiApp, services: Services, count: CountRequest): void {
  const noticeKeyAddress = watchKeyAddresses(services);
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
    if (caller?.kind === "api_key") await noticeKeyAddress(caller, authorOf(request));
  });
}

/** Lets the request pass or throws. Returns the keys under which its rate is counted, the narrowest first. */
async function rateUsesOf(request: FastifyRequest, services: Services, access: Access): Promise<RateUse[]> {
  if (access === "public") return ofAddress(request);
  const rule = accessRuleOf(access);
  const credential = credentialOf(request);
  if (rule.credentials === "runner") {
    const runner = credential?.kind === "bearer" && (await findRunnerCaller(services, credential.token));
    if (!runner)
      throw unauthenticated("A runner key or a dispatch token is needed: Authorization: Bearer rk_...");
    request.runnerCaller = runner;
    const key = runner.kind === "runner_key" ? runner.runnerKeyId : `run:${runner.checkKey}:${runner.slotMs}`;
    return [{ key, share: "whole" }];
  }
  const caller = credential && (await findCaller(services, credential, request));
  if (!caller)
    throw unauthenticated(
      credential
        ? "Invalid, expired or revoked credentials"
        : "Authentication is needed: Authorization: Bearer sk_...",
    );
  if (credential.kind === "cookie") assertSameOrigin(request, services.publicUrl());
  else if (rule.credentials === "session") throw keyRefused(access);
  if (rule.role) assertRole(caller, rule.role);
  request.caller = caller;
  return ofCaller(caller);
}

function ofAddress({ ip }: FastifyRequest): RateUse[] {
  return [{ key: `ip:${ip}`, share: "whole" }];
}

/**
 * Returns the shares of a team's caller. All keys of a team share one limit, and one key takes at most half of it, so
 * that more keys are no way around it. People have a share of their own: a team's scripts don't keep them from the
 * dashboard.
 */
function ofCaller(caller: Caller): RateUse[] {
  return caller.kind === "api_key"
    ? [
        { key: `key:${caller.apiKeyId}`, share: "half" },
        { key: `keys:${caller.teamId}`, share: "whole" },
      ]
    : [
        { key: `session:${caller.userId}:${caller.teamId}`, share: "quarter" },
        { key: `sessions:${caller.teamId}`, share: "half" },
      ];
}

/** Returns the credential of a request; a Bearer header goes before a cookie. */
function credentialOf(request: FastifyRequest): Credential | undefined {
  const header = request.headers.authorization;
  if (header !== undefined) {
    // Text after the token makes it another token, which nobody has.
    return { kind: "bearer", token: /^bearer +(\S+) *$/i.exec(header)?.[1] ?? "" };
  }
  const cookie = request.cookies[SESSION_COOKIE];
  return cookie ? { kind: "cookie", token: cookie } : undefined;
}

function findCaller(
  services: Services,
  { kind, token }: Credential,
  { ip: address, headers }: FastifyRequest,
): Promise<Caller | undefined> {
  const presented = { token, address, userAgent: headers["user-agent"] };
  return kind === "bearer" ? findApiKeyCaller(services, presented) : findSignedInCaller(services, presented);
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

function unauthenticated(message: string): DomainError {
  return new DomainError("unauthenticated", message);
}
