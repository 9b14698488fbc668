/**
 * Sends what is on its way to subscribers: by teams in turns, few at a time, apart from the notifications of alerts, so that a page
 * with many subscribers delays nobody's alert. No transaction is open during network waits.
 */
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
import { type ClaimedDelivery, claimDeliveries, finishDelivery, postponeDelivery } from "./delivery-store.ts";
import { mailOf } from "./mail-text.ts";
import { webhookRequest } from "./webhook-request.ts";

/** Age of a delivery at which it is given up. */
export const GIVE_UP_MS = 6 * HOUR_MS;
/** Deliveries of one team in a claim, and in all: they are done within the lease even when each takes its whole time. */
const PER_TEAM = 8;
const CLAIMED_MAX = 64;
/** Deliveries of a type that this process sends at a time. */
const AT_ONCE = 8;
const ATTEMPT_TIMEOUT_MS = 10 * SECOND_MS;
const LEASE_MS = 3 * MINUTE_MS;
const DELAYS = { firstMs: 30 * SECOND_MS, largestMs: 30 * MINUTE_MS, jitter: 0.2 };
/** Time after which a team that has sent the mails of its hour is looked at again. */
const OVER_BUDGET_MS = MINUTE_MS;

type Parts = Pick<Services, "knex" | "clock" | "log" | "config" | "secrets" | "publicUrl" | "random">;

/** Sends deliveries. One for each process. */
export class StatusSender {
  readonly #parts: Parts;
  readonly #egressOf: TeamEgress;
  readonly #budget: TokenBuckets;

  constructor(parts: Parts, egressOf: TeamEgress) {
    const perHour = parts.config.caps.statusMailsPerHour;
    this.#parts = parts;
    this.#egressOf = egressOf;
    this.#budget = new TokenBuckets({ burst: perHour, perSecond: (perHour * SECOND_MS) / HOUR_MS });
  }

  /**
   * Makes an attempt at some of the due deliveries of a type, and records how each went.
   * @param signal aborted: begin no further attempt
   * @returns true when there were any, so that more may wait
   */
  async deliverDue(type: StatusSubscriberType, signal: AbortSignal): Promise<boolean> {
    const { knex, clock, config } = this.#parts;
    if (type === "email" && !config.smtpUrl) return false;
    const nowMs = clock.nowMs();
    const claimed = await claimDeliveries(knex, {
      type,
      nowMs,
      leaseUntilMs: nowMs + LEASE_MS,
      perTeam: PER_TEAM,
      rowsMax: CLAIMED_MAX,
    });
    const atOnce = pLimit(AT_ONCE);
    await Promise.all(claimed.map((delivery) => atOnce(() => this.#deliver(delivery, signal))));
    return claimed.length > 0;
  }

  async #deliver(delivery: ClaimedDelivery, signal: AbortSignal): Promise<void> {
    const { knex, clock, log, random } = this.#parts;
    const later = (delayMs: number, wasTried: boolean) =>
      postponeDelivery(knex, delivery, { dueAtMs: clock.nowMs() + delayMs, wasTried });
    if (!isWanted(delivery, clock.nowMs())) return finishDelivery(knex, delivery);
    if (signal.aborted) return later(0, false);
    if (delivery.address !== null && !this.#budget.trySpend(delivery.teamId))
      return later(OVER_BUDGET_MS, false);
    try {
      await this.#send(delivery);
    } catch (error) {
      const { mayRetry, retryAfterMs = 0, reason } = judged(error);
      const delayMs = Math.max(backoffMs(delivery.attempts, DELAYS, random()), retryAfterMs);
      const ageMs = clock.nowMs() - Date.parse(delivery.createdAt);
      if (mayRetry && ageMs + delayMs <= GIVE_UP_MS) return later(Math.round(delayMs), true);
      const { subscriberId, attempts } = delivery;
      log.warn({ subscriberId, attempts, reason }, "an update of a status page could not be delivered");
    }
    return finishDelivery(knex, delivery);
  }

  async #send(delivery: ClaimedDelivery): Promise<void> {
    const { config, secrets, publicUrl, clock } = this.#parts;
    const { subscriberId, teamId, page, unconfirmedUntil, endpointSealed, linkKey } = delivery;
    const signal = AbortSignal.timeout(ATTEMPT_TIMEOUT_MS);
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
