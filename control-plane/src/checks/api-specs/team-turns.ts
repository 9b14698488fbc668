/** Limits how many documents one team has in the queue: they are read one after another, the largest ones for seconds. */
import { DomainError, type TeamId } from "@svc/contract";

/** Documents of one team that are fetched and read at a time, per replica. */
const TEAM_DOCUMENTS_MAX = 2;
const RETRY_AFTER_SECONDS = 5;

/** Work under way, by team. */
export class TeamTurns {
  readonly #underWay = new Map<string, number>();

  /**
   * Runs work for a team.
   * @throws DomainError `rate_limited` when the team has as much under way as it may
   */
  async run<T>(teamId: TeamId, work: () => Promise<T>): Promise<T> {
    const count = this.#underWay.get(teamId) ?? 0;
    if (count >= TEAM_DOCUMENTS_MAX)
      throw new DomainError(
        "rate_limited",
        `${count} documents of this team are being read already; try again`,
        {
          retryAfterSeconds: RETRY_AFTER_SECONDS,
        },
      );
    this.#underWay.set(teamId, count + 1);
    try {
      return await work();
    } finally {
      const left = (this.#underWay.get(teamId) ?? 1) - 1;
      if (left > 0) this.#underWay.set(teamId, left);
      else this.#underWay.delete(teamId);
    }
  }
}
