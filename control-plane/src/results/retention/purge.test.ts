import { DAY_MS, newId } from "@svc/contract";
import { afterAll, beforeAll, expect, it } from "vitest";
import { createTestDatabase, type TestDatabase } from "../../../test-support/database.ts";
import { aTeam } from "../../../test-support/fleet.ts";
import { purgeDeletedChecks } from "./purge.ts";

let database: TestDatabase;
beforeAll(async () => {
  database = await createTestDatabase();
});
afterAll(() => database?.drop());

const daysAgo = (days: number) => new Date(Date.now() - days * DAY_MS);

it("the results of a deleted check stay for a day, and until the team's export has sent them", async () => {
  const { knex } = database;
  const { id: teamId } = await aTeam(knex);
  const deletedAt = daysAgo(2);
  const deleted = (key: number, at: Date) => ({
    key,
    id: newId("check"),
    teamId,
    name: "gone",
    type: "http",
    labels: [],
    locationKeys: [1],
    frequencySecondsMax: 60,
    deletedAt: at,
  });
  const isPurged = async (keptForExport = "30 days") => {
    await purgeDeletedChecks(knex, { keptForExport });
    const rows = await knex("checkDeletions").whereIn("checkKey", [81, 82]).orderBy("checkKey");
    return rows.map(({ purgedAt }) => purgedAt !== null);
  };
  await knex("deletedChecks").insert([deleted(81, deletedAt), deleted(82, daysAgo(0.5))]);
  await knex("checkDeletions").insert([
    { checkKey: 81, deletedAt },
    { checkKey: 82, deletedAt: daysAgo(0.5) },
  ]);
  await knex("telemetrySettings").insert({
    id: teamId,
    endpoint: "https://collector.example",
    protocol: "http/json",
    enabled: true,
    traces: false,
    metrics: false,
  });
  const start = { resultsXid: "0", derivedXid: "0", alertsXid: "0", maintenanceXid: "0" };
  await knex("telemetryExports").insert({ teamId, signal: "logs", ...start });
  await knex("telemetryResults").insert({
    id: newId("derivedEvent"),
    teamId,
    checkKeys: [81],
    locationKeys: [1],
    slotsMs: [deletedAt.getTime() - 1_000],
    createdAt: new Date(deletedAt.getTime() - 1_000),
  });
  expect(await isPurged()).toEqual([false, false]);
  await knex("telemetryExports").where({ teamId }).update({ resultsXid: "9223372036854775807" });
  expect(await isPurged()).toEqual([true, false]);
  await knex("checkDeletions").where({ checkKey: 82 }).update({ deletedAt });
  await knex("telemetryExports").where({ teamId }).update({ resultsXid: "0" });
  expect(await isPurged()).toEqual([true, false]);
  expect(await isPurged("1 day")).toEqual([true, true]);
});
