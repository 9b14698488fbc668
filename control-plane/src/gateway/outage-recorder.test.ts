import { expect, test } from "vitest";
import { OutageRecorder } from "./outage-recorder.ts";
import type { Outage } from "./outage-store.ts";

/** A recorder whose clocks are moved by hand, and whose database is there or not. */
function aRecorder() {
  const clock = { nowMs: 1_000_000, monotonicMs: 0, isAway: false };
  const recorded: Outage[] = [];
  const recorder = new OutageRecorder({
    store: {
      insertOutage: async (_replicaId, outage) => {
        if (clock.isAway) throw new Error("the database is away");
        recorded.push(outage);
      },
    },
    replicaId: "replica",
    nowMs: () => clock.nowMs,
    monotonicMs: () => clock.monotonicMs,
  });
  const pass = (ms: number) => {
    clock.nowMs += ms;
    clock.monotonicMs += ms;
  };
  const poll = async (lastsMs = 0) => {
    recorder.pollBegins();
    pass(lastsMs);
    await recorder.pollEnded();
  };
  return { clock, recorded, recorder, pass, poll };
}

test("the time without changes is recorded from the begin of the last poll that read them", async () => {
  const { recorded, recorder, pass, poll } = aRecorder();
  await poll(100);
  pass(1_000);
  recorder.pollBegins(); // fails
  pass(20_000);
  await poll(200);
  expect(recorded).toEqual([{ fromMs: 1_000_000, untilMs: 1_021_300 }]);
  pass(1_000);
  await poll();
  expect(recorded).toHaveLength(1);
});

test("a short time, the time before the first poll and a clock that is set are no outage", async () => {
  const { clock, recorded, pass, poll } = aRecorder();
  pass(60_000);
  await poll();
  pass(14_999);
  await poll();
  clock.nowMs += 3_600_000;
  await poll();
  expect(recorded).toEqual([]);
});

test("an outage that can't be recorded yet is recorded later, longer", async () => {
  const { clock, recorded, pass, poll } = aRecorder();
  await poll();
  pass(20_000);
  clock.isAway = true;
  await expect(poll()).rejects.toThrow("away");
  clock.isAway = false;
  pass(5_000);
  await poll();
  expect(recorded).toEqual([{ fromMs: 1_000_000, untilMs: 1_025_000 }]);
});
