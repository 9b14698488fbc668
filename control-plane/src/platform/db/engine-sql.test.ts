import knex, { type Knex } from "knex";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { createTestDatabase, isOnCitus, type TestDatabase } from "../../../test-support/database.ts";
import { openFakedCitus } from "../../../test-support/faked-citus.ts";
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

describe("on Citus, or on PostgreSQL with what the service asks Citus for", () => {
  let database: TestDatabase;
  let db: Knex;
  beforeAll(async () => {
    database = await createTestDatabase();
    db = isOnCitus ? database.knex : await openFakedCitus(database);
  });
  afterAll(async () => {
    await db.destroy();
    await database.drop();
  });

  it("a subquery runs once for each row, with what comes from outside as its arguments", async () => {
    expect(perRow(db, NEWEST)).toBe(
      `svc_on_worker('SELECT slot_ms FROM results WHERE check_key = $1 AND slot_ms >= $2
    AND slot_ms - $2 < 5 AND status <> 1', CAST(c.key AS bigint), CAST(:fromMs AS bigint)) AS n (slot_ms bigint)`,
    );
    const { rows } = await db.raw(
      `SELECT k FROM unnest(ARRAY[1, 2]::bigint[]) AS k WHERE EXISTS (SELECT FROM ${resultAt(db, ["k", "k", "k"])})`,
      { minSlot: 0, maxSlot: 9 },
    );
    expect(rows).toEqual([]);
  });

  it("a value of a binding that stands outside braces is refused, since no worker would know it", () => {
    const select = "SELECT slot_ms FROM results WHERE check_key = {c.key} AND slot_ms >= :fromMs";
    expect(() => perRow(db, { ...NEWEST, select })).toThrow(/outside braces/);
  });

  it("eight different values reach the worker, and a ninth is refused before the statement is sent", async () => {
    const sumOf = (count: number) => {
      const values = Array.from({ length: count }, (_, n) => `{n.k * ${10 ** n}}`);
      return perRow(db, {
        as: "s",
        columns: "sum bigint",
        select: `SELECT ${values.join(" + ")} + {n.k} - {n.k * 1}`,
      });
    };
    const { rows } = await db.raw(`SELECT s.sum FROM (VALUES (1), (2)) n (k) CROSS JOIN LATERAL ${sumOf(7)}`);
    expect(rows.map(({ sum }: { sum: unknown }) => Number(sum))).toEqual([1_111_111, 2_222_222]);
    expect(() => sumOf(8)).toThrow(/^9 values come from outside, 8 may: n.k \* 1, /);
  });
});
