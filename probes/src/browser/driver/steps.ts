/** The steps of a script: one at a time, each told to the agent when it ends, with a picture and what it is to be judged by. */
import type { ResultStatus } from "@svc/contract";
import type { RunOrder } from "../protocol.ts";
import { STEP_DOCUMENT_BYTES_MAX, STEPS_MAX } from "../protocol-limits.ts";
import type { Tell } from "./frame-writer.ts";
import type { PageRun } from "./page-run.ts";
import { round } from "./recording.ts";
import { TimeLimitPassed } from "./time-limit.ts";

interface OpenStep {
  name: string;
  startedAtMs: number;
  startedMs: number;
  timer: NodeJS.Timeout | undefined;
}

type ScriptJob = Extract<RunOrder["job"], { kind: "script" }>;

export class Steps {
  readonly #job: ScriptJob;
  readonly #runId: number;
  readonly #tell: Tell;
  readonly #run: () => PageRun | undefined;
  readonly #expire: (reason: TimeLimitPassed) => void;
  /** Rejects when a step takes longer than it may. */
  readonly expired: Promise<never>;
  #open: OpenStep | undefined;
  #count = 0;

  /** @param run the run whose page is current */
  constructor(parts: { job: ScriptJob; runId: number; tell: Tell }, run: () => PageRun | undefined) {
    this.#job = parts.job;
    this.#runId = parts.runId;
    this.#tell = parts.tell;
    this.#run = run;
    let expire: (reason: TimeLimitPassed) => void = () => {};
    this.expired = new Promise((_resolve, reject) => {
      expire = reject;
    });
    this.expired.catch(() => {});
    this.#expire = expire;
  }

  /** How many steps began. */
  get count(): number {
    return this.#count;
  }

  /** The step that runs. */
  get current(): string | undefined {
    return this.#open?.name;
  }

  /** Ends the step before, which succeeded, and begins one. */
  async begin(name: string): Promise<void> {
    await this.end("success");
    this.#count++;
    const limitMs = this.#job.steps.find((step) => step.name === name)?.timeoutMs;
    const expire = () =>
      this.#expire(new TimeLimitPassed(`step "${name}" did not end within its ${limitMs} ms`));
    this.#open = {
      name,
      startedAtMs: this.#run()?.nowMs() ?? Date.now(),
      startedMs: performance.now(),
      timer: limitMs === undefined ? undefined : setTimeout(expire, limitMs),
    };
  }

  /** Ends the step that runs, if one does. */
  async end(status: ResultStatus, errorMessage?: string): Promise<void> {
    const step = this.#open;
    if (!step) return;
    this.#open = undefined;
    clearTimeout(step.timer);
    const durationMs = round(performance.now() - step.startedMs);
    const run = this.#run();
    const mode = this.#job.settings.screenshotMode;
    if (mode === "every_step" || (mode === "failure_only" && status !== "success"))
      await run?.screenshot(step.name.slice(0, 255));
    if (this.#count > STEPS_MAX) return;
    const { document, body } = await this.#documentOf(step.name, run);
    this.#tell(
      {
        type: "step",
        runId: this.#runId,
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
  }

  /** The main document that the step ended on, when assertions ask for it. */
  async #documentOf(name: string, run: PageRun | undefined) {
    const isAsserted = this.#job.steps.some((step) => step.name === name && step.isAsserted);
    const response = isAsserted ? run?.recording.document?.existingResponse() : undefined;
    if (!response) return { document: null, body: undefined };
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
    };
    return { document, body: body.subarray(0, STEP_DOCUMENT_BYTES_MAX) };
  }
}
