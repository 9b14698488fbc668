/** Url mode: loads one page and measures it. */

import type { Page, Response } from "playwright";
import { monotonicMs } from "../../base/machine-clocks.ts";
import { textStart } from "../../base/storable-text.ts";
import type { RunReport } from "../protocol/messages.ts";
import { type Conclusion, firstLine, PageCrashed, PageRun, type RunParts } from "./page-run.ts";
import { round } from "./recording.ts";
import { Stalled, TimeLimitPassed, within } from "./time-limit.ts";

const STEP_NAME = "Load page";

/**
 * Loads one page in a fresh context and returns its measurements. A page that does not load is a report, not an
 * error.
 * @throws Error when the job is not in url mode, or when no context can be opened
 */
export async function runUrl(parts: RunParts): Promise<RunReport> {
  const { job, runId } = parts.command;
  if (job.kind !== "url") throw new Error("not a run in url mode");
  const startedMs = monotonicMs();
  const run = await PageRun.open(parts);
  const page = await run.context.newPage();
  const { settings } = run;
  let document: Response | null = null;
  let conclusion: Conclusion;
  const loadStartedAtMs = run.nowMs();
  const loadStartedMs = monotonicMs();
  let loadMs = 0;
  try {
    const load = page.goto(job.url, { waitUntil: "load", timeout: 0 });
    document = await within(
      settings.timeoutMs,
      () => `the page did not finish loading within ${settings.timeoutMs} ms: ${whatIsMissing(run)}`,
      Promise.race([load, run.crashed]),
    );
    loadMs = monotonicMs() - loadStartedMs;
    conclusion = conclusionOf(document);
  } catch (error) {
    loadMs = monotonicMs() - loadStartedMs;
    document = await receivedSoFar(page, run);
    conclusion = failureOf(error);
  }
  const mode = settings.screenshotMode;
  const isPictured = mode === "every_step" || (mode === "failure_only" && conclusion.status !== "success");
  if (isPictured && conclusion.cause !== "crash" && conclusion.cause !== "stalled")
    await run.screenshot(STEP_NAME);
  parts.sendMessage({
    type: "step",
    runId,
    step: {
      name: STEP_NAME,
      status: conclusion.status,
      durationMs: round(loadMs),
      startedAt: new Date(loadStartedAtMs).toISOString(),
      ...(conclusion.errorMessage === null ? {} : { errorMessage: conclusion.errorMessage }),
    },
    document: null,
  });
  const report = await run.finish(conclusion, { elapsedMs: 0, responseTimeMs: loadMs, document });
  return { ...report, elapsedMs: round(monotonicMs() - startedMs) };
}

function conclusionOf(document: Response | null): Conclusion {
  const status = document?.status() ?? 200;
  return status < 400
    ? { status: "success", cause: null, errorMessage: null }
    : { status: "failure", cause: "http", errorMessage: `the page answered with status ${status}` };
}

function failureOf(error: unknown): Conclusion {
  if (error instanceof TimeLimitPassed)
    return { status: "timeout", cause: "timeout", errorMessage: error.message };
  if (error instanceof Stalled) return { status: "error", cause: "stalled", errorMessage: error.message };
  if (error instanceof PageCrashed) return { status: "error", cause: "crash", errorMessage: error.message };
  const errorMessage = firstLine(error).replace(/^page\.goto: /, "");
  return { status: "error", cause: "navigation", errorMessage };
}

/** Describes the requests that were open when the time ran out. */
function whatIsMissing(run: PageRun): string {
  const open = run.recording.requests.filter(
    ({ durationMs, errorText }) => durationMs === null && errorText === undefined,
  );
  const [first] = open;
  if (!first) return "no request is open, but the page goes on loading";
  return `${open.length} request${open.length === 1 ? " is" : "s are"} open, the first ${textStart(first.url, 200)}`;
}

async function receivedSoFar(page: Page, run: PageRun): Promise<Response | null> {
  const request = run.recording.document;
  return request !== undefined && !page.isClosed() ? request.existingResponse() : null;
}
