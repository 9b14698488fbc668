/** The process's Prometheus metrics. Each part of the service declares its own beside its code, on this registry. */
import { collectDefaultMetrics, Registry } from "prom-client";

/** The registry that `/metrics` shows. */
export const processMetrics = new Registry();

/** Adds CPU, memory, event loop lag and garbage collection of the process. Call it once per process. */
export function collectProcessMetrics(): void {
  collectDefaultMetrics({ register: processMetrics });
}
