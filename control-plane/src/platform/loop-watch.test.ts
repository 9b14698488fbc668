import { pino } from "pino";
import { Registry } from "prom-client";
import { expect, it, onTestFinished } from "vitest";
import { beganWork, startLoopWatch } from "./loop-watch.ts";

it("a held loop is measured and logged with the work that began before", async () => {
  const lines: string[] = [];
  const registry = new Registry();
  const watch = startLoopWatch(registry, pino({}, { write: (line: string) => void lines.push(line) }));
  onTestFinished(() => watch.close());
  const holdLoop = () => {
    beganWork("GET /api/slow");
    const untilMs = performance.now() + 150;
    while (performance.now() < untilMs);
  };
  const ofWork = () =>
    lines.map((text) => JSON.parse(text)).find(({ work }) => work.includes("GET /api/slow"));

  // Held again until it is logged: on a busy machine another hold may have been logged within the second.
  const logged = () => {
    if (!ofWork()) holdLoop();
    return ofWork();
  };
  await expect.poll(logged, { interval: 100 }).toBeDefined();

  expect(ofWork()).toMatchObject({ msg: "the event loop was held" });
  expect(ofWork().heldMs).toBeGreaterThan(100);
  expect(await registry.metrics()).toMatch(/svc_event_loop_held_seconds_count [1-9]/);
});
