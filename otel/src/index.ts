/** A program's own logs, metrics and traces over OTLP, as the standard OTEL_* variables say. */
export { openLog } from "./log.ts";
export { startOtel } from "./otel.ts";
export type { Otel } from "./program.ts";
export { OTEL_SIGNALS, OTEL_VARIABLES, type OtelSettings, parseOtelSettings } from "./settings.ts";
