import { setTimeout as sleep } from "node:timers/promises";
import { pino } from "pino";
import { Registry } from "prom-client";
import { expect, it, onTestFinished } from "vitest";
import { beganWork, startLoopWatch } from "./loop-watch.ts";

it("a held loop is measured and logged with the work that began before", async () => {
  const lines: string[] = [];
  const registry = new Registry();
  const watch = startLoopWatch(registry, pino({}, { write: (line: string) => void lines.push(line) }));
  onTestFinished(() => watch.close());
  await sleep(100);
  beganWork("GET /api/slow");
  const untilMs = performance.now() + 150;
  while (performance.now() < untilMs);
  await expect.poll(() => lines.join("")).toContain("the event loop was held");
  const line = lines.map((text) => JSON.parse(text)).find(({ work }) => work.includes("GET /api/slow"));
  expect(line.heldMs).toBeGreaterThan(100);
  expect(await registry.metrics()).toMatch(/svc_event_loop_held_seconds_count [1-9]/);
});
