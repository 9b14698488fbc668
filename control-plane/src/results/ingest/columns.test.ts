import { RESULT_COLUMNS } from "@svc/contract";
import { afterAll, beforeAll, expect, test } from "vitest";
import { createTestDatabase, type TestDatabase } from "../../../test-support/database.ts";

let database: TestDatabase;

beforeAll(async () => {
  database = await createTestDatabase();
});
afterAll(() => database?.drop());

test("the table of results has each column of a result, with its type, and NULL only where a value may be missing", async () => {
  const { rows } = await database.knex.raw(
    `SELECT column_name AS name, data_type AS type, is_nullable = 'YES' AS "isNullable"
     FROM information_schema.columns WHERE table_name = 'results'`,
  );
  const found = new Map(rows.map((row: { name: string }) => [row.name, row]));
  for (const column of RESULT_COLUMNS)
    expect(found.get(column.sqlName)).toEqual({
      name: column.sqlName,
      type: column.sqlType,
      isNullable: "none" in column,
    });
});
