/** One attempt to hand a notification over: send, judge, record. No transaction is open while the network is waited for. */
import { channelConfigSchema } from "@svc/contract";
import { createEgress, type Egress, EgressDenied, type EgressOptions, GuardedFetchError } from "@svc/egress";
import type { Knex } from "knex";
import type { Logger } from "pino";
import { sendByType } from "../channels/registry.ts";
import { SendError, type SenderSettings, type SendReport } from "../channels/sender.ts";
import type { Config } from "../config.ts";
import type { SecretBox } from "../db/secret-box.ts";
import { metrics } from "../metrics/registry.ts";
import type { Services } from "../services.ts";
import { type NotificationMetrics, notificationMetrics } from "./metrics.ts";
import type { Notification } from "./payload.ts";
import { nextAttemptDelayMs } from "./retry.ts";
import { type Attempt, type ClaimedNotification, countPending, recordAttempt } from "./store.ts";

/** Longest that an attempt may take, ms. */
export const ATTEMPT_TIMEOUT_MS = 10_000;

/** A notification that was handed over, once, however many attempts it took. */
export interface Delivered {
  instanceId: string;
  kind: Notification["kind"];
  channelId: string;
  channelName: string;
  channelType: string;
}

/** Told of it in the transaction that records it. Tests are not told. @param atMs Unix ms */
export type OnDelivered = (trx: Knex, delivered: Delivered, atMs: number) => Promise<void>;

/** What an attempt needs; made once per process. */
export interface DeliveryTools {
  knex: Knex;
  log: Logger;
  secrets: SecretBox;
  /** This process. */
  owner: string;
  egress: Egress;
  operatorEgress: Egress;
  settings: SenderSettings;
  nowMs: () => number;
  random: () => number;
  metrics: NotificationMetrics;
  onDelivered: OnDelivered;
  attemptTimeoutMs: number;
}

export interface DeliveryOptions {
  onDelivered?: OnDelivered;
  /** Another resolver or dialler than the system's. */
  way?: Pick<EgressOptions, "resolve" | "connect">;
  attemptTimeoutMs?: number;
  owner?: string;
  random?: () => number;
}

export function createDeliveryTools(services: Services, options: DeliveryOptions = {}): DeliveryTools {
  const { knex, log, secrets, config, clock, replicaId } = services;
  const { way = {}, owner = replicaId, attemptTimeoutMs = ATTEMPT_TIMEOUT_MS } = options;
  return {
    ...{ knex, log, secrets, owner, attemptTimeoutMs },
    egress: createEgress({
      ...way,
      allowPrivate: config.SVC_EGRESS_PRIVATE === "allow",
      remedy: "the operator can set SVC_EGRESS_PRIVATE=allow on the control plane to notify it",
    }),
    operatorEgress: createEgress({ ...way, allowPrivate: true }),
    // Read when it is used: the public URL is known once the server listens.
    get settings() {
      return settingsOf(config);
    },
    nowMs: () => clock.nowMs(),
    random: options.random ?? Math.random,
    metrics: notificationMetrics(metrics, () => countPending(knex)),
    onDelivered: options.onDelivered ?? (async () => undefined),
  };
}

function settingsOf(config: Config): SenderSettings {
  return {
    smtpUrl: config.SVC_SMTP_URL,
    smtpFrom: config.SVC_SMTP_FROM,
    pagingBaseUrl: config.SVC_PAGING_BASE_URL,
    publicUrl: config.publicUrl,
  };
}

/**
 * Makes one attempt and records it.
 * @param signal ends the attempt early: then nothing is recorded and it rejects
 * @returns the delivery's id   @throws the database's error, or the signal's reason
 */
export async function deliver(
  tools: DeliveryTools,
  claimed: ClaimedNotification,
  signal: AbortSignal,
): Promise<string> {
  const startedAtMs = performance.now();
  const outcome = await attempt(tools, claimed, signal);
  const durationMs = Math.round(performance.now() - startedAtMs);
  const made: Attempt = { ...outcome, durationMs };
  const { channelType, ageMs } = claimed;
  tools.metrics.attemptSeconds.observe({ channel_type: channelType, status: made.status }, durationMs / 1000);
  const recorded = await tools.knex.transaction(async (trx) => {
    const result = await recordAttempt(trx, claimed, tools.owner, made);
    if (result.isFirstSuccess && !claimed.isTest)
      await tools.onDelivered(trx, deliveredOf(claimed), tools.nowMs());
    return result;
  });
  if (recorded.isFirstSuccess)
    tools.metrics.handoverSeconds.observe({ channel_type: channelType }, (ageMs + durationMs) / 1000);
  return recorded.deliveryId;
}

async function attempt(
  tools: DeliveryTools,
  claimed: ClaimedNotification,
  signal: AbortSignal,
): Promise<Omit<Attempt, "durationMs">> {
  const limit = AbortSignal.timeout(tools.attemptTimeoutMs);
  try {
    const report = await send(tools, claimed, AbortSignal.any([signal, limit]));
    return {
      status: "delivered",
      httpStatus: report.httpStatus,
      error: report.note ?? null,
      nextDelayMs: null,
      externalId: report.externalId,
    };
  } catch (error) {
    if (signal.aborted) throw error;
    const failure = limit.aborted ? timeoutError(tools.attemptTimeoutMs) : asSendError(tools, claimed, error);
    const delayMs =
      failure.mayRetry && claimed.isRetried
        ? nextAttemptDelayMs(claimed.attempt, tools.random(), claimed.ageMs, failure.retryAfterMs)
        : undefined;
    return {
      status: "failed",
      httpStatus: failure.httpStatus,
      error: failure.message,
      nextDelayMs: delayMs ?? null,
      externalId: undefined,
    };
  }
}

function send(
  { secrets, egress, operatorEgress, settings }: DeliveryTools,
  claimed: ClaimedNotification,
  signal: AbortSignal,
): Promise<SendReport> {
  const config = channelConfigSchema.parse(JSON.parse(secrets.open(claimed.channelConfig)));
  const externalId = claimed.externalId ?? undefined;
  return sendByType(config, notificationOf(claimed, settings.publicUrl), {
    ...{ signal, egress, operatorEgress, settings, externalId },
  });
}

function notificationOf(claimed: ClaimedNotification, publicUrl: string): Notification {
  const { id, kind, subjectId, teamId, payload, isTest } = claimed;
  return {
    ...{ id, kind, teamId, payload, isTest },
    instanceId: subjectId,
    links: {
      instance: `${publicUrl}/alerts/${subjectId}`,
      check: `${publicUrl}/checks/${payload.check.id}`,
    },
  };
}

function deliveredOf({
  subjectId,
  kind,
  channelId,
  channelName,
  channelType,
}: ClaimedNotification): Delivered {
  return { instanceId: subjectId, kind, channelId, channelName, channelType };
}

function timeoutError(timeoutMs: number): SendError {
  return new SendError(`no answer within ${timeoutMs / 1000} s`, { mayRetry: true });
}

/** What the policy refuses stays refused; what the network did may be gone later; what we broke is ours to log. */
function asSendError(tools: DeliveryTools, claimed: ClaimedNotification, error: unknown): SendError {
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
