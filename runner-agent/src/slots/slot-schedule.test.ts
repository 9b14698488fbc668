import { describe, expect, it } from "vitest";
import { aCheck, anAssignment } from "../../test-support/builders.ts";
import { SlotSchedule } from "./slot-schedule.ts";

const MINUTE = 60_000;
const T0 = 1_800_000_000_000; // a multiple of every period used here
const GRACE = 3 * MINUTE;

function due(schedule: SlotSchedule, nowMs: number, graceMs = GRACE) {
  const slots: number[] = [];
  const missed: number[] = [];
  schedule.advance(nowMs, graceMs, {
    onDue: (slot) => slots.push(slot.slotMs - T0),
    onMissed: (slot) => missed.push(slot.slotMs - T0),
  });
  return { slots, missed };
}

describe("a new assignment", () => {
  const rows: [string, { effectiveFromMs?: number; staggerMs?: number; phaseMs?: number }, number[]][] = [
    ["catches up on what the grace still allows, oldest first", {}, [-180_000, -120_000, -60_000, 0]],
    ["never before it is effective", { effectiveFromMs: T0 - 60_000 }, [-60_000, 0]],
    ["effective now: the slot of this very instant", { effectiveFromMs: T0 }, [0]],
    ["effective a moment later: nothing yet", { effectiveFromMs: T0 + 1 }, []],
    [
      "counts from the staggered instant, not from the slot",
      { staggerMs: 30_000, effectiveFromMs: T0 - 60_000 },
      [-60_000],
    ],
    ["keeps the phase", { phaseMs: 15_000, effectiveFromMs: T0 - 60_000 }, [-45_000]],
  ];
  it.each(rows)("%s", (_name, { effectiveFromMs = 0, staggerMs = 0, phaseMs = 0 }, expected) => {
    const schedule = new SlotSchedule();
    schedule.applySnapshot(
      { checks: [aCheck({ phaseMs })], assignments: [anAssignment({ effectiveFromMs, staggerMs })] },
      T0,
      GRACE,
    );
    expect(due(schedule, T0).slots).toEqual(expected);
  });

  it("then goes on with the grid", () => {
    const schedule = new SlotSchedule();
    schedule.applySnapshot(
      { checks: [aCheck()], assignments: [anAssignment({ effectiveFromMs: T0 + 1 })] },
      T0,
      GRACE,
    );
    expect(schedule.nextDueMs).toBe(T0 + MINUTE);
    expect(due(schedule, T0 + MINUTE - 1).slots).toEqual([]);
    expect(due(schedule, T0 + MINUTE).slots).toEqual([MINUTE]);
    expect(due(schedule, T0 + 3 * MINUTE).slots).toEqual([2 * MINUTE, 3 * MINUTE]);
  });

  it("takes several checks in order of their due instants", () => {
    const schedule = new SlotSchedule();
    schedule.applySnapshot(
      {
        checks: [aCheck({ checkKey: 1, phaseMs: 2000 }), aCheck({ checkKey: 2, phaseMs: 1000 })],
        assignments: [anAssignment({ checkKey: 1 }), anAssignment({ checkKey: 2 })],
      },
      T0 + MINUTE,
      MINUTE,
    );
    expect(due(schedule, T0 + MINUTE).slots).toEqual([1000, 2000]);
  });
});

