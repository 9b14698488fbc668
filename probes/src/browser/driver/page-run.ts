/**
 * The part that both kinds of run share: a fresh context, the recording of its traffic, pictures, and the report at
 * the end.
 */

import type { BrowserContext, BrowserContextOptions, Page, Response } from "playwright";
import { wallMs } from "../../base/machine-clocks.ts";
import { SCREENSHOTS_MAX } from "../protocol/limits.ts";
import type { PageSettings, RunReport } from "../protocol/messages.ts";
import { measureAgentView } from "./agent-view.ts";
import type { SendMessage } from "./frame-writer.ts";
import { phasesOf, readVitals } from "./measure-page.ts";
import { outlineOf } from "./page-outline.ts";
import { COLLECT_VITALS } from "./page-scripts.ts";
import { Recording, round } from "./recording.ts";
import { type ContextParts, newContext, sizeOf } from "./run-context.ts";
import { within } from "./time-limit.ts";
import { collectVideo, videoOptions } from "./video.ts";

const JPEG_QUALITY = 70;
const SCREENSHOT_LIMIT_MS = 5_000;
const MEASURE_LIMIT_MS = 3_000;
const CLOSE_LIMIT_MS = 3_000;
const NOTE_CHARACTERS_MAX = 1_000;

/** The part of a report that says how the run ended, and why where it is no success. */
export type Conclusion = Pick<RunReport, "status" | "cause" | "errorMessage"> &
  Partial<Pick<RunReport, "scriptLine">>;

/** The measurements of a run that its kind makes: its times, ms, and the response that its main document came with. */
export interface MeasuredRun {
  elapsedMs: number;
  responseTimeMs: number;
  document: Response | null;
}

/** The parts of a run that its driver hands in. */
export interface RunParts extends ContextParts {
  sendMessage: SendMessage;
}

/** One run in a context of its own, from its opening to its report. Open it with `PageRun.open` and end it once. */
export class PageRun {
  readonly context: BrowserContext;
  readonly recording: Recording;
  readonly notes: string[] = [];
  startedAtMs: number;
  readonly settings: PageSettings;
  readonly #parts: RunParts;
  readonly #videoFolder: string | undefined;
  /** Contexts that the script opened itself. */
  readonly #others: BrowserContext[] = [];
  #screenshots = 0;
  /** True once a video was handed over. The first test that failed provides it. */
  #hasVideo = false;
  #pages: Page[] = [];
  /** Rejects when the process of a page ends under the run. */
  readonly crashed: Promise<never>;
  #onCrash: (error: PageCrashed) => void = () => {};

  private constructor(parts: RunParts, context: BrowserContext, videoFolder: string | undefined) {
    this.#parts = parts;
    this.#videoFolder = videoFolder;
    this.context = context;
    this.settings = parts.command.job.settings;
    this.startedAtMs = this.nowMs();
    this.recording = new Recording(() => this.nowMs());
    this.crashed = new Promise((_resolve, reject) => {
      this.#onCrash = reject;
    });
    this.crashed.catch(() => {});
    this.#watch(context);
  }

  /** Opens a context that no run has used before and none will use again. */
  static async open(parts: RunParts, extra: BrowserContextOptions = {}): Promise<PageRun> {
    const { settings } = parts.command.job;
    const video = settings.videoEnabled ? videoOptions(sizeOf(settings)) : undefined;
    const options = { ...extra, ...(video ? { recordVideo: video } : {}) };
    const context = await newContext(parts, options);
    const run = new PageRun(parts, context, video?.dir);
    if (settings.videoEnabled && !video)
      run.notes.push("no video: this runner has no ffmpeg (see docs/browser-checks.md)");
    await context.addInitScript(COLLECT_VITALS);
    return run;
  }

  /** Returns the time, Unix ms of the control plane's clock. */
  nowMs(): number {
    return wallMs() + this.#parts.command.clockOffsetMs;
  }

  /** The page that was opened last. */
  get page(): Page | undefined {
    return this.#pages.at(-1);
  }

