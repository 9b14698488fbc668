import type { AlertInstanceId, CheckId, IncidentId, LocationId } from "@svc/contract";
import { expect, it } from "vitest";
import { type HoldColumns, heldBackOf } from "./held-back.ts";

const notHeld: HoldColumns = {
  heldReason: null,
  heldCauseId: null,
  heldFreeSince: null,
  heldCheckId: null,
  heldCheckName: null,
  heldLocationId: null,
  heldLocationNames: [],
  heldIncidentId: null,
};
const SINCE = "2026-06-01T10:30:00.000Z";

it.each<[string, Partial<HoldColumns>, string]>([
  ["one location", { heldLocationNames: ["Paris"] }, "Paris can't reach its targets"],
  ["two", { heldLocationNames: ["Paris", "Oslo"] }, "Paris and Oslo can't reach their targets"],
  [
    "three",
    { heldLocationNames: ["Paris", "Oslo", "Rome"] },
    "Paris, Oslo and Rome can't reach their targets",
  ],
  [
    "five",
    { heldLocationNames: ["Paris", "Oslo", "Rome", "Bern", "Wien"] },
    "Paris, Oslo, Rome and 2 more can't reach their targets",
  ],
  ["a name of two lines", { heldLocationNames: ["Par\nis"] }, "Par is can't reach its targets"],
  ["one that is deleted", {}, "its location can't reach its targets"],
  [
    "one that is back",
    { heldLocationNames: ["Paris"], heldFreeSince: SINCE },
    "Paris could not reach its targets, and has just recovered",
  ],
  [
    "two that are back",
    { heldLocationNames: ["Paris", "Oslo"], heldFreeSince: SINCE },
    "Paris and Oslo could not reach their targets, and have just recovered",
  ],
])("an alert that is held back because of %s says so", (_name, columns, text) => {
  const { heldBack } = heldBackOf({ ...notHeld, heldReason: "location", ...columns });
  expect(heldBack?.text).toBe(`held back: ${text}`);
});

it.each<[string, Partial<HoldColumns>, string]>([
  [
    "is not known yet",
    {},
    "held back for a moment: it depends on other checks, which may be the ones that fail",
  ],
  ["fails", { heldCheckName: "Database" }, "held back: depends on Database, which is failing"],
  [
    "is back",
    { heldCheckName: "Database", heldFreeSince: SINCE },
    "held back: depends on Database, which has just recovered",
  ],
])("an alert that is held back because of a check that %s says so", (_name, columns, text) => {
  const { heldBack } = heldBackOf({ ...notHeld, heldReason: "dependency", ...columns });
  expect(heldBack?.text).toBe(text);
});

it("what is held back names its cause and the first location, and an alert that is not has no field", () => {
  const ids = {
    heldCauseId: "ainst_1" as AlertInstanceId,
    heldCheckId: "chk_1" as CheckId,
    heldLocationId: "loc_1" as LocationId,
    heldIncidentId: "inc_1" as IncidentId,
  };
  expect(heldBackOf({ ...notHeld, ...ids, heldReason: "location" }).heldBack).toMatchObject({
    instanceId: "ainst_1",
    checkId: "chk_1",
    locationId: "loc_1",
    incidentId: "inc_1",
  });
  expect(heldBackOf({ ...notHeld, ...ids })).toEqual({});
});
