/** Decides when a failed attempt is repeated. Pure. */
import { backoffMs, DAY_MS, HOUR_MS, MINUTE_MS, SECOND_MS } from "@svc/contract";
import { type NotificationKind, REPORT_NOTIFICATION_KIND } from "../../outbox/payload.ts";

/** For how long, and how seldom, attempts at a notification are repeated. */
interface RetryTimes {
  /** Age of a notification from which on no attempt is made any more, ms. */
  spanMs: number;
  /** Largest delay before an attempt, ms. */
  largestDelayMs: number;
}

/** Of an alert nobody wants to hear hours later. */
export const RETRY_TIMES: RetryTimes = { spanMs: HOUR_MS, largestDelayMs: 10 * MINUTE_MS };
/** A report comes once a month and is as good a day later: it outlives a mail server that is away for a night or a day. */
export const REPORT_RETRY_TIMES: RetryTimes = { spanMs: 2 * DAY_MS, largestDelayMs: HOUR_MS };

const FIRST_DELAY_MS = 2 * SECOND_MS;
/** Share by which a delay varies in both directions, so that attempts that failed together are not repeated together. */
const JITTER = 0.2;

/** Most attempts that are repeated at once, because this process itself was late. */
const AT_ONCE_MAX = 3;

/** The attempts that failed so far, and the wish of the other side. */
export interface RetryInput {
  kind: NotificationKind;
  /** Number of attempts that were made, from 1. */
  attempt: number;
  /** Random number from [0, 1), for the jitter. */
  random: number;
  /** Time since the notification was written, ms. */
  ageMs: number;
  /** Delay that the other side asks for, ms. Default none. */
  retryAfterMs?: number | undefined;
  /** True when the attempt failed because this process was late, whatever the other side did. Default false. */
  wasOurs?: boolean;
}

/**
 * Returns the delay before the next attempt, ms: 2 s, doubled after each attempt up to 10 min, of reports to 1 h, with
 * jitter, and never less than the other side asks for. The first attempts that failed by a fault of this process are repeated at once.
 * Undefined when the next attempt would come too late.
 */
export function nextAttemptDelayMs({
  kind,
  attempt,
  random,
  ageMs,
  retryAfterMs = 0,
  wasOurs = false,
}: RetryInput): number | undefined {
  const { spanMs, largestDelayMs } = kind === REPORT_NOTIFICATION_KIND ? REPORT_RETRY_TIMES : RETRY_TIMES;
  const exponential = backoffMs(attempt, { firstMs: FIRST_DELAY_MS, largestMs: largestDelayMs });
  const isAtOnce = wasOurs && attempt <= AT_ONCE_MAX;
  const jittered = isAtOnce ? 0 : exponential * (1 - JITTER + 2 * JITTER * random);
  const delayMs = Math.round(Math.max(jittered, retryAfterMs));
  return ageMs + delayMs <= spanMs ? delayMs : undefined;
}
