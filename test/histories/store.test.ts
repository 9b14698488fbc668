/** The tables behind sessions, watch and ingest, in PostgreSQL and in the model of histories. */
import type { CheckId, RunnerKeyId } from "@svc/contract";
import { expect } from "vitest";
import { deleteCheckRow, insertDispatch } from "../../control-plane/src/checks/store.ts";
import { postgresGatewayStore } from "../../control-plane/src/gateway/gateway-store.ts";
import { readCircumstances } from "../../control-plane/src/results/coverage/circumstances-store.ts";
import { postgresIngestStore } from "../../control-plane/src/results/ingest/ingest-store.ts";
import { createTestDatabase } from "../../control-plane/test-support/database.ts";
import { aCheck, aTeam, testServices } from "../../control-plane/test-support/fleet.ts";
import { aTables } from "./a-tables.ts";
import { Database } from "./database.ts";
import { drive } from "./drive.ts";
import { modelGatewayStore } from "./gateway-model.ts";
import { modelIngestStore } from "./ingest-model.ts";
import { Random } from "./random.ts";
import { Scheduler } from "./scheduler.ts";
import { SimulatedProcess } from "./simulated-process.ts";
import { describeStore } from "./store.contract.ts";
import { circumstancesIn, slotName } from "./tables.ts";

/** Time for which the model's open transaction stays open, ms. */
const OPEN_MS = 5_000;

describeStore("a history", async () => {
  const scheduler = new Scheduler(new Random(1));
  const database = new Database(scheduler, new Random(2));
  const { tables, check, locationKey } = aTables();
  const { key: checkKey, id: checkId } = check;
  const process = new SimulatedProcess(scheduler, "replica");
  const settle = <T>(work: Promise<T>) => drive(scheduler, work);
  return {
    gateway: modelGatewayStore(database, tables, process),
    ingest: modelIngestStore({ database, tables, process }),
    checkKey,
    checkId,
    locationKey,
    runnerKeyId: "rk_1" as RunnerKeyId,
    nowMs: () => database.nowMs,
    settle,
    beginChange: async () => {
      const writing = database.write(
        process,
        (xid) => {
          Object.assign(tables.checks.get(checkKey) ?? {}, { changedXid: xid });
        },
        { durationMs: OPEN_MS },
      );
      await scheduler.runUntil(scheduler.nowMs + 100);
      return () => settle(writing);
    },
    triggerRun: (slotMs) =>
      settle(
        database.write(process, (changedXid) => {
          tables.manualRuns.push({ checkKey, slotMs, locationKeys: [locationKey], changedXid });
        }),
      ),
    addCheck: async () => {
      const key = Math.max(...tables.checks.keys()) + 1;
      await settle(
        database.write(process, (changedXid) => {
          const revisions = structuredClone(check.revisions);
          tables.checks.set(key, { ...check, key, id: `chk_${key}` as CheckId, revisions, changedXid });
        }),
      );
      return key;
    },
    deleteCheck: (key) =>
      settle(
        database.write(process, (changedXid) => {
          tables.checks.delete(key);
          tables.checkDeletions.push({ checkKey: key, changedXid });
        }),
      ),
    missedReason: async (slotMs) => tables.missedSlots.get(slotName({ checkKey, locationKey, slotMs })),
    circumstances: async () => structuredClone(circumstancesIn(tables, locationKey)),
    close: async () => undefined,
  };
});

describeStore("PostgreSQL", async () => {
  const { knex, drop } = await createTestDatabase();
  const team = await aTeam(knex);
  const check = await aCheck(knex, team, { frequencySeconds: 10 });
  const { locationKey } = team;
  return {
    gateway: postgresGatewayStore(testServices(knex)),
    ingest: postgresIngestStore(knex),
    checkKey: check.key,
    checkId: check.id,
    locationKey,
    runnerKeyId: team.runnerKeyId as RunnerKeyId,
    nowMs: () => Date.now(),
    settle: (work) => work,
    beginChange: async () => {
      const trx = await knex.transaction();
      await trx("checks")
        .where({ key: check.key })
        .update({ changedXid: knex.raw("pg_current_xact_id()") });
      return async () => {
        await trx.commit();
      };
    },
    triggerRun: async (slotMs) => {
      const isNew = await insertDispatch(knex, {
        checkKey: check.key,
        slotMs,
        locationKeys: [locationKey],
        reason: "triggered",
        avoidRunnerKeys: [],
        traceparent: null,
      });
      expect(isNew).toBe(true);
    },
    addCheck: async () => (await aCheck(knex, team, { frequencySeconds: 10 })).key,
    deleteCheck: (key) => knex.transaction((trx) => deleteCheckRow(trx, key)),
    missedReason: async (slotMs) => {
      const row = await knex("missedSlots")
        .where({ checkKey: check.key, locationKey, slotMs })
        .first("reason");
      return row?.reason;
    },
    circumstances: () => readCircumstances(knex, [locationKey], { fromMs: 0, toMs: Date.now() + 1 }),
    close: drop,
  };
});
