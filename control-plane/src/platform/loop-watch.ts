/** Watches this process's event loop: measures how long it was held, and logs what ran then. */
import { LOOP_TICK_MS, LoopGuard } from "@svc/contract";
import type { Logger } from "pino";
import type { Registry } from "prom-client";
import { monotonicMs } from "./clock.ts";
import { metricsOf } from "./metrics/metrics-of.ts";

const guard = new LoopGuard();

/** Names the work that begins now, for the log line about a hold: `GET /api/checks`, `job rollups`. */
export function beganWork(name: string): void {
  guard.began(name);
}

/**
 * Returns for how long this process was late since its start, ms; 0 while nothing watches. What a duration holds of that
 * is no fault of whom the process waited for.
 */
export function lostMs(): number {
  return guard.lostMs(monotonicMs());
}

/** Starts the watch. Call it once per process. */
export function startLoopWatch(registry: Registry, log: Logger): { close(): Promise<void> } {
  const heldSeconds = metricsOf(registry).histogram(
    "svc_event_loop_held_seconds",
    "Times longer than 50 ms during which the event loop was held.",
    { buckets: [0.1, 0.25, 0.5, 1, 2.5, 5] },
  );
  const timer = setInterval(() => {
    const { user, system } = process.cpuUsage();
    const hold = guard.tick({ nowMs: monotonicMs(), cpuMs: (user + system) / 1000 });
    if (!hold) return;
    heldSeconds.observe(hold.heldMs / 1000);
    const { isReported, ...reported } = hold;
    if (isReported) log.warn(reported, "the event loop was held");
  }, LOOP_TICK_MS).unref();
  return { close: async () => clearInterval(timer) };
}
