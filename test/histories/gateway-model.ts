/** The model of the tables behind a replica's sessions and dispatches. Test runs are not simulated. */
import { create } from "@bufbuild/protobuf";
import { phaseMs, type RunnerId } from "@svc/contract";
import { type Check, CheckSchema } from "@svc/proto/svc/runner/v1/runner_pb";
import { GRACE_MS, LEASE_MS } from "../../control-plane/src/fleet/timing.ts";
import type { GatewayStore } from "../../control-plane/src/gateway/gateway-store.ts";
import { tooManySessions } from "../../control-plane/src/gateway/session-limits.ts";
import type { RunnerSession } from "../../control-plane/src/gateway/store.ts";
import { checkLocationId } from "../../control-plane/src/platform/check-location.ts";
import type { Database } from "./database.ts";
import { modelFleetSource } from "./fleet-model.ts";
import { findManualRunsIn } from "./ingest-model.ts";
import type { SimulatedProcess } from "./simulated-process.ts";
import { type CheckRecord, type RunnerRecord, slotName, type Tables } from "./tables.ts";

/** Added to the grace where done slots are read, as the product does. */
const DONE_MARGIN_MS = 5_000;

/** Returns the tables for one replica. */
export function modelGatewayStore(
  database: Database,
  tables: Tables,
  process: SimulatedProcess,
): GatewayStore {
  const read = <T>(query: () => T) => database.read(process, query);
  const always = { isWaking: () => true };
  return {
    fleet: modelFleetSource(database, tables, process),
    openRunnerSession: (session) =>
      database.write(process, () => openSession(tables, session, database.nowMs), always),
    renewLeases: (renewals) =>
      database
        .write(
          process,
          () => {
            let isWaking = false;
            for (const { sessionId, accepting, draining } of renewals) {
              const runner = tables.runners.find((one) => one.sessionId === sessionId);
              if (!runner) continue;
              isWaking ||= runner.accepting !== accepting || runner.draining !== draining;
              if (!runner.draining) extendPresence(tables, runner, database.nowMs);
              Object.assign(runner, {
                accepting,
                draining,
                leaseUntilMs: database.nowMs + LEASE_MS,
                notAcceptingSinceMs: accepting ? null : (runner.notAcceptingSinceMs ?? database.nowMs),
              });
            }
            return isWaking;
          },
          { isWaking: (isWaking) => isWaking },
        )
        .then(() => undefined),
    endLease: (sessionId, remainingMs) =>
      database
        .write(
          process,
          () => {
            const runner = tables.runners.find((one) => one.sessionId === sessionId);
            if (!runner) return;
            runner.leaseUntilMs = Math.min(runner.leaseUntilMs, database.nowMs + remainingMs);
            if (remainingMs === 0) runner.sessionId = null;
          },
          always,
        )
        .then(() => undefined),
    readLiveRunnerKeyIds: (ids) => read(() => new Set(ids)),
    loadCheckDocuments: (checkKeys) =>
      read(() => new Map([...checksOf(tables, checkKeys)].map(([key, check]) => [key, { check }]))),
    loadChecksFor: (checkKeys) => read(() => checksOf(tables, checkKeys)),
    loadDocumentBytes: (checkKeys) => read(() => new Map(checkKeys.map((key) => [key, 1_024]))),
    readRecentSlotsWithResults: (checkLocations, nowMs) =>
      read(() => {
        const found = new Map<string, number[]>();
        for (const row of tables.results.values()) {
          const asked = checkLocations.find(
            ({ checkKey, locationKey }) => checkKey === row.checkKey && locationKey === row.locationKey,
          );
          if (!asked || row.slotMs < nowMs - GRACE_MS - DONE_MARGIN_MS - asked.staggerMs) continue;
          const id = checkLocationId(row);
          found.set(id, [...(found.get(id) ?? []), row.slotMs]);
        }
        return found;
      }),
    findSlotsWithResults: (slots) =>
      read(() => new Set(slots.flatMap((slot, i) => (tables.results.has(slotName(slot)) ? [i] : [])))),
    findManualRuns: (slots) => read(() => findManualRunsIn(tables, slots)),
    insertGivenBack: (runnerKey, slots) =>
      database
        .write(
          process,
          (xid) => {
            for (const slot of slots) {
              const known = tables.givenBack.get(slotName(slot));
              const triedRunnerKeys = [...(known?.triedRunnerKeys ?? []), runnerKey];
              tables.givenBack.set(slotName(slot), {
                ...slot,
                runUntilMs: known?.runUntilMs ?? slot.runUntilMs,
                triedRunnerKeys,
                changedXid: xid,
              });
            }
          },
          always,
        )
        .then(() => undefined),
    insertOverrun: (slots) =>
      database.write(process, () => {
        for (const slot of slots) noteMissed(tables, slot, "previous_run");
      }),
    closeGivenBackSlots: (nowMs) =>
      database.write(process, () => {
        for (const [name, row] of tables.givenBack) {
          if (row.runUntilMs >= nowMs) continue;
          tables.givenBack.delete(name);
          noteMissed(tables, row, row.reason);
        }
      }),
    insertOutage: (replicaId, outage) =>
      database.write(process, () => void tables.outages.push({ replicaId, ...outage })),
    receiveTestRunReport: async () => undefined,
    sendTestRuns: async () => undefined,
  };
}

