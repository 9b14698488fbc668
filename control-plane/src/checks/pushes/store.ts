/** SQL of what pushed checks are expected to report, for whoever changes a check. */
import type { Knex } from "knex";
import type { Expected } from "./expected.ts";

/** Stores what is expected of a check next. A run that is under way and the newest slot stay. */
export async function putExpectation(trx: Knex, checkKey: number, expected: Expected): Promise<void> {
  await trx("pushExpectations")
    .insert({ checkKey, ...expected, newestSlotMs: 0 })
    .onConflict("checkKey")
    .merge(["countedFromMs", "expectedMs", "overdueMs"]);
}
