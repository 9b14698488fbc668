import { expect, it } from "vitest";
import { ChangedChecks } from "./changed-checks.ts";

const checkout = { id: "chk_a", name: "Checkout" };
const search = { id: "chk_b", name: "Search" };

it("the first look changes nothing; afterwards checks that begin and cease to fail are named", () => {
  const changes = new ChangedChecks();
  expect(changes.since([checkout])).toEqual([]);
  changes.note([{ checkId: "chk_b", health: "unhealthy" }]);
  expect(changes.since([checkout, search])).toEqual([
    { checkId: "chk_b", name: "Search", word: "Unhealthy" },
  ]);
  changes.note([{ checkId: "chk_a", health: "healthy" }]);
  expect(changes.since([search])).toEqual([{ checkId: "chk_a", name: "Checkout", word: "Healthy" }]);
  expect(changes.since([search])).toEqual([]);
});

it("a check that was deleted, or for which the list is too short, is no change", () => {
  const changes = new ChangedChecks();
  changes.since([checkout, search]);
  changes.note([{ checkId: "chk_b", health: "unhealthy" }]);
  expect(changes.since([])).toEqual([]);
});
