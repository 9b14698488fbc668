/**
 * The budget of a team's emails, so that nobody floods addresses from the operator's mail server. Each replica counts
 * its own.
 */
import { HOUR_MS, SECOND_MS, type TeamId } from "@svc/contract";
import { SendError } from "../../outbox/channels/sender.ts";
import { TEAM_CAPS } from "../../platform/team-caps.ts";
import { TokenBuckets } from "../../platform/token-buckets.ts";

/** Counts the emails of teams. */
export class MailBudget {
  readonly #perHour: number;
  readonly #buckets: TokenBuckets;

  /** @param clockMs monotonic clock, ms; default the process's */
  constructor(perHour: number, clockMs?: () => number) {
    this.#perHour = perHour;
    const perSecond = (perHour * SECOND_MS) / HOUR_MS;
    this.#buckets = new TokenBuckets({ burst: perHour, perSecond, ...(clockMs && { clockMs }) });
  }

  /**
   * Counts emails that are about to be sent.
   * @throws SendError when the team has spent its budget
   */
  spend(teamId: TeamId, count: number): void {
    if (this.#buckets.isEmpty(teamId))
      throw new SendError(
        `not sent: the team has sent its ${this.#perHour} emails of an hour; the operator can raise ${TEAM_CAPS.mailsPerHour.variable}`,
        { mayRetry: true },
      );
    this.#buckets.spend(teamId, count);
  }
}
