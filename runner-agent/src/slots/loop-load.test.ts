import { describe, expect, it } from "vitest";
import { Admission } from "./admission.ts";
import { isAccepting, LoopMeter, nextInFlightLimit } from "./loop-load.ts";

describe("accepting further checks", () => {
  it.each([
    ["idle", true, 0.1, 5, true],
    ["just busy enough", true, 0.65, 1000, true],
    ["too busy", true, 0.66, 5, false],
    ["too late", true, 0.1, 1001, false],
    ["still too busy", false, 0.6, 5, false],
    ["still too late", false, 0.1, 300, false],
    ["free again", false, 0.55, 250, true],
  ])("%s", (_name, wasAccepting, busyShare, latenessP99Ms, expected) => {
    expect(isAccepting({ wasAccepting, busyShare, latenessP99Ms })).toBe(expected);
  });
});

describe("how many runs begin at a time", () => {
  it.each([
    ["fewer on a crowded loop", 100, 0.9, 70],
    ["never none", 4, 1, 4],
    ["the same in between", 50, 0.7, 50],
    ["more again with spare capacity", 50, 0.3, 64],
    ["never more than configured", 99, 0.3, 100],
  ])("%s", (_name, current, busyShare, expected) => {
    expect(nextInFlightLimit(current, busyShare, 100)).toBe(expected);
  });
});

describe("the meter", () => {
  it("returns the busy share since the last call", () => {
    const loop = { active: 100, idle: 100 };
    const meter = new LoopMeter(() => ({ ...loop }));
    loop.active += 30;
    loop.idle += 10;
    expect(meter.nextBusyShare()).toBe(0.75);
    expect(meter.nextBusyShare()).toBe(0);
  });
});

describe("the report of a heartbeat", () => {
  it("has the lateness of runs since the last report, and whether more checks are accepted", () => {
    const admission = new Admission(100, () => ({ active: 0, idle: 1 }));
    for (let i = 0; i < 100; i++) admission.recordLateness(i < 90 ? 2 : 5000);
    const report = admission.nextReport();
    expect(report.latenessP99Ms).toBeGreaterThanOrEqual(4990);
    expect(report.accepting).toBe(false);
    expect(admission.nextReport()).toEqual({ latenessP99Ms: 0, loopBusyBasisPoints: 0, accepting: true });
  });
});
