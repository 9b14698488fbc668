/** Metrics of the outbox. */
import { SECOND_MS } from "@svc/contract";
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

/**
 * Returns the metrics of this registry.
 * @param countPending called when the metrics are read, at most every 5 s
 */
export function notificationMetrics(
  registry: Registry,
  countPending: () => Promise<number>,
): NotificationMetrics {
  const metrics = metricsOf(registry);
  const pending = sharedAnswer(COUNT_HOLDS_MS, () => countPending().catch(() => Number.NaN));
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
