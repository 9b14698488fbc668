/**
 * Carries out browser checks on this machine. Url mode shares one warm browser, each run in a context of its own; a script has
 * a driver, and so a browser and a box, to itself, of which one is started ahead. Nothing begins for which there is no memory.
 * A browser that breaks is replaced, and what ran in it is given back; a check that was there when one broke runs alone the
 * next times, so that it is known whose doing it is and nobody else suffers from it.
 */
import type { BrowserConfig } from "@svc/contract";
import { MINUTE_MS } from "@svc/contract";
import { createEgress, type Egress } from "@svc/egress";
import type { ProbeOutcome, RunFault } from "../run/outcome.ts";
import type { ProbeContext, ProbeHost, ProbeRequest } from "../run/probe.ts";
import { type FoundBrowser, findBrowser } from "./find-browser.ts";
import { MemoryBudget, NoRoom } from "./memory-budget.ts";
import { DriverProcess, type DriverSettings } from "./process/driver-process.ts";
import { checkSandbox, type SandboxCheck } from "./process/sandbox.ts";
import { SharedDriver } from "./process/shared-driver.ts";
import { type WatchedRun, watchRun } from "./process/watched-run.ts";
import type { RunJob } from "./protocol/messages.ts";
import { runRetried } from "./retried-run.ts";
import {
  crashForMemory,
  endFault,
  fault,
  invalidScript,
  PAGE_TOO_LARGE,
  SCRIPT_BYTES_MAX,
  SCRIPT_PROCESSES_MAX,
  SCRIPT_TOO_LARGE,
  scriptEnd,
} from "./run-end.ts";
import { scriptJob, urlJob } from "./run-job.ts";
import { judgeReport, outcomeOf } from "./run-result.ts";
import { ScriptInvalid } from "./script-source.ts";

const MIB = 1024 * 1024;
/**
 * Estimates with room to spare: a warm headless shell, its driver and one run of a small page after the other peak at 223 MiB, the
 * agent's own memory included (docs/performance.md); real pages take more.
 */
const SHARED_BASE_BYTES = 320 * MIB;
const PAGE_BYTES = 192 * MIB;
const PAGES_MAX = 8;
const SHARED_PROCESSES_MAX = 400;
/** A run waits for memory this long; a slot is worth running for a minute. */
const ROOM_WAIT_MS = 30_000;
const SUSPECTS_MAX = 1_000;
const WARN_INTERVAL_MS = MINUTE_MS;

export interface BrowserRuntimeOptions {
  /** Bundle of the driver. */
  driverEntry: string;
  /** Path of a Chromium; undefined: look for one. */
  browserPath: string | undefined;
  /** What all browser runs together may have. */
  memoryBytesMax: number;
  /** Run scripts also where there is no sandbox: for agents that only one, trusted team uses. */
  allowsUnsandboxedScripts: boolean;
  environment: Record<string, string | undefined>;
  /** What boxes drivers in. Default: what this machine has. */
  sandbox?: SandboxCheck;
  /** Something to tell the operator. */
  warn: (message: string) => void;
}

export class BrowserRuntime implements ProbeHost {
  readonly browser: FoundBrowser;
  /** Why there is no sandbox; undefined when there is one. */
  readonly sandboxProblem: string | undefined;
  readonly #options: BrowserRuntimeOptions;
  readonly #bwrapPath: string | undefined;
  readonly #room: MemoryBudget;
  readonly #shared: SharedDriver<DriverProcess>;
  readonly #suspects = new Set<string>();
  readonly #egress = new Map<boolean, Egress>();
  #warmScript: Promise<DriverProcess> | undefined;
  #isClosed = false;
  #warnedMs = Number.NEGATIVE_INFINITY;

