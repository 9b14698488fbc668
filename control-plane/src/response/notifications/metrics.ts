/** Metrics of the outbox. */
import { MINUTE_MS, SECOND_MS } from "@svc/contract";
import type { Histogram, Registry } from "prom-client";
import { metricsOf } from "../../platform/metrics/metrics-of.ts";
import { sharedAnswer } from "../../platform/shared-answer.ts";

/** Metrics of the outbox by channel type; durations in seconds. */
export interface NotificationMetrics {
  /** Time from the writing of a notification to the attempt that delivered it. */
  handoverSeconds: Histogram<"channel_type">;
  attemptSeconds: Histogram<"channel_type" | "status">;
}

/** Time for which a count of pending notifications holds: anybody may read the metrics, without being counted. */
const COUNT_HOLDS_MS = 5 * SECOND_MS;

/** Time for which a notification may be due while none is sent, ms: an attempt takes at most half a minute. */
export const NOTIFICATIONS_STUCK_MS = 5 * MINUTE_MS;

/** Readings of the queue; called when the metrics are read, at most every 5 s. */
export interface QueueReadings {
  countPending: () => Promise<number>;
  /** True when notifications have been due for {@link NOTIFICATIONS_STUCK_MS} and none was sent. */
  areStuck: () => Promise<boolean>;
}

/** Returns the metrics of this registry. */
export function notificationMetrics(
  registry: Registry,
  { countPending, areStuck }: QueueReadings,
): NotificationMetrics {
  const metrics = metricsOf(registry);
  const pending = sharedAnswer(COUNT_HOLDS_MS, () => countPending().catch(() => Number.NaN));
  const stuck = sharedAnswer(COUNT_HOLDS_MS, () => areStuck().then(Number, () => Number.NaN));
  metrics.gauge(
    "svc_notifications_stuck",
    "1 when notifications of all replicas have been due for 5 minutes and none was sent or tried meanwhile.",
    { collect: async (gauge) => gauge.set(await stuck()) },
  );
  metrics.gauge(
    "svc_notifications_pending",
    "Notifications of all replicas that wait to be sent or to be tried again.",
    {
      // A database that is away must not take the other figures with it.
      collect: async (gauge) => gauge.set(await pending()),
    },
  );
  return {
    handoverSeconds: metrics.histogram(
      "svc_notification_handover_seconds",
      "From the commit of what a notification tells of to its acceptance by the channel.",
      {
        labelNames: ["channel_type"],
        buckets: [0.02, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 15, 60, 300, 3600],
      },
    ),
    attemptSeconds: metrics.histogram(
      "svc_notification_attempt_seconds",
      "Attempts to hand a notification over, by channel type and outcome.",
      {
        labelNames: ["channel_type", "status"],
        buckets: [0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10],
      },
    ),
  };
}
