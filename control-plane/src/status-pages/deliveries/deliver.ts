/**
 * Sends what is on its way to subscribers: by teams in turns, few at a time, apart from the notifications of alerts, so that a page
 * with many subscribers delays nobody's alert. No transaction is open during network waits.
 */

import type { TeamId } from "@svc/contract";
import { backoffMs, HOUR_MS, MINUTE_MS, SECOND_MS, type StatusSubscriberType } from "@svc/contract";
import { EgressDenied } from "@svc/egress";
import pLimit from "p-limit";
import { sendRequest } from "../../outbox/channels/http-request.ts";
import { SendError } from "../../outbox/channels/sender.ts";
import { sendEmail } from "../../outbox/mail.ts";
import type { Services } from "../../platform/services.ts";
import type { TeamEgress } from "../../platform/team-egress.ts";
import { TokenBuckets } from "../../platform/token-buckets.ts";
import { openEndpoint } from "../subscribers/endpoint.ts";
import { CONFIRM_PATH, confirmTokenOf, UNSUBSCRIBE_PATH, unsubscribeTokenOf } from "../subscribers/link.ts";
import {
  type ClaimedDelivery,
  claimDeliveries,
  deferBlockedDeliveries,
  finishDelivery,
  postponeDelivery,
} from "./delivery-store.ts";
import { mailOf } from "./mail-text.ts";
import { webhookRequest } from "./webhook-request.ts";

/** Age of a delivery at which it is given up. */
export const GIVE_UP_MS = 6 * HOUR_MS;
/** Deliveries of one team in a claim, and in all: they are done within the lease even when each takes its whole time. */
const PER_TEAM = 8;
const CLAIMED_MAX = 64;
/** Deliveries of a type that this process sends at a time. */
const AT_ONCE = 8;
/** Time for an attempt. A mail server may look a mail through before it replies: who hangs up by then sends the mail twice. */
const ATTEMPT_TIMEOUTS_MS = { email: 20 * SECOND_MS, webhook: 10 * SECOND_MS };
/** Attempts at a mail that may run out of time: the mail server may have taken it each time. */
const MAIL_TIMEOUTS_MAX = 3;
const LEASE_MS = 3 * MINUTE_MS;
const DELAYS = { firstMs: 30 * SECOND_MS, largestMs: 30 * MINUTE_MS, jitter: 0.2 };
/** Time after which a team that has sent the mails of its hour is looked at again. */
const OVER_BUDGET_MS = MINUTE_MS;

type Parts = Pick<Services, "knex" | "clock" | "log" | "config" | "secrets" | "publicUrl" | "random">;

/** How a delivery waits. */
interface Postponed {
  delayMs: number;
  /** False: the attempt did not take place. */
  wasTried: boolean;
  /** Default: as many as before. */
  timeouts?: number;
}

/** Sends deliveries. One for each process. */
export class StatusSender {
  readonly #parts: Parts;
  readonly #egressOf: TeamEgress;
  readonly #budget: TokenBuckets;

  readonly #attemptTimeoutsMs: Readonly<Record<StatusSubscriberType, number>>;
  /** Teams that have sent the mails of their hour, as far as is known. */
  readonly #spent = new Set<TeamId>();

  constructor(parts: Parts, egressOf: TeamEgress, attemptTimeoutsMs = ATTEMPT_TIMEOUTS_MS) {
    const perHour = parts.config.caps.statusMailsPerHour;
    this.#parts = parts;
    this.#egressOf = egressOf;
    this.#attemptTimeoutsMs = attemptTimeoutsMs;
    this.#budget = new TokenBuckets({ burst: perHour, perSecond: (perHour * SECOND_MS) / HOUR_MS });
  }

