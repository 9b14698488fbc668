import knex, { type Knex } from "knex";
import { describe, expect, it } from "vitest";
import { createTestDatabase, isOnCitus } from "../../../test-support/database.ts";
import { type PerRow, perRow, resultAt, sentAlong } from "./engine-sql.ts";

/** A subquery as stores write it: a value of a row, one that comes twice, and one of a binding. */
const NEWEST: PerRow = {
  as: "n",
  columns: "slot_ms bigint",
  select: `SELECT slot_ms FROM results WHERE check_key = {c.key} AND slot_ms >= {:fromMs}
    AND slot_ms - {:fromMs} < 5 AND status <> 1`,
};

describe("on PostgreSQL", () => {
  const db: Knex = knex({ client: "pg" });

  it("a subquery for each row is what a store would write anyway", () => {
    expect(
      perRow(db, NEWEST),
    ).toBe(`(SELECT slot_ms FROM results WHERE check_key = c.key AND slot_ms >= :fromMs
    AND slot_ms - :fromMs < 5 AND status <> 1) n`);
  });

  it("nothing is sent along", () => {
    expect(sentAlong(db, { locations: "SELECT key, id FROM locations" })).toBe("");
  });
});

describe.skipIf(!isOnCitus)("on Citus (set SVC_TEST_CITUS_URL, see docs/citus.md)", () => {
  it("a subquery runs once for each row, with what comes from outside as its arguments", async () => {
    const database = await createTestDatabase();
    try {
      expect(perRow(database.knex, NEWEST)).toBe(
        `svc_on_worker('SELECT slot_ms FROM results WHERE check_key = $1 AND slot_ms >= $2
    AND slot_ms - $2 < 5 AND status <> 1', CAST(c.key AS bigint), CAST(:fromMs AS bigint)) AS n (slot_ms bigint)`,
      );
      const { rows } = await database.knex.raw(
        `SELECT k FROM unnest(ARRAY[1, 2]::bigint[]) AS k WHERE EXISTS (SELECT FROM ${resultAt(database.knex, ["k", "k", "k"])})`,
        { minSlot: 0, maxSlot: 9 },
      );
      expect(rows).toEqual([]);
    } finally {
      await database.drop();
    }
  });

  it("a value of a binding that stands outside braces is refused, since no worker would know it", async () => {
    const database = await createTestDatabase();
    try {
      const select = "SELECT slot_ms FROM results WHERE check_key = {c.key} AND slot_ms >= :fromMs";
      expect(() => perRow(database.knex, { ...NEWEST, select })).toThrow(/outside braces/);
    } finally {
      await database.drop();
    }
  });
});
