/** The `svc-runner` command. Exit codes: 0 stopped as asked, 1 could not start or go on, 2 the runner key was refused. */
import { fork } from "node:child_process";
import { examineAll, findingsText, hasProblem, isLoopbackHost, SECOND_MS } from "@svc/contract";
import { type Otel, openLog, startOtel } from "@svc/otel";
import { capabilitiesWith, runProbe } from "@svc/probes";
import { Command, Option } from "commander";
import type { Logger } from "pino";
import type { Registry } from "prom-client";
import { abilitiesText } from "./agent/abilities.ts";
import type { Agent } from "./agent/agent.ts";
import type { AgentFailure } from "./agent/agent-parts.ts";
import { openBrowser } from "./agent/open-browser.ts";
import { type Config, ConfigError, parseConfig } from "./base/config.ts";
import { thisMachine } from "./base/machine.ts";
import { AGENT_VERSION } from "./base/version.ts";
import { isFailedCommit } from "./disk/database.ts";
import { AGENT_EXAMINATIONS, agentPatient } from "./doctor/examinations.ts";
import { hasRoute } from "./network/routes.ts";
import { startAgent } from "./start-agent.ts";
import { superviseThis } from "./supervisor/supervise-this.ts";
import { formerProcesses, Supervisor } from "./supervisor/supervisor.ts";

const HELP = `
Settings (environment):
  SVC_RUNNER_KEY                  runner key of a location (rk_...); required
  SVC_CONTROL_PLANE_URL           the control plane's RunnerService, http(s)://host[:port]; required
  SVC_RUNNER_DATA_DIR             spool and identity; one agent per folder
                                  (default /var/lib/svc-runner when writable, else ./data-runner)
  SVC_RUNNER_PROCESSES            processes that share the work, 1-64, or auto: one per core as far as memory suffices
                                  (default 1); --processes overrides it. They share the limits below, but for the
                                  runs at a time and the weight, which each process has
  SVC_RUNNER_LOCATIONS            hosted keys only: location ids to serve, comma-separated (default: all)
  SVC_RUNNER_HEALTH_HOST          address of /healthz, /readyz and /metrics (default 127.0.0.1)
  SVC_RUNNER_HEALTH_PORT          their port (default 8082); 0: any free one, off: none
  SVC_RUNNER_MAX_IN_FLIGHT        runs begun at a time; those that only wait for a slow target don't count (default 100)
  SVC_RUNNER_SPOOL_BYTES_MAX      largest size of the spool; when full the oldest results go (default 1073741824)
  SVC_RUNNER_ARTIFACT_BYTES_MAX   largest size of pictures and videos on their way; when full no more are taken (default 536870912)
  SVC_RUNNER_BODY_BYTES_MAX       memory for response bodies, over all runs; runs that find none are given back
                                  (default 268435456)
  SVC_RUNNER_CAPACITY_PER_SECOND  weight in the assignment: HTTP runs a second (default 1000)
  SVC_EGRESS_PRIVATE              allow or deny probes to private addresses
                                  (default: allow in private locations, deny in hosted ones)
  SVC_RUNNER_CA_FILE              PEM of the authority that signed the control plane's certificate
  SVC_BROWSER_PATH                Chromium for browser checks (default: Playwright's download, else the system's)
  SVC_BROWSER_MEMORY_BYTES        memory that browser runs may have together (default: half of the machine's);
                                  off: no browser checks
  SVC_BROWSER_UNSANDBOXED_SCRIPTS allow: run browser checks also where there is no sandbox; only for agents whose
                                  teams and targets are all trusted (default deny)
  LOG_LEVEL                       trace, debug, info (default), warn, error, fatal, silent
  The standard OTEL_* variables send the agent's own logs and metrics over OTLP: see docs/operating.md.
  A variable with _FILE after its name, such as SVC_RUNNER_KEY_FILE, names a file that holds its value.

Example:
  SVC_RUNNER_KEY=rk_... SVC_CONTROL_PLANE_URL=https://svc.example.com:8081 svc-runner
  SVC_RUNNER_KEY=rk_... SVC_CONTROL_PLANE_URL=https://svc.example.com:8081 svc-runner doctor

Exit codes: 0 stopped as asked, 1 could not start or go on, 2 the runner key was refused; of doctor: 1 something does not work.`;

