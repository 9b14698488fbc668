import { type CheckId, newId } from "@svc/contract";
import { afterAll, beforeAll, expect, it } from "vitest";
import { createTestDatabase, type TestDatabase } from "../../../test-support/database.ts";
import { type OtlpReceiver, startOtlpHttp } from "../../../test-support/otlp/receiver.ts";
import { setTelemetryStage, type TelemetryStage } from "../../../test-support/telemetry.ts";
import { alertingDependents } from "../../alerting/check-dependents.ts";
import { deleteCheck } from "../../checks/delete-check.ts";
import { OPERATOR } from "../../platform/team-context.ts";
import { purgeDeletedChecks } from "../../results/retention/purge.ts";
import { recordDerivedEvents } from "../derived-events/store.ts";

let database: TestDatabase;
let stage: TelemetryStage;
let receiver: OtlpReceiver;
beforeAll(async () => {
  database = await createTestDatabase();
  stage = await setTelemetryStage(database.knex);
  receiver = await startOtlpHttp();
});
afterAll(async () => {
  await receiver?.close();
  await database?.drop();
});

/** Creates a check with a rule whose alert is open. */
async function anAlertingCheck() {
  const { knex } = database;
  const check = await stage.aCheck();
  await knex("checkLabels").insert({ checkKey: check.key, label: "team:shop" });
  const [{ key: ruleKey }] = await knex("alertRules")
    .insert({
      id: newId("alertRule"),
      teamId: stage.team.id,
      checkKey: check.key,
      name: "Down",
      enabled: true,
      conditions: "[]",
      channelIds: [],
    })
    .returning("key");
  const instanceId = newId("alertInstance");
  const startedAt = new Date(Date.now() - 60_000);
  await knex("alertInstances").insert({
    id: instanceId,
    teamId: stage.team.id,
    ruleKey,
    checkKey: check.key,
    state: "active",
    severity: "critical",
    startedAt,
    context: { summary: "Shop is failing" },
  });
  await knex("alertEvents").insert({
    id: newId("alertEvent"),
    teamId: stage.team.id,
    instanceId,
    checkKey: check.key,
    type: "triggered",
    state: "active",
    severity: "critical",
    createdAt: startedAt,
  });
  return { check, instanceId };
}

it("the last events of a check that was deleted while its export lagged arrive, each once", async () => {
  const { check, instanceId } = await anAlertingCheck();
  await stage.set({ endpoint: receiver.url });
  await stage.store([{ check, status: 2 }]);
  await recordDerivedEvents(database.knex, [
    {
      teamId: stage.team.id,
      name: "synthetics.tls.expiring_soon",
      severity: "warning",
      checkId: check.id as CheckId,
      attributes: {},
      occurredAtMs: Date.now(),
    },
  ]);
  const ctx = { services: stage.services, teamId: stage.team.id, author: OPERATOR };
  await deleteCheck(ctx, { id: check.id as CheckId, dependents: [alertingDependents] });
  await purgeDeletedChecks(database.knex, { settle: "0 s", kept: "0 s", keptForExport: "30 days" });
  const names = () => receiver.logs.map(({ name }) => name).sort();
  while (receiver.logs.length < 4) {
    await stage.exportOnce();
    await new Promise((resolve) => setTimeout(resolve, 20));
  }
  expect(await stage.exportOnce()).toBe(0);
  expect(names()).toEqual([
    "synthetics.alert.state_changed",
    "synthetics.check.completed",
    "synthetics.check.failed",
    "synthetics.tls.expiring_soon",
  ]);
  for (const { resource } of receiver.logs)
    expect(resource).toMatchObject({
      "synthetics.check.id": check.id,
      "synthetics.check.name": "check",
      "svc.label.team": "shop",
    });
  const changed = receiver.logs.find(({ name }) => name === "synthetics.alert.state_changed");
  expect(changed?.attributes).toMatchObject({
    "synthetics.alert.instance_id": instanceId,
    "synthetics.alert.rule_name": "Down",
    "synthetics.alert.state": "resolved",
    "synthetics.alert.summary": "Shop is failing",
  });
});
