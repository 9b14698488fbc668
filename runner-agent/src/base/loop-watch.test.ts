import { setTimeout as sleep } from "node:timers/promises";
import type { LoopHold } from "@svc/contract";
import { expect, it, onTestFinished } from "vitest";
import { beganWork, watchLoop } from "./loop-watch.ts";

it("a held loop is noticed with the work that began before, until the watch ends", async () => {
  const holds: LoopHold[] = [];
  const end = watchLoop(
    () => performance.now(),
    (hold) => holds.push(hold),
  );
  onTestFinished(end);
  await sleep(100);
  const hold = () => {
    const untilMs = performance.now() + 150;
    while (performance.now() < untilMs);
  };
  beganWork("run of http");
  hold();
  await expect.poll(() => holds.filter(({ work }) => work.includes("run of http"))).not.toHaveLength(0);
  expect(holds.find(({ work }) => work.includes("run of http"))?.heldMs).toBeGreaterThan(100);
  end();
  holds.length = 0;
  hold();
  await sleep(100);
  expect(holds).toEqual([]);
});
