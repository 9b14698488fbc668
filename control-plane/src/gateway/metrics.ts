/** The fleet's metrics, for /metrics. */
import type { Counter, Gauge, Registry } from "prom-client";
import { metricsOf } from "../platform/metrics/metrics-of.ts";

/** Numbers of streams, assignments and unowned check locations now, and counts of what ended or came back. */
export interface FleetMetrics {
  streams: Gauge;
  assignments: Gauge;
  unowned: Gauge;
  givenBack: Counter;
  connectionsEnded: Counter<"reason">;
}

/** Returns the fleet's metrics in the registry; registers them at the first call. */
export function fleetMetrics(registry: Registry): FleetMetrics {
  const { gauge, counter } = metricsOf(registry);
  return {
    streams: gauge("svc_fleet_streams", "Live sessions of runner agents at this replica."),
    assignments: gauge("svc_fleet_assignments", "Checks at locations held by this replica's agents."),
    unowned: gauge("svc_fleet_unassigned", "Enabled checks at locations that no live runner can run."),
    givenBack: counter("svc_fleet_given_back_total", "Slots that runners gave back."),
    connectionsEnded: counter(
      "svc_runner_connections_ended_total",
      "Connections to the runners' port that a limit refused or ended, by the limit.",
      { labelNames: ["reason"] },
    ),
  };
}
