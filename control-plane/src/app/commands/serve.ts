/** `svc-control-plane serve`: runs the service until it is asked to end. */
import { type Otel, openLog, startOtel } from "@svc/otel";
import { parseConfig } from "../../platform/config.ts";
import { collectProcessMetrics, processMetrics } from "../../platform/metrics/registry.ts";
import { TRACER } from "../../platform/tracing/traceparent.ts";
import { VERSION } from "../../platform/version.ts";
import { type ControlPlane, startControlPlane } from "../main.ts";
import { welcome } from "./welcome.ts";

/** Longest time for a clean end. The process ends afterwards regardless: PostgreSQL recovers, agents send again. */
const END_PATIENCE_MS = 30_000;

/** Flags of the command. */
export interface ServeOptions {
  /** True for a service of one person on one machine. */
  local?: boolean;
}

/** Starts the service and prints how to reach it. */
export async function serve({ local = false }: ServeOptions = {}): Promise<void> {
  const config = parseConfig(process.env, { isLocal: local });
  const otel = await startOtel(config.otel, {
    name: TRACER,
    version: VERSION,
    registry: () => processMetrics,
    onTrouble: (message) => log.warn(`OpenTelemetry: ${message}`),
  });
  const log = openLog({ level: config.logLevel }, otel?.writeLine);
  for (const { former, present } of config.formerNames)
    log.warn(`${former} is now called ${present}; the former name works until the next major version`);
  for (const name of config.otel.ignored) log.warn(`${name} is set, and has no effect`);
  process.on("uncaughtException", (error) => {
    log.fatal({ err: error }, "unexpected error; ending");
    process.exit(1);
  });
  collectProcessMetrics();
  const starting = startControlPlane(config, log);
  const isEnding = endOnSignal(starting, otel);
  const controlPlane = await starting;
  console.log(`svc answers at ${controlPlane.httpUrl}; starting`);
  try {
    const { runnerUrl, firstBoot } = await controlPlane.ready;
    console.log(welcome(config, { httpUrl: controlPlane.httpUrl, runnerUrl }, firstBoot));
  } catch (error) {
    if (isEnding()) return;
    await controlPlane.close();
    throw error;
  }
}

/**
 * Ends the service at the first signal cleanly, and sends what is left of its telemetry; at a second one at once. Returns a
 * function: true once a signal has come.
 */
function endOnSignal(starting: Promise<ControlPlane>, otel: Otel | undefined): () => boolean {
  let isEnding = false;
  const onSignal = (signal: NodeJS.Signals) => {
    if (isEnding) process.exit(1);
    isEnding = true;
    console.log(`${signal}: ending; once more ends at once`);
    setTimeout(() => process.exit(1), END_PATIENCE_MS).unref();
    starting
      .then((controlPlane) => controlPlane.close())
      .finally(() => otel?.close())
      .then(
        () => process.exit(0),
        () => process.exit(1),
      );
  };
  for (const signal of ["SIGTERM", "SIGINT", "SIGHUP"] as const) process.on(signal, onSignal);
  return () => isEnding;
}
