import { expect, it } from "vitest";
import type { CheckId, LocationId } from "./base/ids.ts";
import { type TracedRun, traceIdOfRun } from "./trace-id.ts";

const run = (other: Partial<Record<keyof TracedRun, unknown>> = {}) =>
  traceIdOfRun({
    checkId: "chk_01k9b2m4x7e8c9d0f1g2h3j4k5" as CheckId,
    locationId: "loc_us_east" as LocationId,
    slotMs: 1_795_651_200_000,
    ...other,
  } as TracedRun);

it("a run's trace id is this one, in every release: stored results rely on it", () => {
  expect(run()).toBe("5dda5147685ca5e457e8b19d5b2c8c41");
});

it("runs of another check, location or slot have another trace id", () => {
  const ids = [
    run(),
    run({ checkId: "chk_01k9b2m4x7e8c9d0f1g2h3j4k6" }),
    run({ locationId: "loc_eu_central" }),
    run({ slotMs: 1_795_651_200_001 }),
  ];
  expect(new Set(ids).size).toBe(ids.length);
  for (const id of ids) expect(id).toMatch(/^[0-9a-f]{32}$/);
});
