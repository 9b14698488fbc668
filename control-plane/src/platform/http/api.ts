/** Types that route files build on: fastify typed by zod, and the caller of a request. */
import type { Access } from "@svc/contract";
import type {
  FastifyBaseLogger,
  FastifyInstance,
  RawReplyDefaultExpression,
  RawRequestDefaultExpression,
  RawServerDefault,
} from "fastify";
import type { ZodTypeProvider } from "fastify-type-provider-zod";
import type { Caller, RunnerCaller } from "./caller.ts";

/** The REST server as route files see it. */
export type ApiApp = FastifyInstance<
  RawServerDefault,
  RawRequestDefaultExpression,
  RawReplyDefaultExpression,
  FastifyBaseLogger,
  ZodTypeProvider
>;

declare module "fastify" {
  interface FastifyContextConfig {
    access?: Access;
    /** True for routes by which machines see whether the service lives: neither authenticated nor counted. */
    isUncounted?: true;
  }
  interface FastifyRequest {
    /** Set on routes with access team, session and incident_session. */
    caller: Caller;
    /** Set on routes with access runner. */
    runnerCaller: RunnerCaller;
  }
}
