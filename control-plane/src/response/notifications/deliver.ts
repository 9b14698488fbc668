/** One attempt to hand a notification over: send, judge, record. No transaction is open while the network is waited for. */
import { channelConfigSchema, oneLine } from "@svc/contract";
import { createEgress, type Egress, EgressDenied, type EgressOptions, GuardedFetchError } from "@svc/egress";
import type { Knex } from "knex";
import type { Logger } from "pino";
import { type Renderable, sendByType } from "../../outbox/channels/registry.ts";
import { SendError, type SenderSettings, type SendReport } from "../../outbox/channels/sender.ts";
import type { IncidentNotificationKind, Notification } from "../../outbox/payload.ts";
import type { SecretBox } from "../../platform/db/secret-box.ts";
import { processMetrics } from "../../platform/metrics/registry.ts";
import type { Services } from "../../platform/services.ts";
import { triageUrlOf } from "../incidents/row.ts";
import { type NotificationMetrics, notificationMetrics } from "./metrics.ts";
import { AttemptRecorder } from "./recorder.ts";
import { nextAttemptDelayMs } from "./retry.ts";
import { type Attempt, type ClaimedNotification, countPending } from "./store.ts";

/** Longest that an attempt may take, ms. */
export const ATTEMPT_TIMEOUT_MS = 10_000;
/** Of an error this much is kept, characters. */
const ERROR_MAX = 1_000;

/** A notification that was handed over, once, however many attempts it took. */
export interface Delivered {
  instanceId: string;
  kind: Notification["kind"] | IncidentNotificationKind;
  channelId: string;
  channelName: string;
  channelType: string;
}

/** Told of them in the transaction that records them. Tests are not told. @param atMs Unix ms */
export type OnDelivered = (trx: Knex, delivered: readonly Delivered[], atMs: number) => Promise<void>;

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
  random: () => number;
  metrics: NotificationMetrics;
  recorder: AttemptRecorder;
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
      allowPrivate: config.egressPrivate === "allow",
      remedy: "the operator can set SVC_EGRESS_PRIVATE=allow on the control plane to notify it",
    }),
    operatorEgress: createEgress({ ...way, allowPrivate: true }),
    // Read when it is used: the public URL is known once the server listens.
    get settings() {
      return settingsOf(services);
    },
    random: options.random ?? Math.random,
    metrics: notificationMetrics(processMetrics, () => countPending(knex)),
    recorder: new AttemptRecorder({
      ...{ knex, owner },
      onFirstSuccess: async (trx, finished) => {
        const delivered = finished.flatMap(({ claimed }) => (claimed.isTest ? [] : deliveredOf(claimed)));
        if (delivered.length > 0) await options.onDelivered?.(trx, delivered, clock.nowMs());
      },
    }),
  };
}

function settingsOf({ config, publicUrl }: Services): SenderSettings {
  return {
    smtpUrl: config.smtpUrl,
    smtpFrom: config.smtpFrom,
    pagingBaseUrl: config.pagingBaseUrl,
    publicUrl: publicUrl(),
  };
}

/**
 * Makes one attempt and records it.
 * @returns the delivery's id   @throws the database's error
 */
export async function deliver(tools: DeliveryTools, claimed: ClaimedNotification): Promise<string> {
  const attempt = await makeAttempt(tools, claimed, new AbortController().signal);
  return recordAttempt(tools, claimed, attempt);
}

/**
 * Makes one attempt. Touches no database.
 * @param signal ends it early: then it rejects with the signal's reason
 */
export async function makeAttempt(
  tools: DeliveryTools,
  claimed: ClaimedNotification,
  signal: AbortSignal,
): Promise<Attempt> {
  const startedAtMs = performance.now();
  const outcome = await outcomeOf(tools, claimed, signal);
  const durationMs = Math.round(performance.now() - startedAtMs);
  const labels = { channel_type: claimed.channelType, status: outcome.status };
  tools.metrics.attemptSeconds.observe(labels, durationMs / 1000);
  const error = outcome.error === null ? null : oneLine(outcome.error).toWellFormed().slice(0, ERROR_MAX);
  return { ...outcome, error, durationMs };
}

/** Records it, with what follows from it. @returns the delivery's id   @throws the database's error */
export async function recordAttempt(
  tools: DeliveryTools,
  claimed: ClaimedNotification,
  attempt: Attempt,
): Promise<string> {
  const { deliveryId, isFirstSuccess } = await tools.recorder.record({ claimed, attempt });
  if (isFirstSuccess)
    tools.metrics.handoverSeconds.observe(
      { channel_type: claimed.channelType },
      (claimed.ageMs + attempt.durationMs) / 1000,
    );
  return deliveryId;
}

async function outcomeOf(
  tools: DeliveryTools,
  claimed: ClaimedNotification,
  signal: AbortSignal,
): Promise<Omit<Attempt, "durationMs">> {
  if (claimed.isDuplicate)
    return {
      ...{ status: "skipped_dedupe", httpStatus: null, nextDelayMs: null, externalId: undefined },
      error: "the channel was told of this event less than 30 s ago; not sent again",
    };
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
  { log, secrets, egress, operatorEgress, settings }: DeliveryTools,
  claimed: ClaimedNotification,
  signal: AbortSignal,
): Promise<SendReport> {
  const config = channelConfigSchema.parse(JSON.parse(secrets.open(claimed.channelConfig)));
  const externalId = claimed.externalId ?? undefined;
  return sendByType(config, renderableOf(claimed, settings.publicUrl), {
    ...{ signal, egress, operatorEgress, settings, externalId },
    warn: (message) => log.warn({ channelId: claimed.channelId, notificationId: claimed.id }, message),
  });
}

function renderableOf(claimed: ClaimedNotification, publicUrl: string): Renderable {
  const { id, subjectId, teamId, isTest, instanceIds } = claimed;
  const alert = (instanceId: string) => `${publicUrl}/alerts/${instanceId}`;
  const check = (checkId: string) => `${publicUrl}/checks/${checkId}`;
  if (isAboutIncident(claimed))
    return {
      about: "incident",
      notification: {
        ...{
          id,
          teamId,
          isTest,
          incidentId: subjectId,
          payload: claimed.payload,
          template: claimed.incidentTemplate,
        },
        links: { incident: triageUrlOf(publicUrl, subjectId), alert, check },
      },
    };
  const { kind, payload } = claimed as Extract<ClaimedNotification, { kind: Notification["kind"] }>;
  const instanceId = instanceIds?.[0] ?? subjectId;
  return {
    about: "alert",
    notification: {
      ...{ id, kind, teamId, payload, isTest, instanceId },
      ...(instanceId === subjectId ? {} : { incidentId: subjectId }),
      links: { instance: alert(instanceId), check: check(payload.check.id) },
    },
  };
}

function isAboutIncident(
  claimed: ClaimedNotification,
): claimed is Extract<ClaimedNotification, { kind: IncidentNotificationKind }> {
  return claimed.kind.startsWith("incident.");
}

function deliveredOf(claimed: ClaimedNotification): Delivered[] {
  const { subjectId, instanceIds, kind, channelId, channelName, channelType } = claimed;
  return (instanceIds ?? [subjectId]).map((instanceId) => ({
    ...{ instanceId, kind, channelId, channelName, channelType },
  }));
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
