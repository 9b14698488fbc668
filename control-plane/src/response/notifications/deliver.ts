/** Makes one attempt to deliver a notification: sends, judges, records. No transaction is open during network waits. */

import { type DeliveryId, firstCharacters, withoutLineBreaks } from "@svc/contract";
import { EgressDenied, GuardedFetchError } from "@svc/egress";
import { SendError } from "../../outbox/channels/sender.ts";
import { beginFairLimit } from "../../platform/fair-time.ts";
import type { ClaimedNotification } from "./claimed-notification.ts";
import type { DeliveryAttempt } from "./delivery-store.ts";
import type { AttemptTools } from "./delivery-tools.ts";
import { DEDUPE_MS } from "./queue-store.ts";
import { nextAttemptDelayMs } from "./retry.ts";

/** Most characters of an error that are stored. */
const ERROR_MAX = 1_000;

/**
 * Makes one attempt and records it.
 * @returns the delivery's id
 * @throws the database's error
 */
export async function deliver(tools: AttemptTools, claimed: ClaimedNotification): Promise<DeliveryId> {
  const attempt = await makeAttempt(tools, claimed, new AbortController().signal);
  return recordAttempt(tools, claimed, attempt);
}

/**
 * Makes one attempt. Touches no database.
 * @param signal ends the attempt early: then the promise rejects with the signal's reason
 */
export async function makeAttempt(
  tools: AttemptTools,
  claimed: ClaimedNotification,
  signal: AbortSignal,
): Promise<DeliveryAttempt> {
  const startedAtMs = tools.timing.monotonicMs();
  const outcome = await outcomeOf(tools, claimed, signal);
  const durationMs = Math.round(tools.timing.monotonicMs() - startedAtMs);
  const labels = { channel_type: claimed.channelType, status: outcome.status };
  tools.metrics.attemptSeconds.observe(labels, durationMs / 1000);
  const error =
    outcome.error === null
      ? null
      : firstCharacters(withoutLineBreaks(outcome.error).toWellFormed(), ERROR_MAX);
  return { ...outcome, error, durationMs };
}

/**
 * Records an attempt and its consequences.
 * @returns the delivery's id
 * @throws the database's error
 */
export async function recordAttempt(
  tools: AttemptTools,
  claimed: ClaimedNotification,
  attempt: DeliveryAttempt,
): Promise<DeliveryId> {
  const { deliveryId, isFirstSuccess } = await tools.recorder.record({ claimed, attempt });
  if (isFirstSuccess)
    tools.metrics.handoverSeconds.observe(
      { channel_type: claimed.channelType },
      (claimed.ageMs + attempt.durationMs) / 1000,
    );
  return deliveryId;
}

async function outcomeOf(
  tools: AttemptTools,
  claimed: ClaimedNotification,
  signal: AbortSignal,
): Promise<Omit<DeliveryAttempt, "durationMs">> {
  if (claimed.isDuplicate)
    return {
      status: "skipped_dedupe",
      httpStatus: null,
      error: `the channel was notified of this event less than ${DEDUPE_MS / 1000} s ago; not sent again`,
      nextDelayMs: null,
      heldUntil: null,
      externalId: undefined,
    };
  const cutting = new AbortController();
  const { attemptTimeoutMs: limitMs, lostMs, timing } = tools;
  const limit = beginFairLimit({ limitMs, lostMs, timing, onEnd: () => cutting.abort() });
  try {
    const report = await tools.send(claimed, AbortSignal.any([signal, cutting.signal]));
    return {
      status: "delivered",
      httpStatus: report.httpStatus,
      error: report.note ?? null,
      nextDelayMs: report.unreached
        ? nextDelayMs(tools, claimed, { mayRetry: true, retryAfterMs: undefined, wasOurs: false })
        : null,
      heldUntil: null,
      externalId: report.externalId,
      unreached: report.unreached,
    };
  } catch (error) {
    if (signal.aborted) throw error;
    const wasCut = cutting.signal.aborted;
    const failure = wasCut ? timeoutError(limitMs) : asSendError(tools, claimed, error);
    const wasOurs = wasCut && limit.spentMs() < limitMs;
    return {
      status: "failed",
      httpStatus: failure.httpStatus,
      error: wasOurs ? `${failure.message}; this service was late itself` : failure.message,
      nextDelayMs: nextDelayMs(tools, claimed, {
        mayRetry: failure.mayRetry,
        retryAfterMs: failure.retryAfterMs,
        wasOurs,
      }),
      heldUntil: null,
      externalId: undefined,
    };
  } finally {
    limit.clear();
  }
}

/** Returns the delay before the next attempt, ms; null when none follows. */
function nextDelayMs(
  { random }: AttemptTools,
  { kind, isRetried, attempt, ageMs }: ClaimedNotification,
  {
    mayRetry,
    retryAfterMs,
    wasOurs,
  }: { mayRetry: boolean; retryAfterMs: number | undefined; wasOurs: boolean },
): number | null {
  if (!mayRetry || !isRetried) return null;
  return nextAttemptDelayMs({ kind, attempt, random: random(), ageMs, retryAfterMs, wasOurs }) ?? null;
}

function timeoutError(timeoutMs: number): SendError {
  return new SendError(`no answer within ${timeoutMs / 1000} s`, { mayRetry: true });
}

/**
 * Returns the failure as a SendError. A denial of the egress policy is final, a failure of the network may be over
 * later, and a fault of ours is logged.
 */
function asSendError(tools: AttemptTools, claimed: ClaimedNotification, error: unknown): SendError {
  if (error instanceof SendError) return error;
  if (error instanceof EgressDenied) return new SendError(error.message, { mayRetry: false, cause: error });
  if (error instanceof GuardedFetchError)
    return new SendError(error.message, { mayRetry: error.reason !== "invalid_url", cause: error });
  tools.log.error(
    { err: error, channelId: claimed.channelId },
    "a notification could not be made ready to send",
  );
  return new SendError("internal error; the service's log has the details", { mayRetry: true, cause: error });
}