  /** @throws BrowserMissing */
  constructor(options: BrowserRuntimeOptions) {
    this.#options = options;
    this.browser = findBrowser(options.browserPath, options.environment);
    const { bwrapPath, problem } = options.sandbox ?? checkSandbox();
    this.#bwrapPath = bwrapPath;
    this.sandboxProblem = problem;
    this.#room = new MemoryBudget(options.memoryBytesMax);
    const pages = Math.floor((options.memoryBytesMax - SHARED_BASE_BYTES) / PAGE_BYTES);
    const slots = Math.min(PAGES_MAX, Math.max(1, pages));
    this.#shared = new SharedDriver({
      slots,
      warn: options.warn,
      start: async () => {
        const giveBack = await this.#room.take(SHARED_BASE_BYTES, ROOM_WAIT_MS);
        try {
          const driver = await DriverProcess.start(
            this.#driverSettings({
              slots,
              isForScripts: false,
              limits: {
                memoryBytesMax: SHARED_BASE_BYTES + slots * PAGE_BYTES,
                processesMax: SHARED_PROCESSES_MAX,
              },
            }),
          );
          void driver.ended.then(giveBack);
          return driver;
        } catch (error) {
          giveBack();
          throw error;
        }
      },
    });
  }

  /** Whether scripts can run here. */
  get canRunScripts(): boolean {
    return this.#bwrapPath !== undefined || this.#options.allowsUnsandboxedScripts;
  }

  async run(request: ProbeRequest, context: ProbeContext): Promise<ProbeOutcome> {
    const outcome = await runRetried(request, context, (attempt) => this.#run(request, attempt));
    if (outcome.kind === "fault" && outcome.reason !== "draining") this.#warnOfFault(request, outcome);
    return outcome;
  }

  /** A slot that is given back leaves no result: the operator is told why, at most once a minute. */
  #warnOfFault({ checkId }: ProbeRequest, { reason, message }: RunFault): void {
    const nowMs = performance.now();
    if (nowMs - this.#warnedMs < WARN_INTERVAL_MS) return;
    this.#warnedMs = nowMs;
    this.#options.warn(`a browser run of ${checkId} was given back (${reason}): ${message}`);
  }

  async #run(request: ProbeRequest, context: ProbeContext): Promise<ProbeOutcome> {
    try {
      const config = request.config as BrowserConfig;
      if (config.browserMode === "scripted") return await this.#runScript(config, request, context);
      return this.#suspects.has(request.checkId)
        ? await this.#runAlone(config, request, context)
        : await this.#runShared(config, request, context);
    } catch (error) {
      if (error instanceof NoRoom) return fault("capacity", error.message);
      return fault("crash", error instanceof Error ? error.message : String(error));
    }
  }

  /** Ends every browser. Runs that are under way become faults. */
  async close(): Promise<void> {
    this.#isClosed = true;
    const warm = await this.#warmScript?.catch(() => undefined);
    await Promise.all([warm?.kill(), this.#shared.close()]);
  }

  async #runShared(
    config: BrowserConfig,
    request: ProbeRequest,
    context: ProbeContext,
  ): Promise<ProbeOutcome> {
    const giveBack = await this.#room.take(PAGE_BYTES, ROOM_WAIT_MS);
    try {
      const run = await this.#shared.use(ROOM_WAIT_MS, (driver, slot) =>
        watchRun(driver, { ...this.#watchOptions(context), job: urlJob(config), slot }),
      );
      if (!run) return fault("capacity", "the browser had no room for another page in time");
      const { report } = run;
      if (!report || report.cause === "crash") {
        if (run.end !== "aborted") this.#suspect(request.checkId);
        return report ? fault("crash", report.errorMessage ?? "the page crashed") : endFault(run.end);
      }
      return await outcomeOf(run, judgeReport(report, run), request, context);
    } finally {
      giveBack();
    }
  }

  /** A page that was there when a browser broke: what it breaks now is its own. */
  async #runAlone(
    config: BrowserConfig,
    request: ProbeRequest,
    context: ProbeContext,
  ): Promise<ProbeOutcome> {
    const giveBack = await this.#room.take(SCRIPT_BYTES_MAX, ROOM_WAIT_MS);
    try {
      const driver = await this.#startAlone(false);
      const run = await this.#watchAndEnd(driver, urlJob(config), context);
      if (run.report) {
        if (run.report.status === "success") this.#suspects.delete(request.checkId);
        const judgement =
          crashForMemory(run.report, driver.shortage, PAGE_TOO_LARGE) ?? judgeReport(run.report, run);
        return await outcomeOf(run, judgement, request, context);
      }
      if (typeof run.end === "object" && run.end.cause === "memory")
        return await outcomeOf(run, PAGE_TOO_LARGE, request, context);
      return endFault(run.end);
    } finally {
      giveBack();
    }
  }

  async #runScript(
    config: Extract<BrowserConfig, { browserMode: "scripted" }>,
    request: ProbeRequest,
    context: ProbeContext,
  ): Promise<ProbeOutcome> {
    if (!this.canRunScripts)
      return fault(
        "unsupported",
        `this runner runs no scripts, since it has no sandbox: ${this.sandboxProblem}`,
      );
    const giveBack = await this.#room.take(SCRIPT_BYTES_MAX, ROOM_WAIT_MS);
    try {
      const job = await scriptJob(config);
      const driver = await this.#takeScriptDriver();
      const run = await this.#watchAndEnd(driver, job, context);
      const judgement = run.report
        ? (crashForMemory(run.report, driver.shortage, SCRIPT_TOO_LARGE) ?? judgeReport(run.report, run))
        : (scriptEnd(run, config.timeoutMs) ?? endFault(run.end));
      return await outcomeOf(run, judgement, request, context);
    } catch (error) {
      if (!(error instanceof ScriptInvalid)) throw error;
      return invalidScript(error, context);
    } finally {
      giveBack();
      this.#warmUp();
    }
  }

  async #watchAndEnd(driver: DriverProcess, job: RunJob, context: ProbeContext): Promise<WatchedRun> {
    try {
      return await watchRun(driver, { ...this.#watchOptions(context), job, slot: 0 });
    } finally {
      await driver.kill();
    }
  }

  async #takeScriptDriver(): Promise<DriverProcess> {
    const warm = await this.#warmScript?.catch(() => undefined);
    this.#warmScript = undefined;
    return warm && !warm.hasEnded ? warm : this.#startAlone(true);
  }

  /** Starts the driver of the next script, when there is memory for one that nobody else waits for. */
  #warmUp(): void {
    if (this.#isClosed || this.#warmScript || this.#room.waiting > 0) return;
    const warm = this.#startAlone(true);
    this.#warmScript = warm;
    warm.catch((error: Error) => this.#options.warn(`no browser could be started ahead: ${error.message}`));
  }

  #startAlone(isForScripts: boolean): Promise<DriverProcess> {
    const limits = { memoryBytesMax: SCRIPT_BYTES_MAX, processesMax: SCRIPT_PROCESSES_MAX };
    return DriverProcess.start(this.#driverSettings({ slots: 1, isForScripts, limits }));
  }

  #driverSettings(settings: Pick<DriverSettings, "slots" | "isForScripts" | "limits">): DriverSettings {
    const { driverEntry: entry } = this.#options;
    return { entry, browser: this.browser, bwrapPath: this.#bwrapPath, ...settings };
  }

  #watchOptions(context: ProbeContext) {
    return {
      egress: context.egress ?? this.#egressFor(context),
      nowMs: context.nowMs,
      signal: context.signal,
    };
  }

  #egressFor({ allowPrivateAddresses: allowPrivate }: ProbeContext): Egress {
    const known = this.#egress.get(allowPrivate);
    if (known) return known;
    const made = createEgress({ allowPrivate });
    this.#egress.set(allowPrivate, made);
    return made;
  }

  #suspect(checkId: string): void {
    if (this.#suspects.size >= SUSPECTS_MAX) this.#suspects.clear();
    this.#suspects.add(checkId);
  }
}