  /** Opens a context beside the run's own, as a script may. Everything in it belongs to the run. */
  async openOther(options: BrowserContextOptions): Promise<BrowserContext> {
    const context = await newContext(this.#parts, options);
    this.#others.push(context);
    this.#watch(context);
    return context;
  }

  /** Takes over the recording and the state of an earlier context of the run. */
  adopt(before: PageRun): void {
    this.recording.adopt(before.recording);
    for (const context of before.#others) {
      this.#watch(context);
      for (const page of context.pages()) this.#follow(page);
    }
    this.#others.push(...before.#others);
    this.#hasVideo = before.#hasVideo;
    this.notes.push(...before.notes);
    this.startedAtMs = before.startedAtMs;
    this.#screenshots = before.#screenshots;
  }

  #watch(context: BrowserContext): void {
    this.recording.watch(context);
    context.on("page", (page) => this.#follow(page));
  }

  #follow(page: Page): void {
    this.#pages.push(page);
    void this.#parts.traceHeader.attach(page);
    page.on("crash", () => this.#onCrash(new PageCrashed("the page's process ended unexpectedly")));
    page.on("close", () => {
      this.#pages = this.#pages.filter((open) => open !== page);
    });
  }

  note(text: string): void {
    this.notes.push(text.slice(0, NOTE_CHARACTERS_MAX));
  }

  /** Takes a picture of the page, if there is one. A failure to do so becomes a note. */
  async screenshot(step: string): Promise<void> {
    const { page } = this;
    if (!page || this.#screenshots >= SCREENSHOTS_MAX) return;
    this.#screenshots++;
    const takenAt = new Date(this.nowMs()).toISOString();
    try {
      const picture = await within(
        SCREENSHOT_LIMIT_MS,
        () => "it took too long",
        page.screenshot({ type: "jpeg", quality: JPEG_QUALITY, timeout: SCREENSHOT_LIMIT_MS }),
      );
      const { runId } = this.#parts.command;
      const message = { type: "artifact", runId, kind: "screenshot", step, takenAt, bytes: 0 } as const;
      this.#parts.sendMessage(message, picture);
    } catch (error) {
      this.note(`no screenshot of ${step}: ${firstLine(error)}`);
    }
  }

  /** Returns the report of a run of which nothing more is measured. */
  reportSoFar(conclusion: Conclusion, measured: MeasuredRun): RunReport {
    return {
      ...conclusion,
      errorMessage: conclusion.errorMessage?.slice(0, 8000) ?? null,
      scriptLine: conclusion.scriptLine ?? null,
      httpStatusCode: measured.document?.status() ?? null,
      documentUrl: this.recording.document?.url().slice(0, 8192) ?? null,
      startedAtMs: this.startedAtMs,
      elapsedMs: round(measured.elapsedMs),
      responseTimeMs: round(measured.responseTimeMs),
      ...phasesOf(measured.document?.request()),
      webVitals: null,
      networkRequests: this.recording.requests,
      requestsByHost: [],
      consoleLogs: this.recording.logs,
      agentView: null,
      pageOutline: null,
      notes: [...this.notes, ...this.recording.notes].slice(0, 20),
      isClean: false,
    };
  }

  /** Ends the run: measures the final page, closes the context, and makes the report. */
  async finish(conclusion: Conclusion, measured: MeasuredRun): Promise<RunReport> {
    const { page, settings } = this;
    // Before the context closes, which cancels the requests that are open.
    const requestsByHost = this.recording.countByHost();
    const isAlive = page !== undefined && conclusion.cause !== "crash" && conclusion.cause !== "navigation";
    const webVitals = isAlive ? await this.#measure("web vitals", readVitals(page)) : null;
    const agentView =
      isAlive && settings.agentView
        ? await this.#measure("agent view", measureAgentView(page, measured.document))
        : null;
    const pageOutline =
      page !== undefined && conclusion.cause !== "crash" && settings.isLimited
        ? await this.#measure("page outline", outlineOf(page))
        : null;
    // A script's browser serves it alone and is killed next, so only a video needs an orderly end.
    const endsWithDriver = this.#parts.command.job.kind === "script" && this.#videoFolder === undefined;
    const isClean = endsWithDriver || (await this.close({ keepsVideo: true }));
    return {
      ...this.reportSoFar(conclusion, measured),
      webVitals,
      requestsByHost,
      agentView,
      pageOutline,
      isClean,
    };
  }

  async #measure<T>(what: string, work: Promise<T>): Promise<T | null> {
    try {
      return await within(MEASURE_LIMIT_MS, () => "it took too long", work);
    } catch (error) {
      this.note(`no ${what}: ${firstLine(error)}`);
      return null;
    }
  }

  /**
   * Closes the context.
   * @param options.keepsVideo hand its video over, unless there is one already
   * @returns false when it would not close
   */
  async close({ keepsVideo }: { keepsVideo: boolean }): Promise<boolean> {
    const isClosed = await within(
      CLOSE_LIMIT_MS,
      () => "the context would not close",
      this.context.close(),
    ).then(
      () => true,
      () => false,
    );
    if (this.#videoFolder === undefined) return isClosed;
    const video = isClosed ? await collectVideo(this.#videoFolder) : undefined;
    if (this.#hasVideo || !keepsVideo) return isClosed;
    this.#hasVideo = true;
    const takenAt = new Date(this.startedAtMs).toISOString();
    const { command, sendMessage } = this.#parts;
    if (video)
      sendMessage(
        { type: "artifact", runId: command.runId, kind: "video", step: null, takenAt, bytes: 0 },
        video,
      );
    else this.notes.push("no video: it could not be recorded");
    return isClosed;
  }
}

/** The process of a page ended. */
export class PageCrashed extends Error {}

/** Returns the first line of an error's message. */
export function firstLine(error: unknown): string {
  const message = error instanceof Error ? error.message : String(error);
  return message.split("\n", 1)[0] as string;
}
