/**
 * The steps of a script. Each is reported to the agent when it ends, with a picture and with the document that its
 * assertions need.
 */

import type { ResultStatus } from "@svc/contract";
import type { Response } from "playwright";
import { monotonicMs, wallMs } from "../../base/machine-clocks.ts";
import { STEP_DOCUMENT_BYTES_MAX, STEPS_MAX } from "../protocol/limits.ts";
import type { RunCommand, StepDocument } from "../protocol/messages.ts";
import { conclusionOf } from "./conclusion.ts";
import type { SendMessage } from "./frame-writer.ts";
import type { PageRun } from "./page-run.ts";
import { round } from "./recording.ts";
import { TimeLimitPassed, within } from "./time-limit.ts";

/**
 * An open step. A mark ends where the next one begins; a block encloses the body of a `test.step`, with the marks and
 * blocks in it.
 */
interface OpenStep {
  kind: "mark" | "block";
  name: string;
  /** Position among the steps. */
  order: number;
  startedAtMs: number;
  startedMs: number;
  timer: NodeJS.Timeout | undefined;
  /** The first soft assertion that failed while the step went on. */
  softFailure: string | undefined;
}

/** The way a step ended. */
interface StepEnd {
  status: ResultStatus;
  errorMessage?: string | undefined;
  /** False: no screenshot of the step. Default true. */
  isPictured?: boolean;
}

/** A document may stay open for ever, so reading it has a limit. */
const DOCUMENT_LIMIT_MS = 3_000;
const NO_DOCUMENT = { document: null, body: undefined };

type ScriptJob = Extract<RunCommand["job"], { kind: "script" }>;

/**
 * Opens and closes the steps of one script and reports each that ends. A step that exceeds its own time limit
 * ends the script.
 */
export class Steps {
  readonly #job: ScriptJob;
  readonly #runId: number;
  readonly #sendMessage: SendMessage;
  readonly #run: () => PageRun | undefined;
  readonly #expire: (reason: TimeLimitPassed) => void;
  /** Rejects when a step exceeds its time limit. */
  readonly expired: Promise<never>;
  /** The open steps, the innermost last. */
  #open: OpenStep[] = [];
  #count = 0;
  /** Names of the steps that began. */
  readonly seen = new Set<string>();

  /** @param run returns the run whose page is current */
  constructor(
    parts: { job: ScriptJob; runId: number; sendMessage: SendMessage },
    run: () => PageRun | undefined,
  ) {
    this.#job = parts.job;
    this.#runId = parts.runId;
    this.#sendMessage = parts.sendMessage;
    this.#run = run;
    let expire: (reason: TimeLimitPassed) => void = () => {};
    this.expired = new Promise((_resolve, reject) => {
      expire = reject;
    });
    this.expired.catch(() => {});
    this.#expire = expire;
  }

  /** Number of steps that have begun. */
  get count(): number {
    return this.#count;
  }

  /** The name of the innermost open step. */
  get current(): string | undefined {
    return this.#open.at(-1)?.name;
  }

  /** Ends the mark before as a success, and begins a new one. */
  async mark(name: string): Promise<void> {
    await this.#endMarks(this.#open.length);
    this.#begin("mark", name);
  }

  /**
   * Does work as a step.
   * @throws the error of the work
   */
  async block<T>(name: string, work: () => T): Promise<Awaited<T>> {
    const step = this.#begin("block", name);
    try {
      const result = await work();
      await this.#leave(step, "success");
      return result;
    } catch (error) {
      const { status, errorMessage } = conclusionOf(error);
      await this.#leave(step, status, errorMessage ?? undefined);
      throw error;
    }
  }

  /** Records a soft failure of the innermost step; the step goes on. */
  noteFailure(errorMessage: string): void {
    const step = this.#open.at(-1);
    if (step) step.softFailure ??= errorMessage;
  }

  /**
   * Ends all open steps: the innermost ended in this way, and so did those around it.
   * @returns takes the picture of the innermost one, if it gets one: a page that hangs makes that take long
   */
  async end(status: ResultStatus, errorMessage?: string): Promise<() => Promise<void>> {
    const innermost = this.#open.at(-1);
    let innermostStatus: ResultStatus | undefined;
    while (this.#open.length > 0) {
      const ended = await this.#close(this.#open.length - 1, { status, errorMessage, isPictured: false });
      innermostStatus ??= ended;
    }
    return async () => {
      if (innermost && innermostStatus) await this.#picture(innermost, innermostStatus);
    };
  }

