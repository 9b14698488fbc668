import { expect, it } from "vitest";
import { sloStateOf } from "./slo-state.ts";

const kept = { totalCount: 100, budgetConsumedRatio: 0.75, burnRate1h: 1 };

it.each([
  ["a quarter left and an even pace", true, kept, "OK"],
  ["less than a quarter left", true, { ...kept, budgetConsumedRatio: 0.751 }, "At risk"],
  ["a pace that ends before the window does", true, { ...kept, burnRate1h: 1.01 }, "At risk"],
  ["nothing left", true, { ...kept, budgetConsumedRatio: 1 }, "Exhausted"],
  ["more spent than there was", true, { ...kept, budgetConsumedRatio: 2 }, "Exhausted"],
  ["no result", true, { ...kept, totalCount: 0, budgetConsumedRatio: 0 }, "No data"],
  ["no status yet", true, undefined, "No data"],
  ["an SLO that is disabled, however bad", false, { ...kept, budgetConsumedRatio: 2 }, "Disabled"],
])("%s: %s", (_name, isEnabled, status, word) => {
  expect(sloStateOf(isEnabled, status).word).toBe(word);
});
