/** What route files build on: fastify typed by zod, and who is calling. */
import type {
  FastifyBaseLogger,
  FastifyInstance,
  RawReplyDefaultExpression,
  RawRequestDefaultExpression,
  RawServerDefault,
} from "fastify";
import type { ZodTypeProvider } from "fastify-type-provider-zod";
import type { Caller } from "../services.ts";

/** The REST server as route files see it. */
export type ApiApp = FastifyInstance<
  RawServerDefault,
  RawRequestDefaultExpression,
  RawReplyDefaultExpression,
  FastifyBaseLogger,
  ZodTypeProvider
>;

/**
 * Who may call a route; set as `config: { access }`, default "team".
 * team: an API key or a dashboard session; session: a dashboard session only (403 with code session_required otherwise);
 * incident_session: the same with the lifecycle routes' own message and no code; runner: a runner key or dispatch token;
 * public: anyone.
 */
export type Access = "team" | "session" | "incident_session" | "runner" | "public";

/** A runner agent calling REST: by the key of its location or the hosted pool, or by a token for one run. */
export type RunnerCaller =
  | { kind: "runner_key"; runnerKeyId: string; locationKey: number | null }
  | { kind: "dispatch_token"; checkKey: number; locationKey: number; slotMs: number };

declare module "fastify" {
  interface FastifyContextConfig {
    access?: Access;
    /** Neither authenticated nor counted: what a machine asks to see whether the service lives. */
    isUncounted?: true;
  }
  interface FastifyRequest {
    /** Set on routes with access team, session and incident_session. */
    caller: Caller;
    /** Set on routes with access runner. */
    runnerCaller: RunnerCaller;
  }
}
