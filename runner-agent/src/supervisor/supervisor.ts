/**
 * Runs an agent as several processes, so that it uses more than one core: starts them, starts again what ends by itself, and
 * answers the health port for all. Each is an agent of its own for the control plane: it has an identity, a spool and a session.
 * Processes of an earlier, larger number are started once more, to deliver what is left in their data folders, which are removed then.
 */
import type { ChildProcess } from "node:child_process";
import { readdirSync, rmSync } from "node:fs";
import { join } from "node:path";
import type { Logger } from "pino";
import { Counter, Gauge, Registry } from "prom-client";
import type { Config } from "../base/config.ts";
import { PROCESS_FOLDERS, processDataDir } from "../base/process-share.ts";
import { setTimer } from "../base/timer.ts";
import { type HealthServer, startHealthServer } from "../health/server.ts";
import { mergeMetrics } from "./merge-metrics.ts";
import { SupervisedProcess } from "./supervised-process.ts";

/** Exit code of a process whose runner key was refused: starting it again would not help. */
const KEY_REFUSED = 2;
/** Time between two looks whether a process that only delivers is connected. */
const DELIVERY_LOOK_MS = 500;

/** The settings of all processes, and how to start one. */
export interface SupervisorParts {
  config: Config;
  log: Logger;
  monotonicMs: () => number;
  /** Starts the program as the process with this number, with a channel for messages. */
  startProcess: (number: number) => ChildProcess;
}

/** Several processes that are one agent for their operator. Call `start` once, then `stop` once. */
export class Supervisor {
  /** Resolves with the exit code when the agent can't go on. */
  readonly failed: Promise<number>;
  readonly #parts: SupervisorParts;
  readonly #registry = new Registry();
  readonly #restarts: Counter<"process">;
  readonly #processes: SupervisedProcess[] = [];
  readonly #delivering: SupervisedProcess[] = [];
  #fail: (exitCode: number) => void = () => {};
  #health: HealthServer | undefined;
  #isDraining = false;
  #haveStarted = false;

  constructor(parts: SupervisorParts) {
    this.#parts = parts;
    this.failed = new Promise((resolve) => {
      this.#fail = resolve;
    });
    const registers = [this.#registry];
    const gauge = (name: string, help: string, read: () => number) =>
      new Gauge({
        name,
        help,
        registers,
        collect() {
          this.set(read());
        },
      });
    gauge("svc_runner_processes", "Processes that this agent has.", () => parts.config.processes);
    gauge(
      "svc_runner_processes_running",
      "Processes that work now.",
      () => this.#processes.filter(({ isRunning }) => isRunning).length,
    );
    this.#restarts = new Counter({
      name: "svc_runner_process_restarts_total",
      help: "Processes that ended by themselves and were started again.",
      labelNames: ["process"],
      registers,
    });
  }

  /** Base URL of the health routes; undefined when they are off. */
  get healthUrl(): string | undefined {
    return this.#health?.url;
  }

  /**
   * Opens the health port and starts the processes.
   * @throws Error when the health port can't be opened
   */
  async start(): Promise<void> {
    const { config, log } = this.#parts;
    const { healthHost: host, healthPort: port, processes, sharedDataDir: dataDir } = config;
    if (port !== undefined) {
      const registry = { contentType: this.#registry.contentType, metrics: () => this.#metrics() };
      this.#health = await startHealthServer({ host, port, reasons: () => this.#reasons(), registry });
    }
    log.info({ processes, dataDir, health: this.healthUrl }, `svc-runner starts ${processes} processes`);
    for (let number = 1; number <= processes; number++) this.#processes.push(this.#supervise(number));
    for (const number of formerProcesses(config)) this.#deliver(number);
  }

  /** Drains all processes at once; resolves when the last one has ended. */
  async stop(): Promise<void> {
    this.#isDraining = true;
    const all = [...this.#processes, ...this.#delivering];
    for (const one of all) one.stop();
    await Promise.all(all.map(({ ended }) => ended));
    await this.#health?.close();
    this.#parts.log.info("all processes have stopped");
  }

  /** Ends all processes at once. */
  kill(): void {
    for (const one of [...this.#processes, ...this.#delivering]) one.kill();
  }

  #supervise(number: number): SupervisedProcess {
    this.#restarts.inc({ process: String(number) }, 0);
    return this.#open(number, (by) => this.#judgeEnd(number, by));
  }

  /** Runs a process of an earlier, larger number until it has a session: draining it then delivers what it holds. */
  #deliver(number: number): void {
    const { log, config } = this.#parts;
    log.info(`delivers what process ${number} of an earlier start left in ${config.sharedDataDir}`);
    const process = this.#open(number, () => false);
    this.#delivering.push(process);
    const look = async () => {
      if ((await process.reasons()).length === 0) process.stop();
      else cancel = setTimer(() => void look(), DELIVERY_LOOK_MS);
    };
    let cancel = setTimer(() => void look(), DELIVERY_LOOK_MS);
    void process.ended.then(() => {
      cancel();
      if (process.hasDeliveredAll)
        rmSync(processDataDir(config.sharedDataDir, number), { recursive: true, force: true });
    });
  }

  #open(number: number, onEnd: (by: number | string) => boolean): SupervisedProcess {
    const { log, monotonicMs, startProcess } = this.#parts;
    return new SupervisedProcess({
      number,
      start: () => startProcess(number),
      log,
      monotonicMs,
      setTimer,
      onStarted: () => {
        this.#haveStarted = true;
      },
      onEnd,
    });
  }

  /** Decides whether a process starts again. What no process could start with ends the agent, as it ends a single process. */
  #judgeEnd(number: number, by: number | string): boolean {
    if (this.#isDraining) return false;
    if (by === KEY_REFUSED || !this.#haveStarted) {
      this.#fail(typeof by === "number" && by > 0 ? by : 1);
      return false;
    }
    this.#restarts.inc({ process: String(number) });
    return true;
  }

  async #metrics(): Promise<string> {
    const texts = await Promise.all(this.#processes.map((process) => process.metrics()));
    return mergeMetrics([await this.#registry.metrics(), ...texts]);
  }

  async #reasons(): Promise<string[]> {
    const reasons = await Promise.all(
      this.#processes.map(async (process) =>
        (await process.reasons()).map((reason) => `process ${process.number}: ${reason}`),
      ),
    );
    return reasons.flat();
  }
}

/** Returns the numbers of the processes that have a data folder and are not among those of this agent any more. */
export function formerProcesses({ sharedDataDir, processes }: Config): number[] {
  let names: string[] = [];
  try {
    names = readdirSync(join(sharedDataDir, PROCESS_FOLDERS));
  } catch {
    // There were never several processes.
  }
  return names.filter((name) => /^\d{1,3}$/.test(name) && Number(name) > processes).map(Number);
}
