import type { Knex } from "knex";
import { expect, it } from "vitest";
import { Readiness } from "./readiness.ts";

it("asks the database once a second, however often readiness is asked for, and tells a later fault", async () => {
  let nowMs = 0;
  let asked = 0;
  let row: { name: string } | undefined = { name: "newest" };
  const knex = (() => {
    asked++;
    return { where: () => ({ first: async () => row }) };
  }) as never as Knex;
  const readiness = new Readiness({ state: { status: "ready" } }, knex, () => nowMs);
  const answers = await Promise.all(Array.from({ length: 50 }, () => readiness.check()));
  expect(answers).toEqual(Array(50).fill({ status: "ready" }));
  nowMs = 999;
  await readiness.check();
  expect(asked).toBe(1);
  row = undefined;
  nowMs = 1_000;
  expect((await readiness.check()).status).toBe("unavailable");
  expect(asked).toBe(2);
});
