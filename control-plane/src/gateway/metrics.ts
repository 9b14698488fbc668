/** The fleet's metrics, for /metrics. */
import { Counter, Gauge, type Registry } from "prom-client";

export interface FleetMetrics {
  streams: Gauge;
  assignments: Gauge;
  unowned: Gauge;
  givenBack: Counter;
}

/** Returns the fleet's metrics in the registry; registers them at the first call. */
export function fleetMetrics(registry: Registry): FleetMetrics {
  const known = <T>(name: string, make: () => T) =>
    (registry.getSingleMetric(name) as T | undefined) ?? make();
  const gauge = (name: string, help: string) =>
    known(name, () => new Gauge({ name, help, registers: [registry] }));
  return {
    streams: gauge("svc_fleet_streams", "Live sessions of runner agents at this replica."),
    assignments: gauge("svc_fleet_assignments", "Checks at locations held by this replica's agents."),
    unowned: gauge("svc_fleet_unassigned", "Enabled checks at locations that no live runner can run."),
    givenBack: known(
      "svc_fleet_given_back_total",
      () =>
        new Counter({
          name: "svc_fleet_given_back_total",
          help: "Slots that runners gave back.",
          registers: [registry],
        }),
    ),
  };
}
