/**
 * Results that the sessions of a team have handed to ingest and that wait for their commit. Groups of results are
 * written in order of arrival, so a team that fills the queue would delay the results of all others: beyond its share
 * its streams are not read. The hosted fleet, which carries everybody's results, has no share.
 */

/** Results of a team that may wait; a few transactions write them. */
const TEAM_MAX = 20_000;
/** Evidence of this many bytes counts as one result. */
const BYTES_PER_RESULT = 4 * 1024;

/** Returns the size of a batch in the backlog, in results. */
export function backlogSize(results: number, evidenceBytes: number): number {
  return results + Math.ceil(evidenceBytes / BYTES_PER_RESULT);
}

/** The waiting results of one team. */
export class Backlog {
  readonly #max: number;
  #size = 0;
  #waiting: (() => void)[] = [];

  constructor(max = TEAM_MAX) {
    this.#max = max;
  }

  get isFull(): boolean {
    return this.#size >= this.#max;
  }

  add(size: number): void {
    this.#size += size;
  }

  remove(size: number): void {
    this.#size -= size;
    for (const resolve of this.#waiting.splice(0)) resolve();
  }

  /** Resolves when something was removed. */
  untilRemoved(): Promise<void> {
    return new Promise((resolve) => this.#waiting.push(resolve));
  }
}

/** The backlogs of all teams at this replica. */
export class Backlogs {
  readonly #byTeam = new Map<string, Backlog>();

  /** @param teamId null: the hosted fleet */
  of(teamId: string | null): Backlog {
    if (teamId === null) return new Backlog(Number.POSITIVE_INFINITY);
    const backlog = this.#byTeam.get(teamId) ?? new Backlog();
    this.#byTeam.set(teamId, backlog);
    return backlog;
  }
}