  /**
   * Makes an attempt at some of the due deliveries of a type, and records how each went.
   * @param signal aborted: begin no further attempt
   * @returns true when more may wait that can be sent now
   */
  async deliverDue(type: StatusSubscriberType, signal: AbortSignal): Promise<boolean> {
    const { knex, clock, config } = this.#parts;
    if (type === "email" && !config.smtpUrl) return false;
    const nowMs = clock.nowMs();
    for (const teamId of this.#spent) if (!this.#budget.isEmpty(teamId)) this.#spent.delete(teamId);
    const due = { type, nowMs, exceptTeams: type === "email" ? [...this.#spent] : [] };
    const deferred = await deferBlockedDeliveries(knex, due);
    const claimed = await claimDeliveries(knex, {
      ...due,
      leaseUntilMs: nowMs + LEASE_MS,
      perTeam: PER_TEAM,
      rowsMax: CLAIMED_MAX,
    });
    const atOnce = pLimit(AT_ONCE);
    const attempted = await Promise.all(
      claimed.map((delivery) => atOnce(() => this.#deliver(delivery, signal))),
    );
    return deferred > 0 || attempted.includes(true);
  }

  /** @returns false when it was left for later without an attempt */
  async #deliver(delivery: ClaimedDelivery, signal: AbortSignal): Promise<boolean> {
    const { knex, clock, random } = this.#parts;
    const { teamId, address, announcement, attempts } = delivery;
    if (!isWanted(delivery, clock.nowMs())) {
      await finishDelivery(knex, delivery, clock.nowMs());
      return true;
    }
    if (signal.aborted) {
      await this.#later(delivery, { delayMs: 0, wasTried: false });
      return false;
    }
    // Whoever wants to subscribe does not wait for the announcements of the hour.
    if (address !== null && announcement && !this.#budget.trySpend(teamId)) {
      this.#spent.add(teamId);
      await this.#laterOrNever(delivery, {
        delayMs: OVER_BUDGET_MS,
        wasTried: false,
        reason: "the team has sent the mails of its hour",
      });
      return false;
    }
    const timeout = AbortSignal.timeout(this.#attemptTimeoutsMs[address === null ? "webhook" : "email"]);
    try {
      await this.#send(delivery, timeout);
    } catch (error) {
      const { mayRetry, retryAfterMs = 0, reason } = judged(error);
      const timeouts = delivery.timeouts + (address !== null && timeout.aborted ? 1 : 0);
      await this.#laterOrNever(delivery, {
        delayMs:
          mayRetry && timeouts < MAIL_TIMEOUTS_MAX
            ? Math.round(Math.max(backoffMs(attempts, DELAYS, random()), retryAfterMs))
            : undefined,
        wasTried: true,
        timeouts,
        reason: timeout.aborted ? "it took too long" : reason,
      });
      return true;
    }
    await finishDelivery(knex, delivery, clock.nowMs());
    return true;
  }

  /** Has a delivery wait, unless that would make it too old or it has no delay: then it is given up, and the log says so. */
  async #laterOrNever(
    delivery: ClaimedDelivery,
    {
      delayMs,
      reason,
      ...attempt
    }: Omit<Postponed, "delayMs"> & { delayMs: number | undefined; reason: string },
  ): Promise<void> {
    const { knex, clock, log } = this.#parts;
    const ageMs = clock.nowMs() - Date.parse(delivery.createdAt);
    if (delayMs !== undefined && ageMs + delayMs <= GIVE_UP_MS)
      return this.#later(delivery, { delayMs, ...attempt });
    const { subscriberId, attempts } = delivery;
    log.warn({ subscriberId, attempts, reason }, "an update of a status page could not be delivered");
    return finishDelivery(knex, delivery, clock.nowMs());
  }

  #later(
    delivery: ClaimedDelivery,
    { delayMs, wasTried, timeouts = delivery.timeouts }: Postponed,
  ): Promise<void> {
    const { knex, clock } = this.#parts;
    return postponeDelivery(knex, delivery, { dueAtMs: clock.nowMs() + delayMs, wasTried, timeouts });
  }

  async #send(delivery: ClaimedDelivery, signal: AbortSignal): Promise<void> {
    const { config, secrets, publicUrl, clock } = this.#parts;
    const { subscriberId, teamId, page, unconfirmedUntil, endpointSealed, linkKey } = delivery;
    const pageUrl = `${publicUrl()}/status/${page.slug}`;
    if (endpointSealed) {
      const endpoint = openEndpoint(secrets, subscriberId, endpointSealed);
      const request = webhookRequest(delivery, endpoint, { pageUrl, nowMs: clock.nowMs() });
      const egress = this.#egressOf(teamId);
      if (request) await sendRequest({ egress, signal, nowMs: () => clock.nowMs() }, request);
      return;
    }
    if (!linkKey) throw new Error("a subscriber by mail has no key of its links");
    const linked = { id: subscriberId, linkKey };
    const { smtpUrl = "", smtpFrom = "" } = config;
    const [path, token] =
      unconfirmedUntil === null
        ? [UNSUBSCRIBE_PATH, unsubscribeTokenOf(linked)]
        : [CONFIRM_PATH, confirmTokenOf(linked, Date.parse(unconfirmedUntil))];
    const subscription = `${publicUrl()}${path}?${new URLSearchParams({ token })}`;
    await sendEmail(mailOf(delivery, { page: pageUrl, subscription }), {
      settings: { smtpUrl, smtpFrom, publicUrl },
      signal,
    });
  }
}

/** True while the page still tells its subscribers so, and the subscription is what it was. */
function isWanted(
  { page, address, announcement, unconfirmedUntil }: ClaimedDelivery,
  nowMs: number,
): boolean {
  if (!page.isPublished || (address !== null && !page.hasMailSubscriptions)) return false;
  if (announcement) return unconfirmedUntil === null;
  return unconfirmedUntil !== null && Date.parse(unconfirmedUntil) > nowMs;
}

/** Judges a failure. Its reason names no address: the log is not where subscribers are listed. */
function judged(error: unknown): { mayRetry: boolean; retryAfterMs?: number | undefined; reason: string } {
  if (error instanceof SendError) {
    const { mayRetry, retryAfterMs, httpStatus } = error;
    return {
      mayRetry,
      retryAfterMs,
      reason: httpStatus === null ? "the other side refused" : `HTTP ${httpStatus}`,
    };
  }
  if (error instanceof EgressDenied) return { mayRetry: false, reason: "the address may not be reached" };
  return { mayRetry: true, reason: error instanceof Error ? error.name : "unknown" };
}
