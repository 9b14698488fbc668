/**
 * Limits of the sessions that runner keys open at one replica: how many at a time, and how many in a while, for a key
 * and for all keys of a team. Every session writes rows and wakes all replicas, so a sender decides neither how often
 * nor for how many runners. The limit of a key over all replicas is kept where the runner's row is written
 * (`store.ts`).
 */
import { DomainError, type RunnerKeyId } from "@svc/contract";
import { monotonicMs } from "../platform/clock.ts";
import { TokenBuckets } from "../platform/token-buckets.ts";
import type { Sender } from "./sender.ts";

/** Sessions that a key may open in each second, after a burst in which all its runners connect twice. */
const SESSIONS_PER_SECOND = 2;
/** Sessions that a team's keys may open in each second together, after a burst in which all its runners connect twice. */
const TEAM_SESSIONS_PER_SECOND = 10;

/** The limits, from the settings, and the clock. */
export interface SessionLimitsOptions {
  /** Runners of a key that may be connected at a time. */
  perKeyMax: number;
  /** Sessions of a team's private runners that may be open at this replica. */
  perTeamMax: number;
  /** Monotonic clock, ms; default the process's. */
  clockMs?: () => number;
}

/** Who opens a session. */
export interface SessionOpener {
  keyId: RunnerKeyId;
  /** undefined: the hosted fleet, whose runners are the operator's. */
  team: Sender | undefined;
}

/** Counts of open sessions by some name. */
class OpenCounts {
  readonly #counts = new Map<string, number>();

  of(name: string): number {
    return this.#counts.get(name) ?? 0;
  }

  add(name: string, change: 1 | -1): void {
    const count = this.of(name) + change;
    if (count > 0) this.#counts.set(name, count);
    else this.#counts.delete(name);
  }
}

/** Counts the sessions that are open at this replica and the pace at which they are opened, by key and by team. */
export class SessionLimits {
  readonly #perKeyMax: number;
  readonly #perTeamMax: number;
  readonly #openOfKey = new OpenCounts();
  readonly #openOfTeam = new OpenCounts();
  readonly #keyPace: TokenBuckets;
  readonly #teamPace: TokenBuckets;

  constructor({ perKeyMax, perTeamMax, clockMs = monotonicMs }: SessionLimitsOptions) {
    this.#perKeyMax = perKeyMax;
    this.#perTeamMax = perTeamMax;
    this.#keyPace = new TokenBuckets({ burst: 2 * perKeyMax, perSecond: SESSIONS_PER_SECOND, clockMs });
    this.#teamPace = new TokenBuckets({
      burst: 2 * perTeamMax,
      perSecond: TEAM_SESSIONS_PER_SECOND,
      clockMs,
    });
  }

  /**
   * Counts a session, also while it is being opened.
   * @returns a function that ends the count; call it once
   * @throws DomainError `limit_exceeded`: too many at a time; `rate_limited`: too many in a while
   */
  begin({ keyId, team }: SessionOpener): () => void {
    // A runner that comes back has its former session for a moment.
    if (this.#openOfKey.of(keyId) >= 2 * this.#perKeyMax) throw tooManySessions(this.#perKeyMax);
    if (team !== undefined && this.#openOfTeam.of(team) >= this.#perTeamMax)
      throw new DomainError(
        "limit_exceeded",
        `a team has ${this.#perTeamMax} connected private runners at most (SVC_RUNNER_SESSIONS_PER_TEAM_MAX)`,
      );
    if (!this.#keyPace.trySpend(keyId)) throw tooOften("the runner key opens");
    if (team !== undefined && !this.#teamPace.trySpend(team)) throw tooOften("the team's runners open");
    const count = (change: 1 | -1) => {
      this.#openOfKey.add(keyId, change);
      if (team !== undefined) this.#openOfTeam.add(team, change);
    };
    count(1);
    return () => count(-1);
  }
}

/** Returns the error for a key with too many connected runners. */
export function tooManySessions(perKeyMax: number): DomainError {
  return new DomainError(
    "limit_exceeded",
    `a runner key has ${perKeyMax} connected runners at most (SVC_RUNNER_SESSIONS_PER_KEY_MAX); make another key`,
  );
}

function tooOften(whoOpens: string): DomainError {
  return new DomainError("rate_limited", `${whoOpens} sessions too often; try again in a minute`);
}
