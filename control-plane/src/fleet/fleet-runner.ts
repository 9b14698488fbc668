/** Runners as the fleet knows them. Pure. */
import type { RunnerId } from "@svc/contract";
import type { AssignableRunner } from "./assignment.ts";
import type { RunnerRow } from "./fleet-store.ts";

/** A runner that can be assigned checks, and the session that it is connected by. */
export type FleetRunner = AssignableRunner & {
  runnerId: RunnerId;
  replicaId: string;
  sessionId: string | null;
};

/** Returns the runner that a row describes. */
export function fleetRunnerFromRow(row: RunnerRow): FleetRunner {
  return {
    runnerKey: row.key,
    runnerId: row.id,
    replicaId: row.replicaId,
    sessionId: row.sessionId,
    locationKeys: row.locationKeys,
    capabilities: new Set(row.capabilities),
    capacityPerSecond: row.capacityPerSecond,
    isDraining: row.draining,
    connectedAtMs: row.connectedAtMs,
    leaseUntilMs: row.leaseUntilMs,
    notAcceptingSinceMs: row.notAcceptingSinceMs,
  };
}

/** Returns the runners by the key of each location that they serve. */
export function groupByLocation(runners: readonly FleetRunner[]): Map<number, FleetRunner[]> {
  const groups = new Map<number, FleetRunner[]>();
  for (const runner of runners)
    for (const locationKey of runner.locationKeys) {
      const group = groups.get(locationKey);
      if (group) group.push(runner);
      else groups.set(locationKey, [runner]);
    }
  return groups;
}

/**
 * Returns a text that changes exactly when the owner of some check at the location may change. Heartbeats that only renew
 * a lease leave it equal.
 * @param alive the location's runners whose lease holds
 * @param known the runners and the recently lost ones
 */
export function ownershipSignature(alive: readonly FleetRunner[], known: readonly FleetRunner[]): string {
  const parts = alive.map(runnerSignature);
  if (alive.some((runner) => runner.notAcceptingSinceMs !== null))
    parts.push(`known:${known.map((runner) => `${runner.runnerKey}@${runner.connectedAtMs}`)}`);
  return parts.join(" ");
}

/** Returns a text that changes exactly when the runner may be given other check locations than before. */
export function runnerSignature(runner: FleetRunner): string {
  const { runnerKey, capacityPerSecond, capabilities, isDraining, notAcceptingSinceMs } = runner;
  return `${runnerKey}/${capacityPerSecond}/${[...capabilities]}/${isDraining}/${notAcceptingSinceMs}`;
}
