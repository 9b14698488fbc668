/**
 * Scripted mode: runs a stranger's script. Nothing in here confines it: it runs in this very process and may do
 * anything to that. It is confined by the sandbox that the process was started in (process/sandbox.ts) and by the
 * traffic that the agent lets through.
 */
import { monotonicMs } from "../../base/machine-clocks.ts";
import type { RunReport } from "../protocol/messages.ts";
import { conclusionOf } from "./conclusion.ts";
import { failedLineOf } from "./failed-line.ts";
import { type Conclusion, PageRun, type RunParts } from "./page-run.ts";
import { round } from "./recording.ts";
import { TestRun } from "./run-tests.ts";
import { compileScript, playwrightTestExports, type WayOut } from "./script-module.ts";
import { ScriptStage } from "./script-stage.ts";
import { withSoftAssertions } from "./soft-expect.ts";
import { Steps } from "./steps.ts";
import { collectTests } from "./test-shim.ts";
import { within } from "./time-limit.ts";

const WHOLE_SCRIPT = "Script";
/** A statement that declares a test or a group, as the compiler writes it. */
const TEST_DECLARATION = /^\s*(?:\(0, )?(?:\w+\.)?test\)?(?:\.\w+)*\(/m;

/**
 * Runs a script once and returns its report, whatever the script does.
 * @throws Error when the job is not a script, or when no context can be opened
 */
export async function runScript(parts: RunParts): Promise<RunReport> {
  const { job, runId } = parts.command;
  if (job.kind !== "script") throw new Error("not a scripted run");
  const startedMs = monotonicMs();
  const stage: ScriptStage = new ScriptStage(
    parts,
    await PageRun.open(parts),
    new Steps({ job, runId, sendMessage: parts.sendMessage }, () => stage.run),
  );
  const { steps } = stage;
  parts.sendMessage({ type: "script_started", runId });
  const scriptStartedMs = monotonicMs();
  const wayOut = { proxyPort: parts.proxyPort, proxyStandsIn: job.settings.proxyStandsIn };
  let conclusion: Conclusion = { status: "success", cause: null, errorMessage: null };
  try {
    await withTimeLimit(job.settings.timeoutMs, stage, (interrupted) =>
      execute(job.code, { stage, wayOut, interrupted }),
    );
  } catch (error) {
    conclusion = { ...conclusionOf(error), scriptLine: failedLineOf(error, job.code) };
  }
  const responseTimeMs = monotonicMs() - scriptStartedMs;
  const screenshotLast = await steps.end(conclusion.status, conclusion.errorMessage ?? undefined);
  const { run } = stage;
  const document = run.recording.document?.existingResponse() ?? null;
  const missing = job.steps.filter((step) => !steps.seen.has(step.name)).map((step) => step.name);
  if (missing.length > 0 && conclusion.status === "success")
    run.note(`steps that the script did not come to: ${missing.join(", ")}`);
  const elapsedMs = monotonicMs() - startedMs;
  parts.sendMessage({
    type: "script_ended",
    runId,
    report: run.reportSoFar(conclusion, { elapsedMs, responseTimeMs, document }),
  });
  await screenshotLast();
  const report = await run.finish(conclusion, { elapsedMs: 0, responseTimeMs, document });
  return { ...report, elapsedMs: round(monotonicMs() - startedMs) };
}

/**
 * Does work within the script's time limit.
 * @param work has to end when `interrupted` rejects
 */
async function withTimeLimit(
  timeoutMs: number,
  stage: ScriptStage,
  work: (interrupted: Promise<unknown>) => Promise<void>,
): Promise<void> {
  const doing = () => (stage.steps.current === undefined ? "" : ` in step "${stage.steps.current}"`);
  let end: () => void = () => {};
  const ended = new Promise<void>((resolve) => {
    end = resolve;
  });
  const limit = within(timeoutMs, () => `the script did not end within ${timeoutMs} ms${doing()}`, ended);
  const interrupted = Promise.race([limit, stage.steps.expired, stage.broken]);
  interrupted.catch(() => {});
  try {
    await work(interrupted);
  } finally {
    end();
  }
}

interface ScriptSurroundings {
  stage: ScriptStage;
  wayOut: WayOut;
  /** Rejects when the run is to end before its script does. */
  interrupted: Promise<unknown>;
}

/** Runs the plain statements, and then the tests that they declared. */
async function execute(code: string, { stage, wayOut, interrupted }: ScriptSurroundings): Promise<void> {
  const { steps } = stage;
  const playwright = await playwrightTestExports(wayOut);
  stage.playwright = playwright;
  const expect = withSoftAssertions(playwright.expect, (error) => stage.noteSoftError(error));
  const collection = collectTests(expect, (name, body) => steps.block(name, () => body(STEP_INFO)));
  const tests = new TestRun(collection, stage, interrupted);
  const { test } = collection;
  const script = compileScript(code, { ...playwright, expect, test, default: test });
  const declaresTests = TEST_DECLARATION.test(code);
  const fixtures = await stage.plainFixtures({ hasPage: !declaresTests });
  if (!declaresTests && !code.includes("__step(")) await steps.mark(WHOLE_SCRIPT);
  await Promise.race([script(fixtures), interrupted]);
  const [soft] = stage.removeSoftErrors();
  if (soft !== undefined) throw soft;
  const count = await tests.run();
  if (declaresTests && count === 0 && steps.count === 0)
    throw new Error("the script declares no test that is not skipped");
}

/** The part of Playwright's TestStepInfo that the body of a `test.step` can use. */
const STEP_INFO = { skip: () => {}, attach: async () => {} };
