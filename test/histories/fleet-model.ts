/** The model of the fleet's tables as the watch of a replica reads them. */

import { HOUR_MS } from "@svc/contract";
import type { FleetSource } from "../../control-plane/src/fleet/fleet-source.ts";
import type { CheckRow, RunnerRow } from "../../control-plane/src/fleet/fleet-store.ts";
import { type Database, FLEET_WAKE_UPS } from "./database.ts";
import type { SimulatedProcess } from "./simulated-process.ts";
import type { CheckRecord, RunnerRecord, Tables } from "./tables.ts";

/** Returns the fleet's tables for one replica. */
export function modelFleetSource(database: Database, tables: Tables, process: SimulatedProcess): FleetSource {
  const read = <T>(query: () => T) => database.read(process, query);
  return {
    wakeUps: {
      channel: FLEET_WAKE_UPS,
      listen: ({ onWakeUp }) => database.listen(process, FLEET_WAKE_UPS, onWakeUp),
    },
    readHorizon: () => read(() => String(database.horizon)),
    readChecksPage: (afterKey, limit) =>
      read(() =>
        [...tables.checks.values()]
          .filter(({ key }) => key > afterKey)
          .sort((a, b) => a.key - b.key)
          .slice(0, limit)
          .map((check) => checkRowOf(tables, check)),
      ),
    readChangedChecks: (horizon) =>
      read(() =>
        [...tables.checks.values()]
          .filter(({ changedXid }) => changedXid >= Number(horizon))
          .map((check) => checkRowOf(tables, check)),
      ),
    readDeletedChecks: (horizon) =>
      read(() =>
        tables.checkDeletions
          .filter(({ changedXid }) => changedXid >= Number(horizon))
          .map(({ checkKey }) => checkKey),
      ),
    readDeletedTeams: () => read(() => []),
    readLocations: () =>
      read(() => [...tables.locations.values()].map((location) => ({ ...location, status: "active" }))),
    readRunners: () =>
      read(() =>
        tables.runners
          .filter(({ leaseUntilMs }) => leaseUntilMs > database.nowMs - HOUR_MS)
          .sort((a, b) => a.key - b.key)
          .map((runner) => runnerRowOf(runner, database.nowMs)),
      ),
    readDispatches: (horizon, slotFromMs) =>
      read(() =>
        tables.manualRuns
          .filter(({ changedXid, slotMs }) => changedXid >= Number(horizon) && slotMs >= slotFromMs)
          .map(({ checkKey, slotMs, locationKeys }) => ({
            checkKey,
            slotMs,
            locationKeys: [...locationKeys],
            reason: "triggered" as const,
            avoidRunnerKeys: [],
            traceparent: null,
          })),
      ),
    readGivenBack: (horizon) =>
      read(() =>
        [...tables.givenBack.values()]
          .filter(({ changedXid }) => changedXid >= Number(horizon))
          .map(({ checkKey, locationKey, slotMs, triedRunnerKeys, runUntilMs }) => ({
            checkKey,
            locationKey,
            slotMs,
            triedRunnerKeys: [...triedRunnerKeys],
            runUntilMs,
          })),
      ),
  };
}

function runnerRowOf(runner: RunnerRecord, nowMs: number): RunnerRow {
  const { key, id, sessionId, replicaId, capacityPerSecond, draining } = runner;
  const { connectedAtMs, leaseUntilMs, notAcceptingSinceMs } = runner;
  return {
    key,
    id,
    sessionId,
    replicaId,
    locationKeys: [...runner.locationKeys],
    capabilities: [...runner.capabilities],
    capacityPerSecond,
    draining,
    connectedAtMs,
    leaseUntilMs,
    isAlive: leaseUntilMs > nowMs,
    notAcceptingSinceMs,
  };
}

/** Returns a check's row. Of the revisions that share a grid the newest stands for all, as in the SQL. */
function checkRowOf({ locations }: Tables, check: CheckRecord): CheckRow {
  const grids = new Map<string, { revision: number } & CheckRow["revisions"][number]>();
  for (const { frequencySeconds, locationKeys, effectiveFromMs, revision } of check.revisions) {
    const name = `${frequencySeconds}:${locationKeys}`;
    const known = grids.get(name);
    grids.set(name, {
      frequencySeconds,
      locationKeys: [...locationKeys],
      revision: Math.max(revision, known?.revision ?? 0),
      effectiveFromMs: Math.max(effectiveFromMs, known?.effectiveFromMs ?? 0),
    });
  }
  return {
    key: check.key,
    id: check.id,
    teamId: check.teamId,
    type: "http",
    frequencySeconds: check.frequencySeconds,
    locationIds: check.locationKeys.flatMap((key) => locations.get(key)?.id ?? []),
    enabled: check.enabled && !check.paused,
    revision: check.revisions.length,
    usesVault: false,
    revisions: [...grids.values()]
      .sort((a, b) => a.revision - b.revision)
      .map(({ frequencySeconds, locationKeys, effectiveFromMs }) => ({
        frequencySeconds,
        locationKeys,
        effectiveFromMs,
      })),
  };
}
