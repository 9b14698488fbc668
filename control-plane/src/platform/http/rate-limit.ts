/**
 * Limits the requests that a credential may make in a minute. Each replica counts its own. The headers are those of the IETF
 * draft "RateLimit header fields" in the form that most clients read.
 */
import rateLimit from "@fastify/rate-limit";
import { DomainError, MINUTE_MS } from "@svc/contract";
import type { FastifyInstance, FastifyReply, FastifyRequest } from "fastify";

const WINDOW_MS = MINUTE_MS;
/** Number of credentials that are remembered; the least recently used one is forgotten first. */
const KEYS_MAX = 20_000;

/** Counts a request under a key and sets the headers. Throws DomainError `rate_limited` beyond the limit. */
export type CountRequest = (request: FastifyRequest, reply: FastifyReply, key: string) => Promise<void>;

/**
 * Returns the counter of requests.
 * @param perMinute requests that one key may make in a minute
 */
export async function createRateLimit(app: FastifyInstance, perMinute: number): Promise<CountRequest> {
  await app.register(rateLimit, { global: false, cache: KEYS_MAX });
  const keys = new WeakMap<FastifyRequest, string>();
  const count = app.createRateLimit({
    max: perMinute,
    timeWindow: WINDOW_MS,
    keyGenerator: (request) => keys.get(request) ?? request.ip,
  });
  return async (request, reply, key) => {
    keys.set(request, key);
    const use = await count(request);
    if (use.isAllowed) return;
    reply.headers({
      "ratelimit-limit": use.max,
      "ratelimit-remaining": use.remaining,
      "ratelimit-reset": use.ttlInSeconds,
    });
    if (use.isExceeded)
      throw new DomainError(
        "rate_limited",
        `Rate limit exceeded: ${use.max} requests per minute; try again in ${use.ttlInSeconds} s`,
        { retryAfterSeconds: use.ttlInSeconds },
      );
  };
}
