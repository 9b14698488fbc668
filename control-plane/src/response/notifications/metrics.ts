/** What the outbox counts, for /metrics. */
import { Gauge, Histogram, type Registry } from "prom-client";

export interface NotificationMetrics {
  /** From the notification's writing to the attempt that delivered it. */
  handoverSeconds: Histogram<"channel_type">;
  attemptSeconds: Histogram<"channel_type" | "status">;
}

/**
 * The metrics of this registry; asked again, the same ones.
 * @param countPending read from the database when the metrics are
 */
export function notificationMetrics(
  registry: Registry,
  countPending: () => Promise<number>,
): NotificationMetrics {
  const known = <T>(name: string, make: () => T) =>
    (registry.getSingleMetric(name) as T | undefined) ?? make();
  known(
    "svc_notifications_pending",
    () =>
      new Gauge({
        name: "svc_notifications_pending",
        help: "Notifications of all replicas that wait to be sent or to be tried again.",
        registers: [registry],
        async collect() {
          // A database that is away must not take the other figures with it.
          this.set(await countPending().catch(() => Number.NaN));
        },
      }),
  );
  return {
    handoverSeconds: known(
      "svc_notification_handover_seconds",
      () =>
        new Histogram({
          name: "svc_notification_handover_seconds",
          help: "From the commit of what a notification tells of to its acceptance by the channel.",
          labelNames: ["channel_type"],
          buckets: [0.02, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 15, 60, 300, 3600],
          registers: [registry],
        }),
    ),
    attemptSeconds: known(
      "svc_notification_attempt_seconds",
      () =>
        new Histogram({
          name: "svc_notification_attempt_seconds",
          help: "Attempts to hand a notification over, by channel type and outcome.",
          labelNames: ["channel_type", "status"],
          buckets: [0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10],
          registers: [registry],
        }),
    ),
  };
}
