/** Types that route files build on: fastify typed by zod, and the caller of a request. */
import type { Access } from "@svc/contract";
import type {
  FastifyBaseLogger,
  FastifyInstance,
  FastifyRequest,
  RawReplyDefaultExpression,
  RawRequestDefaultExpression,
  RawServerDefault,
} from "fastify";
import type { ZodTypeProvider } from "fastify-type-provider-zod";
import type { Services, StandbyServices } from "../services.ts";
import type { Caller, RunnerCaller } from "./caller.ts";
import type { RequestSeats } from "./request-seats.ts";
import type { Seat } from "./team-seats.ts";

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
    /** Credential and role that the route needs; a route without it can't be registered. */
    access?: Access;
    /** True for routes that the wall of a display session needs. */
    forDisplays?: true;
    /** True for routes by which machines see whether the service lives: neither authenticated nor counted. */
    isUncounted?: true;
    /** True for routes whose handler waits for a thread or for somebody else's server most of its time. */
    waitsElsewhere?: true;
    /** Tells whether a request only reads, where the route's method does not; absent: GET and HEAD do. */
    readsOnly?: (request: FastifyRequest) => boolean;
    /** True for routes whose answer takes as long as the client stays. */
    isStream?: true;
  }
  interface FastifyRequest {
    /** Services of the standby while the request is answered from there. */
    standbyServices: Services | undefined;
  }
  interface FastifyRequest {
    /** The request's seat among its team's; undefined before it has one, and for callers of no team. */
    seat: Seat | undefined;
  }
  interface FastifyInstance {
    /** Seats that teams' requests share. */
    requestSeats: RequestSeats;
    /** The standby that reports are read from; undefined when there is none. */
    standby: StandbyServices | undefined;
    /**
     * Returns the API's description as JSON. The first call takes about half a second of CPU time and needs all routes:
     * make it before the server listens.
     */
    apiDescription: () => string;
  }
  interface FastifyRequest {
    /** Set on routes that need a key or a session. */
    caller: Caller;
    /** Set on routes that need a runner. */
    runnerCaller: RunnerCaller;
  }
}
