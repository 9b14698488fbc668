/**
 * Runs the hosted runner agent beside the control plane (`npm start`): a separate process that speaks the real
 * protocol. The agent has a process session of its own, so that Ctrl+C reaches only the control plane, which ends the
 * agent while it can still flush. An agent that dies is started again; one that an earlier, killed control plane left
 * is ended first.
 */

import { type ChildProcess, spawn } from "node:child_process";
import { once } from "node:events";
import { existsSync, mkdirSync, readFileSync, writeFileSync } from "node:fs";
import { createRequire } from "node:module";
import { dirname, join } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import { backoffMs, MINUTE_MS, newId } from "@svc/contract";
import type { Logger } from "pino";
import { storeHostedKey } from "../accounts/identity/credential-store.ts";
import { newKey } from "../accounts/identity/tokens.ts";
import { monotonicMs } from "../platform/clock.ts";
import { keepSecret } from "../platform/db/data-folder.ts";
import { isProcessAlive } from "../platform/is-process-alive.ts";
import type { Services } from "../platform/services.ts";

const RESTARTS = { firstMs: 500, largestMs: 15_000 };
/** An agent that has lived this long begins its backoff anew. */
const STABLE_AFTER_MS = MINUTE_MS;
/** Time that the agent has to finish its runs and flush. */
const STOP_PATIENCE_MS = 16_000;

/** Says that there is no agent to run beside the control plane, and how to get one. */
export class RunnerMissingError extends Error {}

/** The agent that runs beside the control plane. */
export interface EmbeddedRunner {
  /** Ends the agent, which finishes or gives back its slots and flushes. */
  close(): Promise<void>;
}

/**
 * Starts the agent and keeps it running.
 * @param controlPlaneUrl where the runners' service listens
 */
export async function startEmbeddedRunner(
  services: Services,
  controlPlaneUrl: string,
  entry = runnerEntry(),
): Promise<EmbeddedRunner> {
  const { config, log } = services;
  if (!existsSync(entry))
    throw new RunnerMissingError(`the runner agent is not built: ${entry} is missing; run npm run build`);
  const folder = join(config.dataDir, "embedded-runner");
  mkdirSync(folder, { recursive: true, mode: 0o700 });
  const pidFile = join(folder, "pid");
  const environment = {
    PATH: process.env.PATH,
    HOME: process.env.HOME,
    NODE_EXTRA_CA_CERTS: process.env.NODE_EXTRA_CA_CERTS,
    // As in runner-agent/bin/: with the default, two slow host names would hold up all other lookups.
    UV_THREADPOOL_SIZE: process.env.UV_THREADPOOL_SIZE ?? "64",
    LOG_LEVEL: config.logLevel,
    SVC_RUNNER_KEY: await ensureHostedKey(services),
    SVC_CONTROL_PLANE_URL: controlPlaneUrl,
    SVC_RUNNER_DATA_DIR: folder,
    SVC_RUNNER_HEALTH_PORT: "off",
    SVC_EGRESS_PRIVATE: config.egressPrivate,
    PLAYWRIGHT_BROWSERS_PATH: process.env.PLAYWRIGHT_BROWSERS_PATH,
    SVC_BROWSER_PATH: process.env.SVC_BROWSER_PATH,
    SVC_BROWSER_MEMORY_BYTES: process.env.SVC_BROWSER_MEMORY_BYTES,
    SVC_BROWSER_UNSANDBOXED_SCRIPTS: process.env.SVC_BROWSER_UNSANDBOXED_SCRIPTS,
    ...ownTelemetry(process.env),
  };
  await endLeftover(pidFile, entry, log);

  const stopping = new AbortController();
  let child = spawnAgent();
  const supervision = supervise();
  return {
    close: async () => {
      stopping.abort();
      await end(child);
      await supervision;
    },
  };

  function spawnAgent(): ChildProcess {
    const started = spawn(process.execPath, [entry], {
      env: environment,
      detached: true,
      stdio: ["ignore", "inherit", "inherit"],
    });
    writeFileSync(pidFile, String(started.pid ?? ""), { mode: 0o600 });
    return started;
  }

  async function supervise(): Promise<void> {
    let attempt = 0;
    while (true) {
      const startedAtMs = monotonicMs();
      const [code, signal] = await once(child, "exit").catch((error: Error) => [error.message, null]);
      if (stopping.signal.aborted) return;
      attempt = monotonicMs() - startedAtMs > STABLE_AFTER_MS ? 1 : attempt + 1;
      const delayMs = backoffMs(attempt, RESTARTS);
      log.error({ code, signal, delayMs }, "the embedded runner agent ended; starting it again");
      await sleep(delayMs, undefined, { signal: stopping.signal }).catch(() => undefined);
      if (stopping.signal.aborted) return;
      child = spawnAgent();
    }
  }
}

/** Returns the variables of the agent's own telemetry. The name of the service is the control plane's, and traces are its business. */
function ownTelemetry(environment: NodeJS.ProcessEnv): NodeJS.ProcessEnv {
  return Object.fromEntries(
    Object.entries(environment).filter(
      ([name]) => name.startsWith("OTEL_") && name !== "OTEL_SERVICE_NAME" && !name.includes("TRACES"),
    ),
  );
}

/** Returns the path of the built agent, found through its package: so sources, bundle and installed packages find it alike. */
function runnerEntry(): string {
  try {
    const packageFile = createRequire(import.meta.url).resolve("@svc/runner-agent/package.json");
    return join(dirname(packageFile), "dist/main.js");
  } catch (cause) {
    throw new RunnerMissingError(
      "the runner agent is not installed: install @svc/runner-agent beside @svc/control-plane, or set SVC_EMBEDDED_RUNNER to false",
      { cause },
    );
  }
}

/** Returns a key of the hosted pool from the data folder, and makes it known to a database that was replaced. */
async function ensureHostedKey({ knex, config, clock }: Services): Promise<string> {
  const key = keepSecret(config.dataDir, "embedded-runner-key", () => newKey("rk_"));
  const input = { id: newId("runnerKey"), name: "Embedded runner", createdAtMs: clock.nowMs() };
  await storeHostedKey(knex, { ...input, secret: key });
  return key;
}

async function endLeftover(pidFile: string, entry: string, log: Logger): Promise<void> {
  const pid = existsSync(pidFile) ? Number.parseInt(readFileSync(pidFile, "utf8"), 10) : 0;
  if (!isProcessAlive(pid) || !isAgent(pid, entry)) return;
  log.info({ pid }, "ending the runner agent that an earlier control plane left");
  process.kill(pid, "SIGTERM");
  const deadline = monotonicMs() + STOP_PATIENCE_MS;
  while (isProcessAlive(pid) && monotonicMs() < deadline) await sleep(50);
  if (isProcessAlive(pid)) process.kill(pid, "SIGKILL");
}

/** True when the process is an agent. Its id may have been given to another process since; when in doubt, false. */
function isAgent(pid: number, entry: string): boolean {
  try {
    return readFileSync(`/proc/${pid}/cmdline`, "utf8").split("\0").includes(entry);
  } catch {
    return false;
  }
}

async function end(child: ChildProcess): Promise<void> {
  if (child.exitCode !== null || child.signalCode !== null || child.pid === undefined) return;
  const ended = once(child, "exit");
  child.kill("SIGTERM");
  const timer = setTimeout(() => child.kill("SIGKILL"), STOP_PATIENCE_MS);
  await ended;
  clearTimeout(timer);
}
