/** The process's Prometheus metrics. Each part of the service declares its own beside its code, on this registry. */
import { collectDefaultMetrics, Registry } from "prom-client";

export const metrics = new Registry();

/** Adds the process's own figures: CPU, memory, event loop lag, garbage collection. Once per process. */
export function collectProcessMetrics(): void {
  collectDefaultMetrics({ register: metrics });
}
