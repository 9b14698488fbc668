/** The live stream's metrics, for /metrics. */
import type { Counter, Gauge, Registry } from "prom-client";
import { metricsOf } from "../platform/metrics/metrics-of.ts";

/** Numbers of streams and hubs now, and counts of what was sent and ended. */
export interface LiveMetrics {
  streams: Gauge;
  hubs: Gauge;
  eventsSent: Counter;
  streamsEnded: Counter<"reason">;
}

/** Returns the live stream's metrics in the registry; registers them at the first call. */
export function liveMetrics(registry: Registry): LiveMetrics {
  const { gauge, counter } = metricsOf(registry);
  return {
    streams: gauge("svc_live_streams", "Open live streams of clients at this replica."),
    hubs: gauge("svc_live_hubs", "Teams whose records this replica follows because somebody watches."),
    eventsSent: counter("svc_live_events_total", "Events written to live streams, once for each stream."),
    streamsEnded: counter(
      "svc_live_streams_ended_total",
      "Live streams that ended, by reason: left, stopping, credential, or slow when the client did not keep up.",
      { labelNames: ["reason"] },
    ),
  };
}
