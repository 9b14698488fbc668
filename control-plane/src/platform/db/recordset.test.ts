import type { Knex } from "knex";
import { afterAll, beforeAll, expect, test } from "vitest";
import { createTestDatabase, type TestDatabase } from "../../../test-support/database.ts";
import { defineRecordset, millisecondsAs, TEXT_ARRAY } from "./recordset.ts";
import { queryRows } from "./rows.ts";

let database: TestDatabase;
beforeAll(async () => {
  database = await createTestDatabase({ template: false });
});
afterAll(() => database.drop());

const rows = defineRecordset({
  id: "integer",
  teamId: "text",
  tags: TEXT_ARRAY,
  hour: { sqlType: "smallint", storedIn: "hour_of_week" },
  createdAtMs: millisecondsAs("created_at"),
});

test("rows are inserted by the names that the table has", async () => {
  await database.knex.transaction(async (trx) => {
    await createTable(trx);
    await trx.raw(rows.insertInto("recordset_rows"), [JSON.stringify([aRow({ id: 1 }), aRow({ id: 2 })])]);
    expect(await queryRows(trx, "SELECT * FROM recordset_rows ORDER BY id")).toEqual([
      storedRow({ id: 1 }),
      storedRow({ id: 2 }),
    ]);
  });
});

test("an update assigns all columns but the keys", async () => {
  await database.knex.transaction(async (trx) => {
    await createTable(trx);
    await trx.raw(rows.insertInto("recordset_rows"), [JSON.stringify([aRow({ id: 1 }), aRow({ id: 2 })])]);
    await trx.raw(
      `UPDATE recordset_rows r SET ${rows.assignments("u", ["id"])} FROM ${rows.as("u")} WHERE r.id = u.id`,
      [JSON.stringify([aRow({ id: 2, teamId: "other", tags: null })])],
    );
    expect(await queryRows(trx, "SELECT * FROM recordset_rows ORDER BY id")).toEqual([
      storedRow({ id: 1 }),
      storedRow({ id: 2, teamId: "other", tags: [] }),
    ]);
  });
});

test("rows keep their order by their ordinal, under a named binding", async () => {
  const read = await queryRows(
    database.knex,
    `SELECT id, ordinal::integer FROM ${rows.inOrder("r", ":rows")} ORDER BY ordinal`,
    { rows: JSON.stringify([aRow({ id: 9 }), aRow({ id: 3 })]) },
  );
  expect(read).toEqual([
    { id: 9, ordinal: 1 },
    { id: 3, ordinal: 2 },
  ]);
});

function aRow(row: { id: number; teamId?: string; tags?: string[] | null }) {
  return { teamId: "team", tags: ["a", "b"], hour: 5, createdAtMs: 1_000, ...row };
}

function storedRow(row: { id: number; teamId?: string; tags?: string[] }) {
  return {
    teamId: "team",
    tags: ["a", "b"],
    hourOfWeek: 5,
    createdAt: new Date(1_000).toISOString(),
    ...row,
  };
}

async function createTable(trx: Knex): Promise<void> {
  await trx.raw(
    `CREATE TEMPORARY TABLE recordset_rows
       (id integer, team_id text, tags text[], hour_of_week smallint, created_at timestamptz) ON COMMIT DROP`,
  );
}
