/** Controls access to routes, before a body is read: finds the caller, compares it with the route's access, counts it. */
import { type Access, DomainError } from "@svc/contract";
import type { FastifyRequest } from "fastify";
import type { ApiApp } from "../../platform/http/api.ts";
import type { Caller } from "../../platform/http/caller.ts";
import type { CountRequest } from "../../platform/http/rate-limit.ts";
import type { Services } from "../../platform/services.ts";
import { findApiKeyCaller, findRunnerCaller, findSessionCaller } from "./credentials.ts";
import { SESSION_COOKIE } from "./session-cookie.ts";

const SAFE_METHODS = new Set(["GET", "HEAD", "OPTIONS"]);

/** A credential as a request presents it. */
type Credential = { kind: "bearer"; token: string } | { kind: "cookie"; token: string };

/** Adds `caller` and `runnerCaller` to requests and refuses those that may not pass. */
export function controlAccess(app: ApiApp, services: Services, count: CountRequest): void {
  app.decorateRequest("caller", null as never);
  app.decorateRequest("runnerCaller", null as never);
  app.addHook("onRequest", async (request, reply) => {
    if (request.routeOptions.config.isUncounted) return;
    const access: Access = request.is404 ? "public" : (request.routeOptions.config.access ?? "team");
    const key = await rateKeyOf(request, services, access).catch(async (error) => {
      await count(request, reply, `ip:${request.ip}`);
      throw error;
    });
    await count(request, reply, key);
  });
}

/** Lets the request pass or throws. Returns the key under which its rate is counted. */
async function rateKeyOf(request: FastifyRequest, services: Services, access: Access): Promise<string> {
  if (access === "public") return `ip:${request.ip}`;
  const credential = credentialOf(request);
  if (access === "runner") {
    const runner = credential?.kind === "bearer" && (await findRunnerCaller(services, credential.token));
    if (!runner)
      throw unauthenticated("A runner key or a dispatch token is needed: Authorization: Bearer rk_...");
    request.runnerCaller = runner;
    return runner.kind === "runner_key" ? runner.runnerKeyId : `run:${runner.checkKey}:${runner.slotMs}`;
  }
  const caller = credential && (await findCaller(services, credential));
  if (!caller)
    throw unauthenticated(
      credential
        ? "Invalid or revoked credentials"
        : "Authentication is needed: Authorization: Bearer sk_...",
    );
  if (credential.kind === "cookie") assertSameOrigin(request, services.publicUrl());
  else assertKeyMay(access);
  request.caller = caller;
  return caller.kind === "api_key" ? caller.apiKeyId : `session:${caller.userId}`;
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

function findCaller(services: Services, { kind, token }: Credential): Promise<Caller | undefined> {
  return kind === "bearer" ? findApiKeyCaller(services, token) : findSessionCaller(services, token);
}

function assertKeyMay(access: Access): void {
  if (access === "session")
    throw new DomainError("session_required", "A dashboard session is needed; an API key can't do this");
  if (access === "incident_session")
    throw new DomainError("forbidden", "Session authentication required for lifecycle actions");
}

/** A browser sends the cookie along whoever made it ask: a change must come from our own pages. */
function assertSameOrigin(request: FastifyRequest, publicUrl: string): void {
  if (SAFE_METHODS.has(request.method)) return;
  const { origin } = request.headers;
  const own = [new URL(publicUrl).origin, `${request.protocol}://${request.headers.host}`];
  if (origin === undefined || !own.includes(origin))
    throw new DomainError(
      "forbidden",
      "A change by session cookie needs an Origin header of this service's own",
    );
}

function unauthenticated(message: string): DomainError {
  return new DomainError("unauthenticated", message);
}