function noteMissed(
  { missedSlots, results }: Tables,
  slot: Parameters<typeof slotName>[0],
  reason: Parameters<Tables["missedSlots"]["set"]>[1],
): void {
  const name = slotName(slot);
  if (!results.has(name) && !missedSlots.has(name)) missedSlots.set(name, reason);
}

function openSession(tables: Tables, session: RunnerSession, nowMs: number) {
  const { runners } = tables;
  const others = runners.filter(
    (one) => one.leaseUntilMs > nowMs && one.sessionId !== null && one.runnerUuid !== session.runnerUuid,
  );
  if (others.length >= session.perKeyMax) throw tooManySessions(session.perKeyMax);
  let runner = runners.find(
    (one) => one.runnerUuid === session.runnerUuid && one.locationKey === session.locationKey,
  );
  const previousProcessUuid = runner?.processUuid ?? null;
  const { sessionId, processUuid, locationKeys, capabilities, capacityPerSecond, replicaId } = session;
  const changed = {
    processUuid,
    locationKeys,
    capabilities,
    capacityPerSecond,
    replicaId,
    sessionId,
    accepting: true,
    draining: false,
    notAcceptingSinceMs: null,
    connectedAtMs: nowMs,
    leaseUntilMs: nowMs + LEASE_MS,
  };
  if (runner) Object.assign(runner, changed);
  else {
    const key = runners.length + 1;
    const { runnerUuid, locationKey } = session;
    runner = { key, id: `rnr_${key}` as RunnerId, runnerUuid, locationKey, ...changed };
    runners.push(runner);
  }
  continuePresence(tables, runner, { isSameProcess: previousProcessUuid === processUuid, nowMs });
  return { key: runner.key, id: runner.id, previousProcessUuid };
}

function continuePresence(
  tables: Tables,
  runner: RunnerRecord,
  { isSameProcess, nowMs }: { isSameProcess: boolean; nowMs: number },
): void {
  for (const locationKey of runner.locationKeys) {
    const newest = newestPresence(tables, runner.key, locationKey);
    const isContinued =
      newest &&
      `${newest.capabilities}` === `${runner.capabilities}` &&
      (isSameProcess || newest.untilMs >= nowMs - LEASE_MS);
    if (isContinued) {
      const fromMs = Math.min(nowMs, newest.untilMs + LEASE_MS);
      const last = newest.breaks.at(-1);
      if (last && last[1] >= fromMs - GRACE_MS) last[1] = nowMs;
      else newest.breaks.push([fromMs, nowMs]);
      newest.untilMs = nowMs;
    } else {
      const { key: runnerKey, capabilities } = runner;
      const times = { fromMs: nowMs, untilMs: nowMs, breaks: [] };
      tables.presences.push({ runnerKey, locationKey, capabilities, ...times });
    }
  }
}

function extendPresence(tables: Tables, runner: RunnerRecord, nowMs: number): void {
  for (const locationKey of runner.locationKeys) {
    const newest = newestPresence(tables, runner.key, locationKey);
    if (newest) newest.untilMs = nowMs;
  }
}

function newestPresence({ presences }: Tables, runnerKey: number, locationKey: number) {
  return presences.findLast((one) => one.runnerKey === runnerKey && one.locationKey === locationKey);
}

function checksOf({ checks }: Tables, keys: readonly number[]): Map<number, Check> {
  return new Map(
    keys.flatMap((key) => {
      const check = checks.get(key);
      return check ? [[key, checkToProto(check)] as const] : [];
    }),
  );
}

function checkToProto({ key, id, name, frequencySeconds, revisions }: CheckRecord): Check {
  return create(CheckSchema, {
    checkKey: BigInt(key),
    checkId: id,
    name,
    type: "http",
    configJson: CONFIG_JSON,
    frequencySeconds,
    phaseMs: phaseMs(id, frequencySeconds),
    revision: BigInt(revisions.length),
    teamNumber: 1,
  });
}

const CONFIG_JSON = JSON.stringify({ url: "http://target.example/" });
