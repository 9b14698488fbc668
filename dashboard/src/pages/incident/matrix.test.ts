import { describe, expect, it } from "vitest";
import type { Slots } from "../../api/queries/history.ts";
import { affectedChecks, locationsOf, standingAt } from "./matrix.ts";
import type { ShownAlert } from "./triage.ts";

const alert = (id: string, checkId: string | null, minute: number) =>
  ({
    id,
    checkId,
    checkName: checkId,
    ruleName: "Rule",
    ruleId: `rule of ${id}`,
    startedAt: `2026-03-01T12:0${minute}:00.000Z`,
  }) as unknown as ShownAlert;
const slots = {
  locations: [
    {
      locationId: "loc_a",
      cells: [{ worst: "success" }, { worst: "timeout", resultId: "res_t" }, { worst: "success" }],
    },
    { locationId: "loc_b", cells: [] },
  ],
} as unknown as Slots;

describe("affected checks", () => {
  it("stand in the order in which they fired, each once, with its newest alert first", () => {
    const rows = affectedChecks([
      alert("late", "chk_b", 5),
      alert("first", "chk_a", 1),
      alert("again", "chk_b", 7),
      alert("third", null, 2),
    ]);
    expect(rows.map(({ name, alerts }) => [name, alerts.map(({ id }) => id)])).toEqual([
      ["chk_a", ["first"]],
      ["Rule", ["third"]],
      ["chk_b", ["again", "late"]],
    ]);
  });

  it("stand at a location as the newest result there says, and at their worst as any slot did", () => {
    const newest = [
      { locationId: "loc_a", status: "failure" as const },
      { locationId: "loc_b", status: "error" as const },
      { locationId: "loc_a", status: "success" as const },
    ];
    expect(standingAt(slots, newest, "loc_a")).toEqual({
      now: "success",
      worst: "timeout",
      worstResultId: "res_t",
    });
    expect(standingAt(slots, newest, "loc_b")).toEqual({
      now: "error",
      worst: undefined,
      worstResultId: undefined,
    });
    expect(standingAt(slots, newest, "loc_c")).toBeUndefined();
    expect(locationsOf([slots, undefined, slots])).toEqual(["loc_a", "loc_b"]);
  });
});