  #begin(kind: OpenStep["kind"], name: string): OpenStep {
    const limitMs = this.#job.steps.find((step) => step.name === name)?.timeoutMs;
    const expire = () =>
      this.#expire(new TimeLimitPassed(`step "${name}" did not end within its ${limitMs} ms`));
    const step = {
      kind,
      name,
      order: this.#count++,
      startedAtMs: this.#run()?.nowMs() ?? wallMs(),
      startedMs: monotonicMs(),
      timer: limitMs === undefined ? undefined : setTimeout(expire, limitMs),
      softFailure: undefined,
    };
    this.#open.push(step);
    this.seen.add(name);
    return step;
  }

  /** Ends a block. Blocks that run concurrently end in any order. */
  async #leave(step: OpenStep, status: ResultStatus, errorMessage?: string): Promise<void> {
    const index = this.#open.indexOf(step);
    if (index < 0) return; // The step ended with the run.
    const next = this.#open.findIndex(({ kind }, at) => at > index && kind === "block");
    await this.#endMarks(next < 0 ? this.#open.length : next, index + 1);
    await this.#close(this.#open.indexOf(step), { status, errorMessage });
  }

  /** Ends the marks before `end`, back to the block that they are in. */
  async #endMarks(end: number, start = 0): Promise<void> {
    for (let at = end - 1; at >= start && this.#open[at]?.kind === "mark"; at--)
      await this.#close(at, { status: "success" });
  }

  /** Ends one step. @returns its status; undefined: there is no such step */
  async #close(at: number, end: StepEnd): Promise<ResultStatus | undefined> {
    const [step] = this.#open.splice(at, 1);
    if (!step) return undefined;
    clearTimeout(step.timer);
    const durationMs = round(monotonicMs() - step.startedMs);
    const isSoft = end.status === "success" && step.softFailure !== undefined;
    const status = isSoft ? "failure" : end.status;
    const errorMessage = isSoft ? step.softFailure : end.errorMessage;
    const { isPictured = true } = end;
    if (isPictured) await this.#picture(step, status);
    if (step.order >= STEPS_MAX) return status;
    const { document, body } = await within(
      DOCUMENT_LIMIT_MS,
      () => "the document was not there in time",
      // Only the assertions of a success are judged.
      status === "success" ? this.#documentOf(step.name, this.#run()) : Promise.resolve(NO_DOCUMENT),
    ).catch(() => NO_DOCUMENT);
    this.#sendMessage(
      {
        type: "step",
        runId: this.#runId,
        order: step.order,
        step: {
          name: step.name.slice(0, 255),
          status,
          durationMs,
          startedAt: new Date(step.startedAtMs).toISOString(),
          ...(errorMessage === undefined ? {} : { errorMessage: errorMessage.slice(0, 2000) }),
        },
        document,
      },
      body,
    );
    return status;
  }

  /** Takes the picture of a step that ended, if the settings ask for one. */
  async #picture({ name }: OpenStep, status: ResultStatus): Promise<void> {
    const mode = this.#job.settings.screenshotMode;
    if (mode === "every_step" || (mode === "failure_only" && status !== "success"))
      await this.#run()?.screenshot(name.slice(0, 255));
  }

  /** Returns the main document that the step ended on, if the step has assertions. */
  async #documentOf(name: string, run: PageRun | undefined) {
    const isAsserted = this.#job.steps.some((step) => step.name === name && step.isAsserted);
    const response = isAsserted ? run?.recording.document?.existingResponse() : undefined;
    if (!response) return NO_DOCUMENT;
    const headers = await response.headersArray().catch(() => []);
    const body = await response.body().catch(() => Buffer.alloc(0));
    const document = {
      url: response.url().slice(0, 8192),
      method: response.request().method(),
      httpStatusCode: response.status(),
      // The body comes decoded.
      headers: headers
        .filter((header) => header.name.toLowerCase() !== "content-encoding")
        .slice(0, 200)
        .flatMap((header) => [header.name, header.value]),
      certificate: await certificateOf(response),
    };
    return { document, body: body.subarray(0, STEP_DOCUMENT_BYTES_MAX) };
  }
}

async function certificateOf(response: Response): Promise<StepDocument["certificate"]> {
  const details = await response.securityDetails().catch(() => null);
  const validTo = details?.validTo;
  return validTo === undefined ? null : { validTo: new Date(validTo * 1000).toISOString() };
}
