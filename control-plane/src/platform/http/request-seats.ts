/**
 * Gives each request of a team a seat while its handler works, so that a team that asks for much at once does not take all
 * connections to the database. Reads and changes are counted apart, as their connections are.
 */
import type { FastifyInstance, FastifyRequest } from "fastify";
import type { Config } from "../config.ts";
import { poolSizes } from "../db/pools.ts";
import { credentialIdOf } from "./caller.ts";
import { PEOPLE, TeamSeats } from "./team-seats.ts";

/** Requests of a team's keys that wait for each kind of seat. */
const WAITING_MAX = 200;
/** Seats of requests that wait for a thread or for somebody else's server, and hold no connection meanwhile. */
const ELSEWHERE_SEATS = 64;

/** Seats by the kind of work that a request does. */
export interface RequestSeats {
  reads: TeamSeats;
  writes: TeamSeats;
  elsewhere: TeamSeats;
}

/** Returns seats as the sizes of the pools allow: about as many requests work at once as there are connections. */
export function createRequestSeats(config: Config): RequestSeats {
  const half = Math.ceil(config.databasePoolMax / 2);
  const sizes = poolSizes(config) ?? { apiReads: half, apiWrites: half };
  const refusal = "The team makes too many requests at once; try again";
  const seats = (count: number) => new TeamSeats({ seats: count, waitingMax: WAITING_MAX, refusal });
  return { reads: seats(sizes.apiReads), writes: seats(sizes.apiWrites), elsewhere: seats(ELSEWHERE_SEATS) };
}

/**
 * Seats the requests of all routes that a team's caller may use, from the end of validation to the first byte of the
 * answer.
 */
export function seatRequests(app: FastifyInstance, seats: RequestSeats): void {
  app.decorateRequest("seat", undefined);
  app.addHook("preHandler", async (request, reply) => {
    if (!request.caller) return;
    const { teamId } = request.caller;
    const leaving = new AbortController();
    const leave = () => leaving.abort(new Error("the client left before its turn"));
    reply.raw.once("close", leave);
    const asker = request.caller.kind === "session" ? PEOPLE : credentialIdOf(request.caller);
    const seat = await kindOf(request, seats).acquire(teamId, { signal: leaving.signal, asker });
    reply.raw.off("close", leave);
    request.seat = seat;
    reply.raw.once("close", () => seat.release());
  });
  app.addHook("onSend", async (request) => request.seat?.release());
}

function kindOf(request: FastifyRequest, seats: RequestSeats): TeamSeats {
  if (request.routeOptions.config.waitsElsewhere) return seats.elsewhere;
  return isRead(request) ? seats.reads : seats.writes;
}

/** True for a request that changes nothing. */
export function isRead(request: Pick<FastifyRequest, "method" | "routeOptions">): boolean {
  const { method, routeOptions } = request;
  const { readsOnly } = routeOptions.config;
  return readsOnly ? readsOnly(request as FastifyRequest) : method === "GET" || method === "HEAD";
}
