/** Reads the health of all monitors, in few requests however many there are: for `status` and the full-screen view. */
import type { ApiClient, Check, CheckHealth } from "@svc/contract";

/** A monitor with its health. */
export interface MonitorStatus {
  id: string;
  name: string;
  type: Check["type"];
  status: "enabled" | "paused";
  frequencySeconds: number;
  health: CheckHealth["health"];
  failingLocations: string[];
  /** The newest results; the newest is the last. */
  recent: CheckHealth["results"];
}

/** Returns the monitors in the order of their list. */
export async function readStatus(api: ApiClient): Promise<MonitorStatus[]> {
  const [checks, healths] = await Promise.all([api.listCheckSummaries(), readHealths(api)]);
  return checks.map((check) => {
    // A check created between the two requests has no health yet.
    const { health = "unknown", failingLocations = [], results = [] } = healths.get(check.id) ?? {};
    const { id, name, type, enabled, frequencySeconds } = check;
    const status = enabled ? "enabled" : "paused";
    return { id, name, type, status, frequencySeconds, health, failingLocations, recent: results };
  });
}

async function readHealths(api: ApiClient): Promise<Map<string, CheckHealth>> {
  const healths = await api.listCheckHealth();
  return new Map(healths.map((health) => [health.checkId, health]));
}

/** True for an enabled monitor whose health is bad. A paused one is never unhealthy: nobody expects results of it. */
export function isUnhealthy({ status, health }: Pick<MonitorStatus, "status" | "health">): boolean {
  return status === "enabled" && health === "unhealthy";
}

/** Counts the monitors in each state. */
export function countsOf(monitors: readonly MonitorStatus[]) {
  const count = (matches: (monitor: MonitorStatus) => boolean) => monitors.filter(matches).length;
  const isOn = ({ status }: MonitorStatus) => status === "enabled";
  return {
    total: monitors.length,
    healthy: count((monitor) => isOn(monitor) && monitor.health === "healthy"),
    unhealthy: count(isUnhealthy),
    unknown: count((monitor) => isOn(monitor) && monitor.health === "unknown"),
    paused: count((monitor) => !isOn(monitor)),
  };
}
