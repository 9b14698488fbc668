/**
 * Jobs that wait for a lane. Teams take turns, and a team may fill three quarters of what the others leave free,
 * so that one team's jobs neither hold up nor push out those of another.
 */

/** Bounds of a queue. */
export interface JobQueueLimits {
  /** Most jobs that wait. */
  waitingMax: number;
  /** Bytes of waiting jobs beyond which no more wait; a team's first one may exceed them. */
  waitingBytesMax: number;
}

/** The facts of a waiting job that the queue needs. */
export interface Queued {
  /** Names the team whose job waits. */
  team: string;
  bytes: number;
}

/** Part of the free queue that one team may fill. */
const TEAM_SHARE = 3 / 4;

interface TeamJobs<T> {
  jobs: T[];
  bytes: number;
}

/** The waiting jobs of one lane. */
export class JobQueue<T extends Queued> {
  readonly #limits: JobQueueLimits;
  /** By team; the team whose turn is next comes first. No list is empty. */
  readonly #teams = new Map<string, TeamJobs<T>>();
  #length = 0;
  #bytes = 0;

  constructor(limits: JobQueueLimits) {
    this.#limits = limits;
  }

  /** Returns why a job can't wait, or undefined when there is space for it. */
  refusalOf({ team, bytes }: Queued): string | undefined {
    const own = this.#teams.get(team) ?? { jobs: [], bytes: 0 };
    const free = this.#limits.waitingMax - (this.#length - own.jobs.length);
    if (own.jobs.length >= free * TEAM_SHARE) return `${this.#length} OpenAPI jobs are waiting already`;
    const freeBytes = this.#limits.waitingBytesMax - (this.#bytes - own.bytes);
    const bytesMax = own.jobs.length === 0 ? Number.POSITIVE_INFINITY : freeBytes * TEAM_SHARE;
    return freeBytes <= 0 || own.bytes + bytes > bytesMax
      ? `${this.#bytes} bytes of OpenAPI jobs are waiting already`
      : undefined;
  }

  /** Number of jobs that wait. */
  get length(): number {
    return this.#length;
  }

  /** Returns the number of waiting jobs of the teams that may run. */
  count(mayRun: (team: string) => boolean): number {
    let count = 0;
    for (const [team, { jobs }] of this.#teams) if (mayRun(team)) count += jobs.length;
    return count;
  }

  /** Adds a job behind those of its team. */
  add(job: T): void {
    const own = this.#teams.get(job.team) ?? { jobs: [], bytes: 0 };
    this.#teams.set(job.team, own);
    own.jobs.push(job);
    this.#count(own, job.bytes, 1);
  }

  /**
   * Removes and returns the job whose turn is next; its team's other jobs wait for the other teams' turns.
   * @param mayRun teams that it does not hold for keep their turns; default: any team may run
   */
  next(mayRun: (team: string) => boolean = () => true): T | undefined {
    const first = [...this.#teams].find(([waiting]) => mayRun(waiting));
    if (first === undefined) return undefined;
    const [team, own] = first;
    const job = own.jobs.shift() as T;
    this.#count(own, -job.bytes, -1);
    this.#teams.delete(team);
    if (own.jobs.length > 0) this.#teams.set(team, own);
    return job;
  }

  /** Removes and returns the jobs that the predicate holds for. */
  removeWhere(isRemoved: (job: T) => boolean): T[] {
    const removed: T[] = [];
    for (const [team, own] of [...this.#teams]) {
      const leaving = own.jobs.filter(isRemoved);
      own.jobs = own.jobs.filter((job) => !isRemoved(job));
      for (const { bytes } of leaving) this.#count(own, -bytes, -1);
      if (own.jobs.length === 0) this.#teams.delete(team);
      removed.push(...leaving);
    }
    return removed;
  }

  #count(own: TeamJobs<T>, bytes: number, jobs: 1 | -1): void {
    own.bytes += bytes;
    this.#bytes += bytes;
    this.#length += jobs;
  }
}
