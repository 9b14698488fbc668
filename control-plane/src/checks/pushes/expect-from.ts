import type { Knex } from "knex";
import type { CheckModel } from "../row.ts";
import { expectationOf, expectedAfter } from "./expected.ts";
import { putExpectation } from "./store.ts";

/** Expects the reports of a pushed check anew, from an instant on: it is new, or its configuration has changed. */
export async function expectFrom(
  trx: Knex,
  check: Pick<CheckModel, "key" | "type" | "config">,
  fromMs: number,
): Promise<void> {
  await putExpectation(trx, check.key, expectedAfter(expectationOf(check), fromMs));
}
