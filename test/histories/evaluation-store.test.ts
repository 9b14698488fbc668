/** The tables of alerts, in PostgreSQL and in the model of histories. */
import { STATUS_CODES } from "@svc/contract";
import { postgresEvaluationStore } from "../../control-plane/src/alerting/evaluation/evaluation-store.ts";
import { emptyColumns } from "../../control-plane/src/results/ingest/columns.ts";
import type { ResultGroup } from "../../control-plane/src/results/ingest/write-group.ts";
import { createAlertTest } from "../../control-plane/test-support/alerting.ts";
import { aTables } from "./a-tables.ts";
import { Database } from "./database.ts";
import { drive } from "./drive.ts";
import { modelEvaluationStore } from "./evaluation-model.ts";
import { describeEvaluationStore } from "./evaluation-store.contract.ts";
import { modelIngestStore } from "./ingest-model.ts";
import { Random } from "./random.ts";
import { ruleOf } from "./rules.ts";
import { Scheduler } from "./scheduler.ts";
import { SimulatedProcess } from "./simulated-process.ts";

/** Time for which the model's open transaction stays open, ms. */
const OPEN_MS = 5_000;

describeEvaluationStore("a history", async () => {
  const scheduler = new Scheduler(new Random(1));
  const database = new Database(scheduler, new Random(2));
  const { tables, check, locationKey } = aTables();
  const process = new SimulatedProcess(scheduler, "replica");
  tables.rules.push({
    ...ruleOf({ check: check.key - 1, failures: 1, successes: 1, channels: [] }),
    key: 1,
    changedXid: 1,
  });
  const settle = <T>(work: Promise<T>) => drive(scheduler, work);
  return {
    checkKey: check.key,
    locationKey,
    ruleKey: 1,
    teamId: check.teamId,
    nowMs: () => database.nowMs,
    settle,
    store: async (slotsMs, work) => {
      const ingest = modelIngestStore({
        database,
        tables,
        process,
        consume: (stored) => work(modelEvaluationStore({ database, tables, stored })),
      });
      await ingest.writeGroup(failuresAt(slotsMs, { checkKey: check.key, locationKey }), []);
    },
    beginRuleChange: async () => {
      const change = (xid: number) => {
        const [rule] = tables.rules;
        if (rule) rule.changedXid = xid;
      };
      const writing = database.write(process, change, { durationMs: OPEN_MS });
      await scheduler.runUntil(scheduler.nowMs + 100);
      return () => settle(writing);
    },
    close: async () => undefined,
  };
});

describeEvaluationStore("PostgreSQL", async () => {
  const test = await createAlertTest();
  const { knex, clock } = test.services;
  const check = await test.newCheck();
  const [locationKey = 0] = check.locationKeys;
  const id = await test.newRule(check, { conditions: [{ type: "consecutive_failures", count: 1 }] });
  const { key: ruleKey } = await knex("alertRules").where({ id }).first("key");
  return {
    checkKey: check.key,
    locationKey,
    ruleKey,
    teamId: test.team.teamId,
    nowMs: () => clock.nowMs(),
    settle: (work) => work,
    store: async (slotsMs, work) => {
      const results = slotsMs.map((slotMs) => ({ slotMs, status: "failure" as const }));
      await test.deliver(check, results, (trx) => work(postgresEvaluationStore(trx)));
    },
    beginRuleChange: async () => {
      const trx = await knex.transaction();
      await trx("alertRules")
        .where({ id })
        .update({ changedXid: knex.raw("pg_current_xact_id()") });
      return async () => {
        await trx.commit();
      };
    },
    close: () => test.close(),
  };
});

/** Failures of a check location as ingest stores them, in one group. */
function failuresAt(
  slotsMs: readonly number[],
  { checkKey, locationKey }: { checkKey: number; locationKey: number },
): ResultGroup {
  const columns = emptyColumns();
  for (const slotMs of slotsMs) {
    columns.checkKeys.push(checkKey);
    columns.locationKeys.push(locationKey);
    columns.slotsMs.push(slotMs);
    columns.statuses.push(STATUS_CODES.failure);
  }
  return { columns, details: [], facts: [] };
}
