import { describe, expect, it } from "vitest";
import { CorrectedClock } from "./corrected-clock.ts";

/** A machine whose clock may be wrong or jump, and a server whose clock is right. */
function aMachine({ wallErrorMs = 0 } = {}) {
  const machine = { trueMs: 1_800_000_000_000, wallErrorMs };
  const clock = new CorrectedClock({
    monotonicMs: () => machine.trueMs - 1_799_999_000_000,
    wallMs: () => machine.trueMs + machine.wallErrorMs,
  });
  /** One round trip; the server answers `serverAheadMs` ahead of true time. */
  const exchange = (outMs: number, backMs: number, serverAheadMs = 0) => {
    const sentLocalMs = clock.localMs();
    machine.trueMs += outMs;
    const serverMs = machine.trueMs + serverAheadMs;
    machine.trueMs += backMs;
    return clock.addSample({ sentLocalMs, serverMs, receivedLocalMs: clock.localMs() });
  };
  return { machine, clock, exchange, errorMs: () => clock.nowMs() - machine.trueMs };
}

describe("the corrected clock", () => {
  it.each([90_000, -90_000, 3_600_000])(
    "follows the control plane when the machine is %i ms off",
    (wallErrorMs) => {
      const { exchange, errorMs } = aMachine({ wallErrorMs });
      exchange(5, 5);
      expect(errorMs()).toBeCloseTo(0, 3);
    },
  );

  it("is not moved by a jump of the machine's clock in mid-run", () => {
    const { machine, exchange, errorMs } = aMachine();
    exchange(2, 2);
    machine.wallErrorMs = -500_000;
    machine.trueMs += 1000;
    expect(errorMs()).toBeCloseTo(0, 3);
  });

  it("trusts the sample with the shortest round trip", () => {
    const { machine, exchange, errorMs } = aMachine();
    exchange(1, 1);
    exchange(80, 0); // an asymmetric path is wrong by half of it
    machine.trueMs += 60_000;
    expect(Math.abs(errorMs())).toBeLessThan(0.01);
  });

  it("never goes back for a small correction, and has made it soon after", () => {
    const { machine, clock, exchange, errorMs } = aMachine();
    exchange(1, 1);
    for (let i = 0; i < 8; i++) exchange(1, 1, -40);
    let last = clock.nowMs();
    for (let i = 0; i < 400; i++) {
      machine.trueMs += 1;
      const now = clock.nowMs();
      expect(now).toBeGreaterThan(last);
      last = now;
    }
    expect(errorMs()).toBeCloseTo(-40, 3);
  });

  it("jumps ahead after a suspend, during which the monotonic clock stood still", () => {
    const { machine, exchange, clock } = aMachine();
    exchange(1, 1);
    const serverAheadMs = 600_000;
    exchange(1, 1, serverAheadMs);
    expect(clock.nowMs() - machine.trueMs).toBeCloseTo(serverAheadMs, 3);
  });

  it("ignores an answer that came absurdly late, or before the question", () => {
    const { clock, machine, exchange, errorMs } = aMachine();
    exchange(1, 1);
    expect(exchange(20_000, 1)).toBe(false);
    const localMs = clock.localMs();
    expect(clock.addSample({ sentLocalMs: localMs, serverMs: 5, receivedLocalMs: localMs - 50 })).toBe(false);
    machine.trueMs += 1000;
    expect(errorMs()).toBeCloseTo(0, 3);
  });

  it("starts from the offset an earlier process measured, until it has measured its own", () => {
    let trueMs = 1_800_000_000_000;
    const clock = new CorrectedClock({ monotonicMs: () => trueMs, wallMs: () => trueMs + 90_000 }, -90_000);
    expect(clock.nowMs()).toBe(trueMs);
    expect(clock.isMeasured).toBe(false);
    const sentLocalMs = clock.localMs();
    trueMs += 2;
    clock.addSample({ sentLocalMs, serverMs: trueMs - 1 + 7, receivedLocalMs: clock.localMs() });
    expect(clock.nowMs() - trueMs).toBeCloseTo(7, 3);
  });
});
