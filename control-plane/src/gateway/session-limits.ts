/**
 * Limits of the sessions that runner keys open at one replica: how many at a time, and how many in a while. Every session writes
 * rows and wakes all replicas, so a key decides neither how often nor for how many runners. The limit of a key over all replicas
 * is kept where the runner's row is written (`store.ts`).
 */
import { DomainError, type RunnerKeyId } from "@svc/contract";
import { monotonicMs } from "../platform/clock.ts";
import { TokenBuckets } from "../platform/token-buckets.ts";

/** Sessions that a key may open in each second, after a burst in which all its runners connect twice. */
const SESSIONS_PER_SECOND = 2;

export class SessionLimits {
  readonly #perKeyMax: number;
  readonly #open = new Map<RunnerKeyId, number>();
  readonly #pace: TokenBuckets;

  constructor(perKeyMax: number, clockMs = monotonicMs) {
    this.#perKeyMax = perKeyMax;
    this.#pace = new TokenBuckets({ burst: 2 * perKeyMax, perSecond: SESSIONS_PER_SECOND, clockMs });
  }

  /**
   * Counts a session of the key, also while it is being opened.
   * @returns a function that ends the count; call it once
   * @throws DomainError `limit_exceeded`: too many at a time; `rate_limited`: too many in a while
   */
  begin(keyId: RunnerKeyId): () => void {
    const open = this.#open.get(keyId) ?? 0;
    // A runner that comes back has its former session for a moment.
    if (open >= 2 * this.#perKeyMax) throw tooManySessions(this.#perKeyMax);
    if (!this.#pace.take(keyId))
      throw new DomainError("rate_limited", "the runner key opens sessions too often; try again in a minute");
    this.#open.set(keyId, open + 1);
    return () => {
      const left = (this.#open.get(keyId) ?? 1) - 1;
      if (left > 0) this.#open.set(keyId, left);
      else this.#open.delete(keyId);
    };
  }
}

/** Returns the error for a key with too many connected runners. */
export function tooManySessions(perKeyMax: number): DomainError {
  return new DomainError(
    "limit_exceeded",
    `a runner key has ${perKeyMax} connected runners at most (SVC_RUNNER_SESSIONS_PER_KEY_MAX); make another key`,
  );
}
