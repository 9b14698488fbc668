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

it("a check is named whichever comes first, the list or the stream", () => {
  const changes = new ChangedChecks();
  changes.since([]);
  changes.note([{ checkId: "chk_a", health: "healthy" }]);
  expect(changes.since([checkout])).toEqual([]);
  expect(changes.note([{ checkId: "chk_a", health: "unhealthy" }])).toEqual([
    { checkId: "chk_a", name: "Checkout", word: "Unhealthy" },
  ]);
  expect(changes.since([])).toEqual([]);
  expect(changes.note([{ checkId: "chk_a", health: "healthy" }])).toEqual([
    { checkId: "chk_a", name: "Checkout", word: "Healthy" },
  ]);
  expect(changes.note([{ checkId: "chk_a", health: "healthy" }])).toEqual([]);
});

it("a list that the service had kept from before names nothing twice", () => {
  const changes = new ChangedChecks();
  changes.since([checkout]);
  changes.note([{ checkId: "chk_a", health: "healthy" }]);
  expect(changes.since([])).toHaveLength(1);
  expect(changes.since([checkout])).toEqual([]);
  expect(changes.since([])).toEqual([]);
});
