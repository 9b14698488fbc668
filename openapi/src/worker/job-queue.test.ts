import { expect, test } from "vitest";
import { JobQueue } from "./job-queue.ts";

const LIMITS = { waitingMax: 8, waitingBytesMax: 100 };

function aQueue(...jobs: [team: string, bytes: number][]) {
  const queue = new JobQueue(LIMITS);
  for (const [team, bytes] of jobs) queue.add({ team, bytes });
  return queue;
}

test("teams take turns, and each team's jobs keep their order", () => {
  const queue = aQueue(["a", 1], ["a", 2], ["a", 3], ["b", 4], ["c", 5]);
  const order = Array.from({ length: 6 }, () => queue.next()?.bytes);
  expect(order).toEqual([1, 4, 5, 2, 3, undefined]);
});

test("a team that may not run keeps its turn, and is not counted among those that may", () => {
  const queue = aQueue(["a", 1], ["b", 2], ["a", 3]);
  const butA = (team: string) => team !== "a";
  expect([queue.count(butA), queue.length]).toEqual([1, 3]);
  expect([queue.next(butA)?.bytes, queue.next(butA)]).toEqual([2, undefined]);
  expect([queue.next()?.bytes, queue.next()?.bytes]).toEqual([1, 3]);
});

test("a team that fills its share of the queue leaves the rest to the others", () => {
  const queue = aQueue(...Array.from({ length: 6 }, (): [string, number] => ["a", 1]));
  expect(queue.refusalOf({ team: "a", bytes: 1 })).toContain("6 OpenAPI jobs");
  expect(queue.refusalOf({ team: "b", bytes: 1 })).toBeUndefined();
});

test("a team's bytes are bounded, its first job may be large, and nobody joins a queue that is full of bytes", () => {
  const queue = aQueue(["a", 70]);
  expect(queue.refusalOf({ team: "a", bytes: 10 })).toContain("70 bytes");
  expect(queue.refusalOf({ team: "b", bytes: 90 })).toBeUndefined();
  queue.add({ team: "b", bytes: 90 });
  expect(queue.refusalOf({ team: "c", bytes: 1 })).toContain("160 bytes");
});

test("removed jobs no longer count", () => {
  const queue = aQueue(["a", 70], ["b", 20]);
  expect(queue.removeWhere(({ team }) => team === "a")).toEqual([{ team: "a", bytes: 70 }]);
  expect(queue.refusalOf({ team: "a", bytes: 79 })).toBeUndefined();
  expect([queue.next()?.team, queue.next()]).toEqual(["b", undefined]);
});
