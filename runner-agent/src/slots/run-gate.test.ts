import { FRESH_RUN_MS } from "@svc/contract";
import { describe, expect, it } from "vitest";
import { type GateTicket, RunGate } from "./run-gate.ts";

function enter(gate: RunGate, count: number, nowMs: number): GateTicket[] {
  return Array.from({ length: count }, () => enterOnce(gate, nowMs, 1)).filter(
    (ticket) => ticket !== undefined,
  );
}

function enterOnce(gate: RunGate, nowMs: number, teamNumber: number): GateTicket | undefined {
  return gate.hasPlace(nowMs) && gate.mayEnter(teamNumber) ? gate.enter(nowMs, teamNumber) : undefined;
}

describe("the gate", () => {
  it("lets in as many fresh runs as configured, and one more for each that leaves", () => {
    const gate = new RunGate(3);
    const [first] = enter(gate, 5, 0);
    expect(gate.openCount).toBe(3);
    gate.leave(first as GateTicket);
    expect(enter(gate, 5, 1)).toHaveLength(1);
  });

  it("does not count runs that wait for a slow target", () => {
    const gate = new RunGate(2);
    enter(gate, 2, 0);
    expect(gate.nextEntryAtMs).toBe(FRESH_RUN_MS);
    expect(enter(gate, 2, FRESH_RUN_MS - 1)).toHaveLength(0);
    expect(enter(gate, 2, FRESH_RUN_MS)).toHaveLength(2);
  });

  it("bounds the runs that wait, too", () => {
    const gate = new RunGate(1);
    let entered = 0;
    for (let nowMs = 0; nowMs < 100 * FRESH_RUN_MS; nowMs += FRESH_RUN_MS)
      entered += enter(gate, 1, nowMs).length;
    expect(entered).toBe(20);
    expect(gate.nextEntryAtMs).toBeUndefined();
  });

  it("keeps count when old and fresh runs leave in any order", () => {
    const gate = new RunGate(2);
    const old = enter(gate, 2, 0);
    const fresh = enter(gate, 2, FRESH_RUN_MS);
    for (const ticket of [fresh[1], old[0], fresh[0], old[1]]) gate.leave(ticket as GateTicket);
    expect(gate.openCount).toBe(0);
    expect(enter(gate, 9, FRESH_RUN_MS + 1)).toHaveLength(2);
  });

  it("holds under thousands of runs", () => {
    const gate = new RunGate(10);
    for (let nowMs = 0; nowMs < 5000; nowMs++) {
      const tickets = enter(gate, 20, nowMs);
      expect(tickets).toHaveLength(10);
      for (const ticket of tickets) gate.leave(ticket);
    }
    expect(gate.openCount).toBe(0);
  });

  it("narrowed in mid-run, lets nothing in until enough have left", () => {
    const gate = new RunGate(4);
    const tickets = enter(gate, 4, 0);
    gate.freshMax = 1;
    for (const ticket of tickets.slice(1)) gate.leave(ticket);
    expect(enter(gate, 1, 1)).toHaveLength(0);
    gate.leave(tickets[0] as GateTicket);
    expect(enter(gate, 2, 1)).toHaveLength(1);
  });
});

describe("the gate of several teams", () => {
  function shared(): RunGate {
    const gate = new RunGate(100);
    gate.isShared = true;
    return gate;
  }

  /** Lets a team take whatever it may have, for so long that none of its runs is fresh any more. */
  function enterAll(gate: RunGate, teamNumber: number, fromMs: number): number {
    let entered = 0;
    for (let nowMs = fromMs; nowMs < fromMs + 100 * FRESH_RUN_MS; nowMs += FRESH_RUN_MS)
      while (enterOnce(gate, nowMs, teamNumber)) entered++;
    return entered;
  }

  it("a team has at most half of the open runs that others leave free", () => {
    const gate = shared();
    expect(enterAll(gate, 1, 0)).toBe(1000);
    expect(enterAll(gate, 2, 100_000)).toBe(500);
    expect(enterAll(gate, 3, 200_000)).toBe(250);
    expect(enterOnce(gate, 300_000, 4)).toBeDefined();
  });

  it("a team in a burst leaves places for the next one's runs to begin at once", () => {
    const gate = shared();
    let entered = 0;
    while (enterOnce(gate, 0, 1)) entered++;
    expect(entered).toBe(75);
    expect(enterOnce(gate, 0, 2)).toBeDefined();
  });

  it("a team alone has all places", () => {
    const gate = new RunGate(100);
    expect(enterAll(gate, 1, 0)).toBe(2000);
  });
});
