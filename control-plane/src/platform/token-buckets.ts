/**
 * Token buckets by key, such as an address or a team: each key may spend a burst at once and a rate for ever. The keys
 * that are remembered are bounded; the one that was used least recently is forgotten first, and starts again with a
 * full bucket.
 */
import { monotonicMs } from "./clock.ts";

/** Size and refill rate of each bucket, and the number of buckets. */
export interface TokenBucketsOptions {
  /** Tokens that a key may spend at once. */
  burst: number;
  perSecond: number;
  /** Number of keys that are remembered; default 10,000. */
  keysMax?: number;
  /** Monotonic clock, ms; default the process's. */
  clockMs?: () => number;
}

interface Bucket {
  tokens: number;
  filledAtMs: number;
}

const KEYS_MAX = 10_000;

/** Counts the tokens of each key. In memory, so each replica counts its own. */
export class TokenBuckets {
  readonly #options: Required<TokenBucketsOptions>;
  /** Least recently used first. */
  readonly #buckets = new Map<string, Bucket>();

  constructor(options: TokenBucketsOptions) {
    this.#options = { keysMax: KEYS_MAX, clockMs: monotonicMs, ...options };
  }

  /** Takes one token. False, and nothing is taken, when the bucket is empty. */
  trySpend(key: string): boolean {
    const bucket = this.#filled(key);
    if (bucket.tokens < 1) return false;
    bucket.tokens--;
    return true;
  }

  /** True when the key's bucket holds no token. */
  isEmpty(key: string): boolean {
    return this.#filled(key).tokens < 1;
  }

  /**
   * Takes tokens even when the bucket does not hold them; later tokens pay the debt.
   * @returns how long the caller has to wait until the debt is paid, ms; 0: there is none
   */
  spend(key: string, tokens: number): number {
    const bucket = this.#filled(key);
    bucket.tokens -= tokens;
    return bucket.tokens >= 0 ? 0 : (-bucket.tokens / this.#options.perSecond) * 1000;
  }

  #filled(key: string): Bucket {
    const { burst, perSecond, keysMax, clockMs } = this.#options;
    const nowMs = clockMs();
    const bucket = this.#buckets.get(key) ?? { tokens: burst, filledAtMs: nowMs };
    bucket.tokens = Math.min(burst, bucket.tokens + ((nowMs - bucket.filledAtMs) / 1000) * perSecond);
    bucket.filledAtMs = nowMs;
    this.#buckets.delete(key);
    this.#buckets.set(key, bucket);
    if (this.#buckets.size > keysMax) this.#buckets.delete(this.#buckets.keys().next().value as string);
    return bucket;
  }
}
