/**
 * Lets runners in. A request is authenticated from its header before anything of its body is read, so a stranger costs
 * what the refusal costs: nothing is looked up for a header that can't hold a key, lookups of keys that this replica
 * never saw are few at a time, and an address that sends wrong keys soon gets no lookup at all. Keys that were accepted
 * lately pass by those limits, so that nobody keeps the agents out that share an address with him. Each request is
 * looked up anew: a revoked key is refused at once.
 */
import { DomainError } from "@svc/contract";
import pLimit from "p-limit";
import { getRunnerKey, runnerSecretOf } from "../accounts/identity/authenticate-runner.ts";
import type { RunnerKeyRow } from "../accounts/identity/credential-store.ts";
import { hashToken } from "../accounts/identity/tokens.ts";
import { monotonicMs } from "../platform/clock.ts";
import type { Services } from "../platform/services.ts";
import { TokenBuckets } from "../platform/token-buckets.ts";

/** Attempts with an unknown key that an address may make at once, and in each second after that. */
const FAILURES_BURST = 60;
const FAILURES_PER_SECOND = 1;
/** Lookups of keys that this replica has not seen; the pool of database connections is larger. */
const UNSEEN_LOOKUPS_AT_ONCE = 4;
const UNSEEN_LOOKUPS_WAITING_MAX = 200;
/** Accepted keys that are remembered, the least recently used one forgotten first. */
const ACCEPTED_KEYS_MAX = 10_000;

/** The parts of a request by which a runner is let in or refused. */
export interface GateRequest {
  authorization: string | undefined;
  /** Address that the request comes from. */
  address: string;
}

/** Authenticates the requests on the runners' port. */
export class RunnerGate {
  readonly #services: Pick<Services, "knex" | "clock">;
  readonly #failures: TokenBuckets;
  readonly #unseen = pLimit(UNSEEN_LOOKUPS_AT_ONCE);
  /** Hashes of accepted keys. */
  readonly #accepted = new Set<string>();

  /** @param clockMs monotonic clock, ms; default the process's */
  constructor(services: Pick<Services, "knex" | "clock">, clockMs = monotonicMs) {
    this.#services = services;
    this.#failures = new TokenBuckets({
      burst: FAILURES_BURST,
      perSecond: FAILURES_PER_SECOND,
      clockMs,
    });
  }

  /**
   * Returns the runner key of a request.
   * @throws DomainError `unauthenticated`, saying what is wrong with the key; `rate_limited` after too many wrong ones;
   *   `unavailable` when the database can't be asked or too many ask
   */
  async authenticate({ authorization, address }: GateRequest): Promise<RunnerKeyRow> {
    const secret = runnerSecretOf(authorization);
    const hash = hashToken(secret).toString("base64");
    if (this.#accepted.has(hash)) return this.#look(secret, hash);
    if (this.#failures.isEmpty(address))
      throw new DomainError(
        "rate_limited",
        "too many attempts with a wrong runner key from this address; try again in a minute",
      );
    if (this.#unseen.pendingCount >= UNSEEN_LOOKUPS_WAITING_MAX)
      throw new DomainError("unavailable", "too many runners connect at this moment; try again");
    return this.#unseen(() => this.#look(secret, hash)).catch((error) => {
      if (error instanceof DomainError && error.code === "unauthenticated") this.#failures.trySpend(address);
      throw error;
    });
  }

  async #look(secret: string, hash: string): Promise<RunnerKeyRow> {
    this.#accepted.delete(hash);
    const key = await getRunnerKey(this.#services, secret);
    this.#accepted.add(hash);
    if (this.#accepted.size > ACCEPTED_KEYS_MAX)
      this.#accepted.delete(this.#accepted.values().next().value as string);
    return key;
  }
}
