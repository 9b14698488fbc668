/**
 * Several lanes for one kind of work. The jobs of a team go to one lane at a time, so that a team whose jobs are slow
 * leaves the other lanes to the other teams.
 */
import { type JobTerms, Lane, type LaneOptions } from "./lane.ts";
import type { Job, JobResults } from "./protocol.ts";

/** A team's lane while the team has jobs. */
interface TeamLane {
  lane: Lane;
  jobs: number;
}

/** Runs each job in the lane of its team, or in the one with the fewest teams when it has none. */
export class LaneGroup {
  readonly #lanes: readonly Lane[];
  readonly #teams = new Map<string, TeamLane>();

  /** @param count number of lanes, each with the options of its own worker and queue */
  constructor(count: number, options: LaneOptions) {
    this.#lanes = Array.from({ length: count }, () => new Lane(options));
  }

  /** Runs a job in the team's lane; in the one with the fewest teams when it has none. Rejects as {@link Lane.run}. */
  async run<K extends Job["kind"]>(job: Extract<Job, { kind: K }>, terms: JobTerms): Promise<JobResults[K]> {
    const own = this.#teams.get(terms.team) ?? { lane: this.#quietest(), jobs: 0 };
    this.#teams.set(terms.team, own);
    own.jobs++;
    try {
      return await own.lane.run(job, terms);
    } finally {
      own.jobs--;
      if (own.jobs === 0) this.#teams.delete(terms.team);
    }
  }

  /** Ends the workers. */
  async close(): Promise<void> {
    await Promise.all(this.#lanes.map((lane) => lane.close()));
  }

  #quietest(): Lane {
    const teamsOf = (lane: Lane) => [...this.#teams.values()].filter((team) => team.lane === lane).length;
    return this.#lanes.reduce((best, lane) => (teamsOf(lane) < teamsOf(best) ? lane : best));
  }
}
