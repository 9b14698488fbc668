/**
 * Slows down guessing of passwords: limits how many attempts may fail. Attempts that succeed count nowhere, so nobody
 * is kept out by signing in correctly, and a stranger's failures don't keep out the owner of an account:
 *
 * - A browser that signed in to the account before is limited by its own failures alone.
 * - The failures of all strangers on an account limit an address only after it failed there a few times itself.
 */
import { randomUUID, timingSafeEqual } from "node:crypto";
import { DAY_MS, DomainError, MINUTE_MS, SECOND_MS } from "@svc/contract";
import type { FastifyInstance, FastifyReply, FastifyRequest } from "fastify";
import type { Services } from "../../platform/services.ts";
import { sessionCookieOptions } from "./session-cookie.ts";

const WINDOW_MS = 15 * MINUTE_MS;
/** Failures within the window. */
const FAILURES_MAX = { device: 10, addressAndAccount: 10, address: 30, account: 100 } as const;
/** Failures that an address may have on an account, however many strangers' attempts on it fail. */
const FREE_FAILURES = 3;
/** Attempts under way at once of one address on one account: they are counted only when they have failed. */
const UNDER_WAY_MAX = 3;

const DEVICE_COOKIE = "svc_device";
const DEVICE_PATH = "/api/auth";
const DEVICE_LIFETIME_MS = 365 * DAY_MS;
const DEVICE_PURPOSE = "known-device";

/** An attempt to sign in. */
interface SignInAttempt<T> {
  request: FastifyRequest;
  reply: FastifyReply;
  email: string;
  /** Signs in. A rejection with DomainError `unauthenticated` is a failed attempt; another one is no attempt. */
  signIn: () => Promise<T>;
}

/**
 * Makes an attempt unless too many failed, and remembers the browser of one that succeeds.
 * @throws DomainError `rate_limited`; what `signIn` throws
 */
export type LimitSignIn = <T>(attempt: SignInAttempt<T>) => Promise<T>;

/** A count of failures: the limiter that holds it, and its key. */
type Count = [limiter: ReturnType<FastifyInstance["createRateLimit"]>, key: string];

/** Returns the function that makes attempts. */
export function createSignInLimit(
  app: FastifyInstance,
  services: Pick<Services, "secrets" | "publicUrl">,
): LimitSignIn {
  const keys = new WeakMap<FastifyRequest, string>();
  const underWay = new Map<string, number>();
  const limiterOf = (max: number) =>
    app.createRateLimit({
      max,
      timeWindow: WINDOW_MS,
      keyGenerator: (request) => keys.get(request) ?? request.ip,
    });
  const limiters = {
    device: limiterOf(FAILURES_MAX.device),
    addressAndAccount: limiterOf(FAILURES_MAX.addressAndAccount),
    address: limiterOf(FAILURES_MAX.address),
    account: limiterOf(FAILURES_MAX.account),
  };
  const failuresOf = (request: FastifyRequest, [limiter, key]: Count) => {
    keys.set(request, key);
    return limiter(request, { increment: false });
  };
  const addFailure = (request: FastifyRequest, [limiter, key]: Count) => {
    keys.set(request, key);
    return limiter(request);
  };

  return async ({ request, reply, email, signIn }) => {
    const account = email.toLowerCase();
    const deviceId = knownDevice(request, account);
    const addressAndAccount = `${request.ip} ${account}`;
    const counts: Count[] =
      deviceId === undefined
        ? [
            [limiters.addressAndAccount, addressAndAccount],
            [limiters.address, request.ip],
            [limiters.account, account],
          ]
        : [[limiters.device, deviceId]];
    for (const count of counts) {
      const failures = await failuresOf(request, count);
      if (failures.isAllowed || failures.remaining > 0) continue;
      if (count[0] === limiters.account && !(await hasFailed(request, addressAndAccount))) continue;
      throw tooMany(failures.ttlInSeconds);
    }
    return oneOfFew(deviceId ?? addressAndAccount, async () => {
      try {
        const signedIn = await signIn();
        rememberDevice(reply, account, deviceId ?? randomUUID());
        return signedIn;
      } catch (error) {
        if (error instanceof DomainError && error.code === "unauthenticated")
          for (const count of counts) await addFailure(request, count);
        throw error;
      }
    });
  };

  async function hasFailed(request: FastifyRequest, addressAndAccount: string): Promise<boolean> {
    const failures = await failuresOf(request, [limiters.addressAndAccount, addressAndAccount]);
    return !failures.isAllowed && failures.max - failures.remaining >= FREE_FAILURES;
  }

  async function oneOfFew<T>(key: string, work: () => Promise<T>): Promise<T> {
    const count = underWay.get(key) ?? 0;
    if (count >= UNDER_WAY_MAX) throw tooMany(1);
    underWay.set(key, count + 1);
    try {
      return await work();
    } finally {
      const left = (underWay.get(key) ?? 1) - 1;
      if (left === 0) underWay.delete(key);
      else underWay.set(key, left);
    }
  }

  /** Returns the id of a browser that signed in to the account before, from its signed cookie. */
  function knownDevice(request: FastifyRequest, account: string): string | undefined {
    const [deviceId = "", signature = ""] = (request.cookies[DEVICE_COOKIE] ?? "").split(".");
    const given = Buffer.from(signature, "base64url");
    const expected = signatureOf(deviceId, account);
    return given.length === expected.length && timingSafeEqual(given, expected) ? deviceId : undefined;
  }

  function rememberDevice(reply: FastifyReply, account: string, deviceId: string): void {
    const signature = signatureOf(deviceId, account).toString("base64url");
    void reply.setCookie(DEVICE_COOKIE, `${deviceId}.${signature}`, {
      ...sessionCookieOptions(services.publicUrl()),
      path: DEVICE_PATH,
      maxAge: DEVICE_LIFETIME_MS / SECOND_MS,
    });
  }

  function signatureOf(deviceId: string, account: string): Buffer {
    return services.secrets.sign(DEVICE_PURPOSE, `${deviceId}\n${account}`);
  }
}

function tooMany(waitSeconds: number): DomainError {
  const wait = waitSeconds < 60 ? `${waitSeconds} s` : `${Math.ceil(waitSeconds / 60)} minutes`;
  return new DomainError("rate_limited", `Too many attempts to sign in failed; try again in ${wait}`, {
    retryAfterSeconds: waitSeconds,
  });
}
