/** Tools that attempts need, made once per process. */
import type { AlertInstanceId, ChannelId, ChannelType } from "@svc/contract";
import { createEgress, type EgressOptions } from "@svc/egress";
import type { Knex } from "knex";
import type { Logger } from "pino";
import type { SendReport } from "../../outbox/channels/sender.ts";
import type { NotificationKind } from "../../outbox/payload.ts";
import { lostMs } from "../../platform/loop-watch.ts";
import { processMetrics } from "../../platform/metrics/registry.ts";
import type { Services } from "../../platform/services.ts";
import { createTeamEgress } from "../../platform/team-egress.ts";
import { systemTiming, type Timing } from "../../platform/timing.ts";
import { type ClaimedNotification, isAboutLocation, isAboutReport } from "./claimed-notification.ts";
import type { DeliveryAttempt } from "./delivery-store.ts";
import { HandBudgets } from "./hand-budgets.ts";
import { MailBudget } from "./mail-budget.ts";
import { NOTIFICATIONS_STUCK_MS, type NotificationMetrics, notificationMetrics } from "./metrics.ts";
import { type NotificationQueue, postgresNotificationQueue } from "./notification-queue.ts";
import { areNotificationsStuck, countPending } from "./queue-store.ts";
import { AttemptRecorder } from "./recorder.ts";
import { type SendingTools, sendClaimed } from "./send-claimed.ts";
import { withoutAttempt } from "./without-attempt.ts";

/** Time limit of an attempt, ms. */
const ATTEMPT_TIMEOUT_MS = 10_000;

/** An alert instance that a notification reached, reported once, however many attempts it took. */
export interface Delivered {
  instanceId: AlertInstanceId;
  kind: NotificationKind;
  channelId: ChannelId;
  channelName: string;
  channelType: ChannelType;
}

/**
 * Called in the recording transaction with first-time deliveries. Not called for test sends.
 * @param atMs Unix ms
 */
type OnDelivered = (trx: Knex, delivered: readonly Delivered[], atMs: number) => Promise<void>;

/** Everything that an attempt needs besides its notification. */
export interface AttemptTools {
  log: Logger;
  /** Id of this process. */
  owner: string;
  queue: NotificationQueue;
  /** Sends the notification once. Throws SendError, EgressDenied, GuardedFetchError, or the signal's reason. */
  send: (claimed: ClaimedNotification, signal: AbortSignal) => Promise<SendReport>;
  /** Returns what becomes of the notification without an attempt, by quiet hours; undefined when it is to be sent. */
  withoutAttempt: (claimed: ClaimedNotification) => DeliveryAttempt | undefined;
  random: () => number;
  metrics: NotificationMetrics;
  recorder: AttemptRecorder;
  /** Time limit of an attempt, ms, without the time that this process loses meanwhile. */
  attemptTimeoutMs: number;
  /** Returns the time that this process has lost so far, ms. */
  lostMs: () => number;
  timing: Timing;
}

/** The tools of attempts, those by hand included. */
export interface DeliveryTools extends AttemptTools {
  /** Counts deliveries by hand. */
  handBudgets: HandBudgets;
}

/** Replaceable parts of the tools; tests set them. */
export interface DeliveryOptions {
  onDelivered?: OnDelivered;
  /** Resolver and dialler that replace the system's. */
  way?: Pick<EgressOptions, "resolve" | "connect">;
  attemptTimeoutMs?: number;
  owner?: string;
  random?: () => number;
  lostMs?: () => number;
}

/** Makes the tools of a process. */
export function createDeliveryTools(services: Services, options: DeliveryOptions = {}): DeliveryTools {
  const { knex, log, secrets, config, clock, replicaId, publicUrl } = services;
  const { way = {}, owner = replicaId, attemptTimeoutMs = ATTEMPT_TIMEOUT_MS } = options;
  const sending: SendingTools = {
    log,
    secrets,
    egressOf: createTeamEgress({
      ...way,
      allowPrivate: config.egressPrivate === "allow",
      remedy: "the operator can set SVC_EGRESS_PRIVATE=allow on the control plane to notify it",
    }),
    operatorEgress: createEgress({ ...way, allowPrivate: true }),
    settings: {
      smtpUrl: config.smtpUrl,
      smtpFrom: config.smtpFrom,
      pagingBaseUrl: config.pagingBaseUrl,
      publicUrl,
    },
    nowMs: () => clock.nowMs(),
    mailBudget: new MailBudget(config.caps.mailsPerHour),
  };
  const queue = postgresNotificationQueue(knex, log, async (trx, finished) => {
    const delivered = finished.flatMap(({ claimed }) =>
      claimed.isTest || isAboutLocation(claimed) || isAboutReport(claimed) ? [] : deliveredOf(claimed),
    );
    if (delivered.length > 0) await options.onDelivered?.(trx, delivered, clock.nowMs());
  });
  return {
    log,
    owner,
    queue,
    send: (claimed, signal) => sendClaimed(sending, claimed, signal),
    withoutAttempt: (claimed) => withoutAttempt(claimed, sending),
    random: options.random ?? services.random,
    metrics: notificationMetrics(processMetrics, {
      countPending: () => countPending(knex),
      areStuck: () => areNotificationsStuck(knex, NOTIFICATIONS_STUCK_MS),
    }),
    recorder: new AttemptRecorder({ queue, owner, timing: systemTiming }),
    handBudgets: new HandBudgets(),
    attemptTimeoutMs,
    lostMs: options.lostMs ?? lostMs,
    timing: systemTiming,
  };
}

/** Returns the alert instances that a notification about alerts or an incident reached. */
function deliveredOf(claimed: ClaimedNotification): Delivered[] {
  const { subjectId, instanceIds, kind, channelId, channelName, channelType } = claimed;
  return (instanceIds ?? [subjectId as AlertInstanceId]).map((instanceId) => ({
    instanceId,
    kind,
    channelId,
    channelName,
    channelType,
  }));
}
