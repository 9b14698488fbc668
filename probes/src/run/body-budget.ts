/**
 * The memory that response bodies may take, over all runs of this process at once. When it is used up, the run that
 * asks for more is given back: many large bodies at a time must neither slow the agent down nor end the process.
 * Waiting instead would be measured as slowness of the target.
 */
import { NO_TEAM } from "../base/no-team.ts";
import { RunnerFailure } from "./failures.ts";

/** The default. One run needs at most about 90 MiB: an encoded body of 10 MiB that is parsed as JSON. */
export const BODY_BUDGET_BYTES_DEFAULT = 256 * 1024 * 1024;

/** Share of the memory that others leave free which one of several teams may hold. */
const TEAM_SHARE = 3 / 4;

/** The budget of a process. */
export class BodyBudget {
  readonly #bytesMax: number;
  #usedBytes = 0;
  readonly #bytesByTeam = new Map<string, number>();

  constructor(bytesMax: number) {
    this.#bytesMax = bytesMax;
  }

  /** Bytes that runs hold now. */
  get usedBytes(): number {
    return this.#usedBytes;
  }

  /**
   * Returns a run's claim, which holds nothing at first.
   * @param team names the team whose run it is; default: there is one team only, which may hold everything
   */
  claim(team = NO_TEAM): BodyClaim {
    return new BodyClaim(team, (bytes) => {
      const own = this.#bytesByTeam.get(team) ?? 0;
      const free = this.#bytesMax - (this.#usedBytes - own);
      const ownMax = team === NO_TEAM ? free : free * TEAM_SHARE;
      if (bytes > 0 && own + bytes > ownMax) return false;
      this.#usedBytes += bytes;
      if (own + bytes > 0) this.#bytesByTeam.set(team, own + bytes);
      else this.#bytesByTeam.delete(team);
      return true;
    });
  }
}

/** The share of the budget that one run holds. */
export class BodyClaim {
  /** Names the team whose run holds the share. */
  readonly team: string;
  readonly #reserve: (bytes: number) => boolean;
  #bytes = 0;
  #isReleased = false;

  /**
   * @param team names the team whose run it is
   * @param reserve takes bytes from the budget, or releases them when negative; returns false when too few are left
   */
  constructor(team: string, reserve: (bytes: number) => boolean) {
    this.team = team;
    this.#reserve = reserve;
  }

  /**
   * Takes more bytes before the run holds them.
   * @throws RunnerFailure with reason `capacity` when the budget has too few left, `draining` when the run is over
   */
  reserve(bytes: number): void {
    // A request that outlives its run must not take memory that nobody would release.
    if (this.#isReleased) throw new RunnerFailure("draining", "the run is over");
    if (!this.#reserve(bytes))
      throw new RunnerFailure(
        "capacity",
        "response bodies take all the memory that this runner has for them",
      );
    this.#bytes += bytes;
  }

  /** Releases everything at the end of the run. Calling it twice is harmless. */
  release(): void {
    this.#isReleased = true;
    this.#reserve(-this.#bytes);
    this.#bytes = 0;
  }
}
