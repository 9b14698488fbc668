import { expect, it } from "vitest";
import { firstFailingResult } from "./first-failing-result.ts";
import type { ShownAlert } from "./triage.ts";

const alert = (checkId: string | null, startedAt: string, conditions: unknown) =>
  ({ checkId, startedAt, contextJson: { conditions } }) as unknown as ShownAlert;

it("the first failure is the oldest result of the alert that fired first and names any", () => {
  const alerts = [
    alert("chk_late", "2026-03-01T12:05:00.000Z", [{ resultIds: ["res_9"] }]),
    alert(null, "2026-03-01T12:00:00.000Z", [{ resultIds: ["res_third_party"] }]),
    alert("chk_none", "2026-03-01T12:01:00.000Z", "of an older version"),
    alert("chk_first", "2026-03-01T12:02:00.000Z", [
      { resultIds: [] },
      null,
      { resultIds: ["res_3", "res_2", 7] },
    ]),
  ];
  expect(firstFailingResult(alerts)).toEqual({ checkId: "chk_first", resultId: "res_2" });
  expect(firstFailingResult([])).toBeUndefined();
});
