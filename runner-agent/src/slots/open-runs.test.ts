import { describe, expect, it } from "vitest";
import { aCheck } from "../../test-support/builders.ts";
import { AssignedCheck } from "./assigned-check.ts";
import { OpenRuns } from "./open-runs.ts";
import type { DueSlot } from "./slot-schedule.ts";

const check = new AssignedCheck(aCheck({ checkKey: 1 }));

/** A slot of the grid that falls due at `dueMs`. */
const slotAt = (dueMs: number) =>
  ({
    check,
    locationKey: 1,
    checkLocationId: "1/1",
    slotMs: dueMs,
    dueMs,
    beginByMs: dueMs + 30_000,
    isDispatched: false,
  }) as DueSlot;

/** The open run of a slot that fell due at 20,000 ms and was begun at 31,000 ms, as after a restart of its agent. */
function lateRun(): OpenRuns {
  const runs = new OpenRuns();
  runs.begin(slotAt(20_000), 31_000);
  return runs;
}

describe("a slot that meets an open run", () => {
  it("is overrun once that run takes as long as the time between the two", () => {
    const runs = lateRun();
    expect(runs.isOverrun(slotAt(30_000), 40_999)).toBe(false);
    expect(runs.isOverrun(slotAt(30_000), 41_000)).toBe(true);
  });

  it("waits when it fell due before that run's slot, as after a change of the frequency, however long the run takes", () => {
    const runs = lateRun();
    const earlier = slotAt(15_000);
    expect(runs.isOverrun(earlier, 31_001)).toBe(false);
    expect(runs.park(earlier)).toBe("parked");
    expect(runs.removeOverrun(45_000)).toEqual([]);
    expect(runs.end(slotAt(20_000), 45_000)).toEqual({ free: [earlier], overrun: [] });
  });
});