describe("a change", () => {
  function running() {
    const schedule = new SlotSchedule();
    schedule.applySnapshot({ checks: [aCheck()], assignments: [anAssignment()] }, T0, 0);
    due(schedule, T0);
    return schedule;
  }

  it("applied twice leaves the position on the grid", () => {
    const schedule = running();
    schedule.applySnapshot({ checks: [aCheck()], assignments: [anAssignment()] }, T0 + 1000, GRACE);
    expect(due(schedule, T0 + 1000).slots).toEqual([]);
    expect(schedule.nextDueMs).toBe(T0 + MINUTE);
  });

  it("of the frequency applies to slots from now on", () => {
    const schedule = running();
    const check = aCheck({ revision: 2, frequencySeconds: 10, phaseMs: 3000 });
    schedule.applyDelta({ checks: [check], assignments: [], unassignments: [] }, T0 + 5000, GRACE);
    expect(due(schedule, T0 + 5000).slots).toEqual([]);
    expect(due(schedule, T0 + 25_000).slots).toEqual([13_000, 23_000]);
  });

  it("of the frequency, assigned anew, catches up on slots that fell due before it was heard of", () => {
    const schedule = running();
    const check = aCheck({ revision: 2, frequencySeconds: 10 });
    const assignment = anAssignment({ effectiveFromMs: T0 + 5000 });
    schedule.applyDelta(
      { checks: [check], assignments: [assignment], unassignments: [] },
      T0 + 21_000,
      GRACE,
    );
    expect(due(schedule, T0 + 21_000).slots).toEqual([10_000, 20_000]);
    schedule.applyDelta(
      { checks: [check], assignments: [assignment], unassignments: [] },
      T0 + 22_000,
      GRACE,
    );
    expect(due(schedule, T0 + 30_000).slots).toEqual([30_000]);
  });

  it("of the configuration applies to the next slot", () => {
    const schedule = running();
    const check = aCheck({ revision: 2, configJson: '{"url":"http://127.0.0.1/new"}' });
    schedule.applyDelta({ checks: [check], assignments: [], unassignments: [] }, T0 + 5000, GRACE);
    const configs: unknown[] = [];
    schedule.advance(T0 + MINUTE, GRACE, {
      onDue: ({ check: due, slotMs }) => configs.push(due.requestFor(slotMs).config),
      onMissed: () => {},
    });
    expect(configs).toMatchObject([{ url: "http://127.0.0.1/new" }]);
  });

  it("of the stagger moves the next run", () => {
    const schedule = running();
    schedule.applyDelta(
      { checks: [], assignments: [anAssignment({ staggerMs: 20_000 })], unassignments: [] },
      T0 + 1000,
      0,
    );
    expect(schedule.nextDueMs).toBe(T0 + 80_000);
  });

  it("that removes a location leaves the others", () => {
    const schedule = running();
    const other = anAssignment({ locationKey: 2, effectiveFromMs: T0 + 1 });
    schedule.applyDelta({ checks: [aCheck()], assignments: [other], unassignments: [] }, T0 + 1000, GRACE);
    const unassignments = [{ checkKey: 1, locationKey: 1 }];
    schedule.applyDelta({ checks: [], assignments: [], unassignments }, T0 + 1000, GRACE);
    expect([schedule.checkCount, schedule.checkLocationCount]).toEqual([1, 1]);
    expect(due(schedule, T0 + MINUTE).slots).toEqual([MINUTE]);
  });

  it("that removes the last location stops the check, also when applied twice", () => {
    const schedule = running();
    const delta = { checks: [], assignments: [], unassignments: [{ checkKey: 1, locationKey: 1 }] };
    schedule.applyDelta(delta, T0, GRACE);
    schedule.applyDelta(delta, T0, GRACE);
    expect(schedule.nextDueMs).toBeUndefined();
    expect(schedule.checkCount).toBe(0);
  });

  it("by a snapshot removes what is not in it", () => {
    const schedule = running();
    schedule.applySnapshot({ checks: [], assignments: [] }, T0, GRACE);
    expect(schedule.checkCount).toBe(0);
  });

  it("of a check without definition is ignored", () => {
    const schedule = new SlotSchedule();
    schedule.applyDelta(
      { checks: [], assignments: [anAssignment({ checkKey: 9 })], unassignments: [] },
      T0,
      GRACE,
    );
    expect(schedule.checkLocationCount).toBe(0);
  });
});

describe("after a pause longer than the grace", () => {
  it("reports what is beyond it, newest at most ten, and runs the rest", () => {
    const schedule = new SlotSchedule();
    schedule.applySnapshot({ checks: [aCheck()], assignments: [anAssignment()] }, T0, 0);
    due(schedule, T0);
    const { slots, missed } = due(schedule, T0 + 60 * MINUTE, GRACE);
    expect(slots).toEqual([57, 58, 59, 60].map((minute) => minute * MINUTE));
    expect(missed).toEqual([47, 48, 49, 50, 51, 52, 53, 54, 55, 56].map((minute) => minute * MINUTE));
  });

  it("a slot exactly as late as the grace is still run", () => {
    const schedule = new SlotSchedule();
    schedule.applySnapshot(
      { checks: [aCheck()], assignments: [anAssignment({ effectiveFromMs: T0 })] },
      T0,
      0,
    );
    expect(due(schedule, T0 + 5000, 5000)).toEqual({ slots: [0], missed: [] });
  });
});
