/** `svc-control-plane serve`: runs the service until it is asked to end. */
import { parseConfig } from "../../platform/config.ts";
import { collectProcessMetrics } from "../../platform/metrics/registry.ts";
import { type ControlPlane, startControlPlane } from "../main.ts";
import { createLog } from "./log.ts";
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
  const log = createLog(config.logLevel);
  process.on("uncaughtException", (error) => {
    log.fatal({ err: error }, "unexpected error; ending");
    process.exit(1);
  });
  collectProcessMetrics();
  const starting = startControlPlane(config, log);
  const isEnding = endOnSignal(starting);
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
 * Ends the service at the first signal cleanly, at a second one at once. Returns a function: true once a signal has
 * come.
 */
function endOnSignal(starting: Promise<ControlPlane>): () => boolean {
  let isEnding = false;
  const onSignal = (signal: NodeJS.Signals) => {
    if (isEnding) process.exit(1);
    isEnding = true;
    console.log(`${signal}: ending; once more ends at once`);
    setTimeout(() => process.exit(1), END_PATIENCE_MS).unref();
    starting
      .then((controlPlane) => controlPlane.close())
      .then(
        () => process.exit(0),
        () => process.exit(1),
      );
  };
  for (const signal of ["SIGTERM", "SIGINT", "SIGHUP"] as const) process.on(signal, onSignal);
  return () => isEnding;
}
