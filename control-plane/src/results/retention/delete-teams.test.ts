import { afterEach, beforeEach, expect, test } from "vitest";
import { createTestApp, type TestApp } from "../../../test-support/app.ts";
import { fillEveryTable, readEveryTable, type TableTexts } from "../../../test-support/every-table.ts";
import { addPerson } from "../../../test-support/people.ts";
import { registerTeamRoutes } from "../../accounts/teams/routes.ts";
import { hasTeam } from "../../accounts/teams/store.ts";
import { locationDependents } from "../../checks/locations/team-dependents.ts";
import { databaseBlobs } from "../artifacts/database-blobs.ts";
import { deleteTeams } from "./delete-teams.ts";
import { ensurePartitions } from "./partitions.ts";
import { purgeDeletedChecks } from "./purge.ts";

let app: TestApp;
beforeEach(async () => {
  app = await createTestApp({
    register: (api, services) =>
      registerTeamRoutes(api, services, { dependents: [locationDependents], exportSections: () => [] }),
  });
});
afterEach(() => app.close());

const atMs = Date.now();
const requestDeletion = (name: string) => app.call("DELETE", "/api/team", { name }, app.team.bySession);

async function removeRecords(): Promise<void> {
  const { knex } = app.services;
  await deleteTeams(knex, { blobs: databaseBlobs(knex) });
  await purgeDeletedChecks(knex, { settle: "0 seconds", keptForExport: "0 seconds" });
}

/** Returns the tables without the audit log's entries of the operator. */
async function readTables(): Promise<TableTexts> {
  const { knex } = app.services;
  const { audit_entries: _, ...tables } = await readEveryTable(knex);
  const entries = await knex("auditEntries").whereNotNull("teamId").orderBy("key").pluck("id");
  return { ...tables, audit_entries: entries };
}

test("a deleted team leaves no row in any table, and another team keeps all of its rows", async () => {
  const { knex } = app.services;
  await ensurePartitions(knex, atMs, atMs);
  const other = await app.createTeam();
  await fillEveryTable(knex, { ...other, atMs });
  const team = await app.createTeam();
  const without = await readTables();
  await addPerson(app, { teamId: team.teamId, role: "owner" });
  await fillEveryTable(knex, { ...team, atMs });
  const filled = await readTables();
  const unfilled = Object.keys(filled).filter((name) => filled[name]?.length === without[name]?.length);
  expect(unfilled).toEqual(["teams"]);

  app.team = team;
  expect((await requestDeletion("Test team")).status).toBe(200);
  await removeRecords();
  // The team, its key, its owner and the owner's session were there before the tables were filled.
  const isOfOthers = (row: string) => !row.includes(team.teamId) && !row.includes(team.userId);
  const ofOthers = Object.entries(without).map(([name, rows]) => [name, rows.filter(isOfOthers)]);
  expect(await readTables()).toEqual(Object.fromEntries(ofOthers));
});

test("the operator keeps an entry of the deletion, with the name of who did it", async () => {
  const { knex } = app.services;
  const { teamId, userId } = app.team;
  await requestDeletion("Test team");
  await removeRecords();
  const [entry] = await knex("auditEntries").whereNull("teamId");
  expect(entry).toMatchObject({
    action: "team.deleted",
    actor: userId,
    actorName: `${userId}@example.com`,
    resourceId: teamId,
    resourceName: "Test team",
  });
});

test("credentials are refused from the answer on, before a record is removed", async () => {
  const { knex } = app.services;
  const member = await addPerson(app, { teamId: app.team.teamId, role: "member" });
  expect((await requestDeletion("Test team")).status).toBe(200);
  expect((await requestDeletion("Test team")).status).toBe(401);
  expect((await app.call("DELETE", "/api/team", { name: "x" }, member.bySession)).status).toBe(401);
  expect((await app.call("DELETE", "/api/team", { name: "x" }, app.team.byKey)).status).toBe(401);
  expect(await hasTeam(knex, app.team.teamId)).toBe(false);
  expect(await knex("teams").where({ id: app.team.teamId })).toHaveLength(1);
});

test("another name than the team's is refused and changes nothing", async () => {
  for (const name of ["", "test team", "Test team "]) {
    const { status, body } = await requestDeletion(name);
    expect([status, body.details?.fieldErrors]).toEqual([400, { name: ["is not the name of this team"] }]);
  }
  expect(await hasTeam(app.services.knex, app.team.teamId)).toBe(true);
});

test("a member, a viewer and a key can't delete the team", async () => {
  for (const role of ["member", "viewer"] as const) {
    const person = await addPerson(app, { teamId: app.team.teamId, role });
    const { status, body } = await app.call("DELETE", "/api/team", { name: "Test team" }, person.bySession);
    expect([status, body.code]).toEqual([403, "role_required"]);
  }
  const byKey = await app.call("DELETE", "/api/team", { name: "Test team" });
  expect([byKey.status, byKey.body.code]).toEqual([403, "session_required"]);
});

test("people who are in another team keep their account, and others' accounts go", async () => {
  const { knex } = app.services;
  const other = await app.createTeam();
  const both = await addPerson(app, { teamId: app.team.teamId, role: "member" });
  await knex("memberships").insert({ teamId: other.teamId, userId: both.userId, role: "viewer" });
  const alone = await addPerson(app, { teamId: app.team.teamId, role: "member" });
  await requestDeletion("Test team");
  const left = await knex("users").whereIn("id", [both.userId, alone.userId, app.team.userId]).pluck("id");
  expect(left).toEqual([both.userId]);
});

test("records that requests under way add after the deletion go, too", async () => {
  const { knex } = app.services;
  const other = await app.createTeam();
  const { teamId } = app.team;
  await ensurePartitions(knex, atMs, atMs);
  await requestDeletion("Test team");
  await fillEveryTable(knex, { teamId, userId: other.userId, atMs });
  await removeRecords();
  const left = Object.values(await readTables()).flat();
  expect(left.filter((row) => row.includes(teamId))).toEqual([]);
  expect(await knex("teams").where({ id: teamId })).toEqual([]);
});
