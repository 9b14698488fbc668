/**
 * Limits the requests that a team, each of its credentials, or an address may make in a minute. Each replica counts its
 * own. The headers are those of the IETF draft "RateLimit header fields" in the form that most clients read.
 */
import rateLimit from "@fastify/rate-limit";
import { DomainError, MINUTE_MS } from "@svc/contract";
import type { FastifyInstance, FastifyReply, FastifyRequest } from "fastify";

const WINDOW_MS = MINUTE_MS;
/** Number of keys that are remembered per share; the least recently used one is forgotten first. */
const KEYS_MAX = 20_000;

/** Parts of a team's limit that a key of the counter may use: all of it, a half or a quarter. */
const SHARES = { whole: 1, half: 1 / 2, quarter: 1 / 4 } as const;

/** Counts a request under `key`, which may make no more requests in a minute than its share of the limit. */
export interface RateUse {
  key: string;
  share: keyof typeof SHARES;
}

/**
 * Counts a request under each key, in the order given, and sets the headers of the one with the fewest requests left. A
 * request that is refused under one key doesn't count under those after it. Throws DomainError `rate_limited` beyond a
 * limit.
 */
export type CountRequest = (
  request: FastifyRequest,
  reply: FastifyReply,
  uses: readonly RateUse[],
) => Promise<void>;

/**
 * Returns the counter of requests.
 * @param perMinute requests that a key with the whole share may make in a minute
 */
export async function createRateLimit(app: FastifyInstance, perMinute: number): Promise<CountRequest> {
  await app.register(rateLimit, { global: false, cache: KEYS_MAX });
  const keys = new WeakMap<FastifyRequest, string>();
  const limiterOf = (share: keyof typeof SHARES) =>
    app.createRateLimit({
      max: Math.ceil(perMinute * SHARES[share]),
      timeWindow: WINDOW_MS,
      keyGenerator: (request) => keys.get(request) ?? request.ip,
    });
  const limiters = { whole: limiterOf("whole"), half: limiterOf("half"), quarter: limiterOf("quarter") };
  return async (request, reply, uses) => {
    let fewestLeft = Number.POSITIVE_INFINITY;
    for (const { key, share } of uses) {
      keys.set(request, key);
      const use = await limiters[share](request);
      if (use.isAllowed || (use.remaining >= fewestLeft && !use.isExceeded)) continue;
      fewestLeft = use.remaining;
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
    }
  };
}
