/**
 * Carries out browser checks on this machine. Runs in url mode share one warm browser, each in a context of its own. A
 * script has a driver to itself, and so a browser and a sandbox; one such driver is started ahead. No run begins before
 * there is memory for it. A browser that breaks is replaced, and the runs in it are given back. A check that ran when a
 * browser broke runs alone from then on, so that the next break shows whose doing it is and harms nobody else.
 */

import { type BrowserConfig, SCRIPT_BROWSER_PAGES, SHARED_PAGES_MAX } from "@svc/contract";
import { monotonicMs } from "../base/machine-clocks.ts";
import { traceContextOf } from "../http/trace-context.ts";
import { targetUrl } from "../measured-run/measured-run.ts";
import { type ConnectionSettings, connectionSettingsOf } from "../run/connection-settings.ts";
import { egressOf } from "../run/egress-of.ts";
import type { ProbeOutcome, RunFault } from "../run/outcome.ts";
import type { ProbeContext, ProbeHost, ProbeRequest } from "../run/probe.ts";
import { BrowserMissing, type FoundBrowser, findBrowser } from "./find-browser.ts";
import { MemoryBudget, MemoryUnavailable } from "./memory-budget.ts";
import { DriverProcess } from "./process/driver-process.ts";
import { checkSandbox, findFolderProblem, type SandboxCheck } from "./process/sandbox.ts";
import { SharedDriver } from "./process/shared-driver.ts";
import type { DriverSettings } from "./process/spawn-driver.ts";
import { type WatchedRun, type WatchOptions, watchRun } from "./process/watched-run.ts";
import type { RunJob } from "./protocol/messages.ts";
import { runRetried } from "./retried-run.ts";
import {
  crashForMemory,
  endFault,
  fault,
  invalidScript,
  judgeReport,
  PAGE_TOO_LARGE,
  SCRIPT_BYTES_MAX,
  SCRIPT_PROCESSES_MAX,
  SCRIPT_TOO_LARGE,
  scriptEnd,
} from "./run-end.ts";
import { scriptJob, urlJob } from "./run-job.ts";
import { outcomeOf } from "./run-result.ts";
import { ScriptDrivers } from "./script-drivers.ts";
import { ScriptInvalid } from "./script-source.ts";
import { NotStartedInTime, START_MS_MAX, StartDeadline } from "./start-deadline.ts";

const MIB = 1024 * 1024;
/**
 * Memory of the shared browser without pages, and of each page. Estimates with a margin: a warm headless shell, its
 * driver and one run of a small page after the other peak at 223 MiB, the agent's own memory included
 * (docs/performance.md); real pages take more.
 */
const SHARED_BASE_BYTES = 320 * MIB;
const PAGE_BYTES = SCRIPT_BYTES_MAX / SCRIPT_BROWSER_PAGES;
const SHARED_PROCESSES_MAX = 400;
const SUSPECTS_MAX = 1_000;
const WARN_INTERVAL_MS = 60_000;

/** The settings of browser checks on this machine. */
export interface BrowserRuntimeOptions {
  /** Path of the driver's bundle. */
  driverEntry: string;
  /** Path of a Chromium; undefined: look for one. */
  browserPath: string | undefined;
  /** Memory that all browser runs together may have. */
  memoryBytesMax: number;
  /** Run browsers and scripts even where there is no sandbox. For agents all of whose teams are trusted. */
  allowsUnsandboxedScripts: boolean;
  /** Folders of the agent that no sandbox may show: its data folder and the folder that it was started in. */
  privateFolders: readonly string[];
  environment: Record<string, string | undefined>;
  /** The sandbox for drivers. Default: the one that this machine has. */
  sandbox?: SandboxCheck;
  /** Tells the operator something. */
  warn: (message: string) => void;
}

/** One attempt of a run, with the time that it has to start. */
interface BrowserRun {
  request: ProbeRequest;
  context: ProbeContext;
  deadline: StartDeadline;
}

/**
 * Carries out browser checks of both modes. Calls of `run` may overlap: each waits until there is memory for its
 * run, and becomes a fault when that takes too long. Close it once, at the end of the agent.
 */
export class BrowserRuntime implements ProbeHost {
  readonly browser: FoundBrowser;
  /** Why there is no sandbox; undefined when there is one. */
  readonly sandboxProblem: string | undefined;
  /** True when a run can be held to limits of its traffic: only a sandbox leaves the proxy, which enforces them, as the one way out. */
  readonly limitsTraffic: boolean;
  /** Pages that there is memory for; a script takes as much as four. At least 1. */
  readonly pagesMax: number;
  readonly #options: BrowserRuntimeOptions;
  readonly #bwrapPath: string | undefined;
  readonly #memory: MemoryBudget;
  readonly #shared: SharedDriver<DriverProcess>;
  readonly #scriptDrivers: ScriptDrivers;
  /** Ids of checks that ran when a browser broke. */
  readonly #suspects = new Set<string>();
  #warnedMs = Number.NEGATIVE_INFINITY;

