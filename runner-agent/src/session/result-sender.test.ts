import { describe, expect, it } from "vitest";
import { aRecord } from "../../test-support/builders.ts";
import { ResultSender } from "./result-sender.ts";

/** A queue holding results 1..count. */
function aQueue(count: number) {
  const removed: number[] = [];
  const queue = {
    count,
    removed,
    read: (after: number, limit: number) =>
      Array.from({ length: Math.min(limit, queue.count - after) }, (_, index) => ({
        sequence: after + index + 1,
        record: aRecord({ slotMs: after + index + 1 }),
      })),
    remove: (sequences: readonly number[]) => {
      removed.push(...sequences);
    },
  };
  return queue;
}

function sendAll(sender: ResultSender): { seq: number; slots: number[] }[] {
  const sent = [];
  for (let batch = sender.next(); batch !== undefined; batch = sender.next()) {
    sent.push({ seq: Number(batch.seq), slots: batch.slotsMs.map(Number) });
  }
  return sent;
}

describe("sending results", () => {
  it("puts at most 500 in a batch and at most 8 batches on the way", () => {
    const sender = new ResultSender(aQueue(5000));
    const sent = sendAll(sender);
    expect(sent.map(({ slots }) => slots.length)).toEqual(Array.from({ length: 8 }, () => 500));
    sender.acknowledge(3, []);
    expect(sendAll(sender)).toHaveLength(1);
  });

  it("deletes results only when their batch is acknowledged, once", () => {
    const queue = aQueue(3);
    const sender = new ResultSender(queue);
    sendAll(sender);
    expect(queue.removed).toEqual([]);
    sender.acknowledge(1, []);
    sender.acknowledge(1, []);
    sender.acknowledge(77, []);
    expect(queue.removed).toEqual([1, 2, 3]);
  });

  it("sends again over a new stream what was not acknowledged: same numbers, same content, before anything new", () => {
    const queue = aQueue(2);
    const sender = new ResultSender(queue);
    const first = sendAll(sender);
    queue.count = 4;
    const second = sendAll(sender);
    queue.count = 5;
    sender.acknowledge(1, []);
    sender.startStream();
    expect(sendAll(sender)).toEqual([...second, { seq: 3, slots: [5] }]);
    expect(first).toEqual([{ seq: 1, slots: [1, 2] }]);
  });

  it("does not send again what was acknowledged between the streams' start and its turn", () => {
    const sender = new ResultSender(aQueue(1));
    sendAll(sender);
    sender.startStream();
    sender.acknowledge(1, []);
    expect(sendAll(sender)).toEqual([]);
  });

  it("names what the control plane refused, and does not send it again", () => {
    const queue = aQueue(3);
    const sender = new ResultSender(queue);
    sendAll(sender);
    const rejections = [
      { index: 1, reason: "unknown check" },
      { index: 99, reason: "no such result" },
    ];
    expect(sender.acknowledge(1, rejections)).toMatchObject([
      { record: { slotMs: 2 }, reason: "unknown check" },
    ]);
    expect(queue.removed).toEqual([1, 2, 3]);
  });
});
