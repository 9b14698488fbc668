/** Slows down guessing: limits how often an address, an account, and an address for one account may try to sign in. */
import { DomainError, MINUTE_MS } from "@svc/contract";
import type { FastifyInstance, FastifyRequest } from "fastify";

const WINDOW_MS = 15 * MINUTE_MS;
/** An account's own limit is the widest: anyone may use it up and so keep its owner out for the window. */
const ATTEMPTS_MAX = { addressAndAccount: 10, address: 30, account: 100 } as const;

/** Counts an attempt to sign in as `email`. */
export type CountAttempt = (request: FastifyRequest, email: string) => Promise<void>;

/**
 * Returns the function that counts one attempt.
 * @throws DomainError `rate_limited`, from that function, when there were too many
 */
export function createAttemptLimit(app: FastifyInstance): CountAttempt {
  const emails = new WeakMap<FastifyRequest, string>();
  const emailOf = (request: FastifyRequest) => emails.get(request) ?? "";
  const limiter = (max: number, keyGenerator: (request: FastifyRequest) => string) =>
    app.createRateLimit({ max, timeWindow: WINDOW_MS, keyGenerator });
  const limiters = [
    limiter(ATTEMPTS_MAX.addressAndAccount, (request) => `${request.ip} ${emailOf(request)}`),
    limiter(ATTEMPTS_MAX.address, (request) => request.ip),
    limiter(ATTEMPTS_MAX.account, emailOf),
  ];
  return async (request, email) => {
    emails.set(request, email.toLowerCase());
    const uses = await Promise.all(limiters.map((count) => count(request)));
    for (const use of uses)
      if (!use.isAllowed && use.isExceeded)
        throw new DomainError(
          "rate_limited",
          `Too many attempts to sign in; try again in ${Math.ceil(use.ttlInSeconds / 60)} minutes`,
          { retryAfterSeconds: use.ttlInSeconds },
        );
  };
}