  /** @throws BrowserMissing */
  constructor(options: BrowserRuntimeOptions) {
    const { warn } = options;
    this.#options = options;
    this.browser = findBrowser(options.browserPath, options.environment);
    const { bwrapPath, problem } = options.sandbox ?? checkSandbox();
    this.#bwrapPath = bwrapPath;
    this.sandboxProblem = problem;
    this.limitsTraffic = bwrapPath !== undefined;
    if (bwrapPath !== undefined) {
      const folderProblem = findFolderProblem(this.browser.executablePath, options.privateFolders);
      if (folderProblem !== undefined) throw new BrowserMissing(folderProblem);
    }
    this.#memory = new MemoryBudget(options.memoryBytesMax);
    const pages = Math.floor((options.memoryBytesMax - SHARED_BASE_BYTES) / PAGE_BYTES);
    this.pagesMax = Math.max(1, pages);
    const lanes = Math.min(SHARED_PAGES_MAX, Math.max(1, pages));
    this.#shared = new SharedDriver({ lanes, warn, monotonicMs, start: () => this.#startShared(lanes) });
    this.#scriptDrivers = new ScriptDrivers({
      start: (readyMsMax) => this.#startAlone({ isForScripts: true, readyMsMax }),
      mayStartAhead: () => this.#memory.waiting === 0,
      warn,
    });
  }

  /** True when browser checks of any kind may run here. */
  get isUsable(): boolean {
    return this.#bwrapPath !== undefined || this.#options.allowsUnsandboxedScripts;
  }

  async run(request: ProbeRequest, context: ProbeContext): Promise<ProbeOutcome> {
    const outcome = await runRetried(request, context, (attempt) => this.#runOnce(request, attempt));
    if (outcome.kind === "fault" && outcome.reason !== "draining") this.#warnOfFault(request, outcome);
    return outcome;
  }

  /** Ends every browser. Runs that are under way become faults. */
  async close(): Promise<void> {
    await Promise.all([this.#scriptDrivers.close(), this.#shared.close()]);
  }

  /** A slot that is given back leaves no result, so the log says why, at most once a minute. */
  #warnOfFault({ checkId }: ProbeRequest, { reason, message }: RunFault): void {
    const nowMs = monotonicMs();
    if (nowMs - this.#warnedMs < WARN_INTERVAL_MS) return;
    this.#warnedMs = nowMs;
    this.#options.warn(`a browser run of ${checkId} was given back (${reason}): ${message}`);
  }

  async #runOnce(request: ProbeRequest, context: ProbeContext): Promise<ProbeOutcome> {
    if (!this.isUsable)
      return fault("unsupported", `this runner has no sandbox for browsers: ${this.sandboxProblem}`);
    const deadline = new StartDeadline(context);
    try {
      const config = request.config as BrowserConfig;
      const run: BrowserRun = { request, context, deadline };
      // Limits hold by the sandbox's only way out: without it a script could go around them.
      if (request.trafficLimits && this.#bwrapPath === undefined)
        return fault("unsupported", "a script can run with limits of its traffic only in a sandbox");
      if (config.browserMode === "scripted") return await this.#runScript(config, run);
      if (request.trafficLimits)
        return fault("unsupported", "only a script can run with limits of its traffic");
      return this.#suspects.has(request.checkId)
        ? await this.#runAlone(config, run)
        : await this.#runShared(config, run);
    } catch (error) {
      if (error instanceof MemoryUnavailable || error instanceof NotStartedInTime)
        return fault("capacity", error.message);
      return fault("crash", error instanceof Error ? error.message : String(error));
    }
  }

  async #runShared(config: BrowserConfig, { request, context, deadline }: BrowserRun): Promise<ProbeOutcome> {
    const release = await this.#memory.reserve(PAGE_BYTES, deadline.remainingMs);
    try {
      const run = await this.#shared.use(deadline.remainingMs, (driver, lane) =>
        watchRun(driver, { ...watchOptions(request, context), job: urlJob(config), lane }),
      );
      if (!run) return fault("capacity", "the browser had no capacity for another page in time");
      const { report } = run;
      if (!report || report.cause === "crash") {
        if (run.end !== "aborted") this.#suspect(request.checkId);
        return report ? fault("crash", report.errorMessage ?? "the page crashed") : endFault(run.end);
      }
      return await outcomeOf({ run, judgement: judgeReport(report, run) }, request, context);
    } finally {
      release();
    }
  }

  /** Runs a page in a driver of its own, because a browser broke while it ran: a further break is its own doing. */
  async #runAlone(config: BrowserConfig, { request, context, deadline }: BrowserRun): Promise<ProbeOutcome> {
    const release = await this.#memory.reserve(SCRIPT_BYTES_MAX, deadline.remainingMs);
    try {
      const driver = await this.#startAlone({ isForScripts: false, readyMsMax: deadline.remainingMs });
      const run = await watchAndEnd(driver, urlJob(config), watchOptions(request, context));
      if (run.report) {
        if (run.report.status === "success") this.#suspects.delete(request.checkId);
        const judgement =
          crashForMemory(run.report, driver.shortage, PAGE_TOO_LARGE) ?? judgeReport(run.report, run);
        return await outcomeOf({ run, judgement }, request, context);
      }
      if (typeof run.end === "object" && run.end.cause === "memory")
        return await outcomeOf({ run, judgement: PAGE_TOO_LARGE }, request, context);
      return endFault(run.end);
    } finally {
      release();
    }
  }

  async #runScript(
    config: Extract<BrowserConfig, { browserMode: "scripted" }>,
    { request, context, deadline }: BrowserRun,
  ): Promise<ProbeOutcome> {
    const release = await this.#memory.reserve(SCRIPT_BYTES_MAX, deadline.remainingMs);
    try {
      const limits = request.trafficLimits;
      const job = await scriptJob(config, limits !== undefined);
      const driver = await this.#scriptDrivers.acquire(deadline.remainingMs);
      const run = await watchAndEnd(driver, job, { ...watchOptions(request, context), limits });
      const judgement = run.report
        ? (crashForMemory(run.report, driver.shortage, SCRIPT_TOO_LARGE) ?? judgeReport(run.report, run))
        : (scriptEnd(run, config.timeoutMs) ?? endFault(run.end));
      return await outcomeOf({ run, judgement }, request, context);
    } catch (error) {
      if (!(error instanceof ScriptInvalid)) throw error;
      return invalidScript(error, context);
    } finally {
      release();
      this.#scriptDrivers.startAhead();
    }
  }

  async #startShared(lanes: number): Promise<DriverProcess> {
    const release = await this.#memory.reserve(SHARED_BASE_BYTES, START_MS_MAX);
    try {
      const limits = {
        memoryBytesMax: SHARED_BASE_BYTES + lanes * PAGE_BYTES,
        processesMax: SHARED_PROCESSES_MAX,
      };
      const driver = await this.#start({ lanes, isForScripts: false, readyMsMax: START_MS_MAX, limits });
      void driver.ended.then(release);
      return driver;
    } catch (error) {
      release();
      throw error;
    }
  }

  #startAlone(settings: Pick<DriverSettings, "isForScripts" | "readyMsMax">): Promise<DriverProcess> {
    const limits = { memoryBytesMax: SCRIPT_BYTES_MAX, processesMax: SCRIPT_PROCESSES_MAX };
    return this.#start({ lanes: 1, ...settings, limits });
  }

  #start(
    settings: Pick<DriverSettings, "lanes" | "isForScripts" | "limits" | "readyMsMax">,
  ): Promise<DriverProcess> {
    const { driverEntry: entry, privateFolders } = this.#options;
    return DriverProcess.start({
      entry,
      browser: this.browser,
      bwrapPath: this.#bwrapPath,
      privateFolders,
      ...settings,
    });
  }

  #suspect(checkId: string): void {
    if (this.#suspects.size >= SUSPECTS_MAX) this.#suspects.clear();
    this.#suspects.add(checkId);
  }
}

async function watchAndEnd(
  driver: DriverProcess,
  job: RunJob,
  options: Omit<WatchOptions, "job" | "lane">,
): Promise<WatchedRun> {
  try {
    return await watchRun(driver, { ...options, job, lane: 0 });
  } finally {
    await driver.kill();
  }
}

function watchOptions(request: ProbeRequest, context: ProbeContext): Omit<WatchOptions, "job" | "lane"> {
  const { nowMs, signal, caCertificates } = context;
  return {
    egress: egressOf(context),
    trace: traceContextOf(request, context),
    nowMs,
    signal,
    caCertificates,
    connection: connectionOf(request.config as BrowserConfig),
  };
}

/** Returns how the run's connections are made: as those of other types, but that a page's many hosts may have public certificates. */
function connectionOf(config: BrowserConfig): ConnectionSettings | undefined {
  const hosts = (config.clientCertificateHosts ?? []).map((host) => targetUrl("https", host, 443).href);
  const urls = config.browserMode === "url" ? [config.url, ...hosts] : hosts;
  return connectionSettingsOf(config, urls, { trustsPublicToo: true });
}
