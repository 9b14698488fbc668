/** The way in: loads OpenTelemetry's SDK only where it is wanted. */
import type { Otel, OtelProgram } from "./program.ts";
import type { OtelSettings } from "./settings.ts";

/**
 * Starts what the settings ask for. Without any signal nothing is loaded and nothing is done.
 * @returns undefined when no signal is on
 */
export async function startOtel(settings: OtelSettings, program: OtelProgram): Promise<Otel | undefined> {
  if (!settings.traces && !settings.metrics && !settings.logs) return undefined;
  const { startSdk } = await import("./start.ts");
  return startSdk(settings, program);
}