const EXIT_CODES: Record<AgentFailure, number> = { key_refused: 2, data_folder_lost: 1 };

/** Runs the command line. Ends the process itself when it started an agent. */
export async function runCli(argv: string[]): Promise<void> {
  const program = new Command("svc-runner")
    .description("Runs checks for an svc control plane and streams their results back.")
    .version(AGENT_VERSION)
    .addHelpText("after", HELP);
  program
    .command("start", { isDefault: true })
    .description("run the agent (the default)")
    .option("--processes <number>", "processes that share the work, or auto: as SVC_RUNNER_PROCESSES")
    .addOption(new Option("--process <number/count>").hideHelp())
    .action(start);
  program
    .command("doctor")
    .description(
      "examine this machine: the way to the control plane, key, clock, disk, network, browser; changes nothing",
    )
    .action(doctor);
  await program.parseAsync(argv);
}

/** Flags of `start`. `process` is given by a supervisor to each process that it starts. */
interface StartOptions {
  processes?: string;
  process?: string;
}

async function start(options: StartOptions): Promise<void> {
  const environment = {
    ...process.env,
    ...(options.processes && { SVC_RUNNER_PROCESSES: options.processes }),
  };
  const { config, number } = readSettings(environment, options.process);
  const isSeveral = number === undefined && (config.processes > 1 || formerProcesses(config).length > 0);
  let registry: Registry | undefined;
  // A process that only supervises has no metrics.
  const otel = await startOtel(isSeveral ? { ...config.otel, metrics: false } : config.otel, {
    name: "svc-runner",
    version: AGENT_VERSION,
    registry: () => registry,
    onTrouble: (message) => log.warn(`OpenTelemetry: ${message}`),
  });
  const base = number === undefined ? undefined : { process: number };
  const log = openLog({ level: config.logLevel, base }, otel?.writeLine);
  process.on("uncaughtException", (cause) => endBroken(log, cause));
  process.on("unhandledRejection", (cause) => {
    if (!isFailedCommit(cause)) endBroken(log, cause);
  });
  const { hostname, protocol } = new URL(config.controlPlaneUrl);
  if (number === undefined && protocol === "http:" && !isLoopbackHost(hostname)) {
    log.warn("the runner key goes over the network unencrypted: use https in SVC_CONTROL_PLANE_URL");
  }
  if (number === undefined)
    for (const name of config.otel.ignored) log.warn(`${name} is set, and has no effect`);
  const parts = { config, log, otel };
  if (isSeveral) return runProcesses(parts);
  return runAgent(parts, (agent) => {
    ({ registry } = agent);
  });
}

/** Longest that one examination may take, ms: a browser's sandbox is tried out. */
const EXAMINATION_LIMIT_MS = 60 * SECOND_MS;

/** Prints what works here, what does not, and what to do; exit code 1 when something does not work. */
async function doctor(): Promise<void> {
  const { config } = readSettings(process.env, undefined);
  const subject = agentPatient(config, thisMachine);
  const findings = await examineAll(AGENT_EXAMINATIONS, { subject, timeLimitMs: EXAMINATION_LIMIT_MS });
  process.stdout.write(`${findingsText(findings)}\n`);
  process.exitCode = hasProblem(findings) ? 1 : 0;
}

/** A process's settings and where it writes. */
interface ProcessParts {
  config: Config;
  log: Logger;
  otel: Otel | undefined;
}

