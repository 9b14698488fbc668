import { expect, it } from "vitest";
import { cpuGrowth } from "../../../test-support/cpu-growth.ts";
import { changedFields } from "./changed-fields.ts";

/** Returns a record whose large list lies below many levels, and differs in its last item. */
function nested(levels: number, last: number): Record<string, unknown> {
  let value: Record<string, unknown> = { list: [...Array.from({ length: 2_000 }, (_, i) => ({ i })), last] };
  for (let level = 0; level < levels; level++) value = { value };
  return value;
}

it("a change below twice as many levels takes at most 2.5 times as long to find", () => {
  const prepare = (levels: number) => {
    const [before, after] = [nested(levels, 1), nested(levels, 2)];
    return () => changedFields(before, after);
  };
  expect(cpuGrowth(prepare, 20)).toBeLessThan(2.5);
});