/** Runs an agent in this process. */
async function runAgent(
  { config, log, otel }: ProcessParts,
  onStarted: (agent: Agent) => void,
): Promise<void> {
  const supervision = config.process && superviseThis();
  const browser = openBrowser(config, log);
  const { types: capabilities, missing } = await capabilitiesWith(browser ? { browser } : {});
  for (const { type, reason } of missing) log.info(`${type} checks are not run here: ${reason}`);
  const agent = await startAgent({ config, log, probe: runProbe, capabilities, browser }).catch(
    (cause: unknown) => fatal(log, cause),
  );
  onStarted(agent);
  const [hasIpv4, hasIpv6] = await Promise.all([hasRoute(4), hasRoute(6)]);
  log.info(`this agent ${abilitiesText({ capabilities, hasIpv4, hasIpv6 })}`);
  const stop = async () => {
    await agent.stop();
    await otel?.close();
    if (agent.hasDeliveredAll) await supervision?.delivered();
  };
  if (supervision) supervision.started(agent.healthSources, () => endCleanly(log, stop()));
  else endOnSignal(log, { stop });
  const failure = await agent.failed;
  if (failure === "data_folder_lost") log.fatal("the data folder was taken over by another svc-runner");
  await otel?.close();
  process.exit(EXIT_CODES[failure]);
}

/** Runs an agent as several processes, or as one beside what earlier ones left: this process starts and supervises them. */
async function runProcesses({ config, log, otel }: ProcessParts): Promise<void> {
  const supervisor = new Supervisor({
    config,
    log,
    monotonicMs: thisMachine.monotonicMs,
    startProcess: (number) =>
      fork(process.argv[1] as string, ["start", "--process", `${number}/${config.processes}`], {
        stdio: ["ignore", "inherit", "inherit", "ipc"],
      }),
  });
  const stop = async () => {
    await supervisor.stop();
    await otel?.close();
  };
  endOnSignal(log, { stop, kill: () => supervisor.kill() });
  await supervisor.start().catch((cause: unknown) => fatal(log, cause));
  const exitCode = await supervisor.failed;
  await stop();
  process.exit(exitCode);
}

/** Ends at the first signal cleanly, at a second one at once. */
function endOnSignal(log: Logger, parts: { stop: () => Promise<void>; kill?: () => void }): void {
  let isStopping = false;
  const onSignal = (signal: NodeJS.Signals) => {
    if (isStopping) {
      parts.kill?.();
      process.exit(1);
    }
    isStopping = true;
    log.info(`${signal}: stopping; once more ends at once`);
    endCleanly(log, parts.stop());
  };
  process.on("SIGTERM", onSignal);
  process.on("SIGINT", onSignal);
}

function endCleanly(log: Logger, stopping: Promise<void>): void {
  stopping.then(
    () => process.exit(0),
    (cause: unknown) => fatal(log, cause),
  );
}

/**
 * Reads the settings, of one of several processes when `part` says which. Those of all processes are looked at once more than they
 * are used, so that what can't be divided ends the start.
 */
function readSettings(
  environment: Record<string, string | undefined>,
  part: string | undefined,
): { config: Config; number: number | undefined } {
  try {
    if (part !== undefined) {
      const [number = 0, count = 0] = part.split("/").map(Number);
      return { config: parseConfig(environment, { number, count }), number };
    }
    const config = parseConfig(environment);
    if (config.processes > 1) parseConfig(environment, { number: 1, count: config.processes });
    return { config, number: undefined };
  } catch (error) {
    if (!(error instanceof ConfigError)) throw error;
    process.stderr.write(`svc-runner: ${error.message}\n`);
    process.exit(1);
  }
}

/** Logs an unexpected error with its stack and ends the process. Durable results are in the spool for the next start. */
function endBroken(log: Logger, cause: unknown): never {
  log.fatal({ stack: cause instanceof Error ? cause.stack : undefined }, `internal error: ${String(cause)}`);
  process.exit(1);
}

/** Logs why the agent can't go on and ends the process. */
function fatal(log: Logger, cause: unknown): never {
  log.fatal(`svc-runner can't go on: ${cause instanceof Error ? cause.message : String(cause)}`);
  process.exit(1);
}
