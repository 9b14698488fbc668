/** Carries out one run in a driver and collects its messages, and how the run ended if the driver did not say. */

import type { Egress } from "@svc/egress";
import { monotonicMs, wallMs } from "../../base/machine-clocks.ts";
import type { TraceContext } from "../../http/trace-context.ts";
import { RunTraffic, type RunTrafficOptions } from "../egress-proxy/run-traffic.ts";
import { SCREENSHOTS_MAX, STEPS_MAX } from "../protocol/limits.ts";
import type { DriverMessage, RunJob, RunReport } from "../protocol/messages.ts";
import type { DriverEnd, DriverProcess } from "./driver-process.ts";

/** A step that the driver reported, with the raw bytes of its document. */
export type StepMessage = Extract<DriverMessage, { type: "step" }> & { body: Buffer };
type ArtifactMessage = Extract<DriverMessage, { type: "artifact" }> & { content: Buffer };

/** All that one run left: its report, or the reason why there is none, its steps, artifacts and traffic. */
export interface WatchedRun {
  /** Undefined when the driver did not finish the run. */
  report: RunReport | undefined;
  /** Why the driver did not finish the run. */
  end: DriverEnd | "overrun" | "aborted" | undefined;
  steps: StepMessage[];
  artifacts: ArtifactMessage[];
  traffic: RunTraffic;
  /** W3C trace id that the run's requests carry, 32 hex digits. */
  traceId: string;
  /** Start of the run, Unix ms of the corrected clock, and its duration. */
  startedAtMs: number;
  elapsedMs: number;
  /** Time from the start of the script to its end, or to that of the run; undefined: no script began. */
  scriptMs: number | undefined;
}

/** Time beyond its limit in which a run may take its last picture and close. */
export const CLOSING_MS = 15_000;
/**
 * Time beyond its limit in which a script and all that follows it have ended. Nothing that a driver says extends it: the
 * script runs in the driver's process and could have said it.
 */
const SCRIPT_END_MS = 2_000;
/** The note of a run whose script had ended, and which was ended before its report was complete. */
const INCOMPLETE = `what follows a script was not complete ${SCRIPT_END_MS} ms after its time limit: the last picture, measurements or the video may be missing`;
/** Most notes of a report. */
const NOTES_MAX = 20;
/** Limit of the pictures and the video of one run together. */
const ARTIFACT_BYTES_MAX = 32 * 1024 * 1024;

/** The run to carry out, with its lane, its egress and its limits. */
export interface WatchOptions extends RunTrafficOptions {
  job: RunJob;
  lane: number;
  egress: Egress;
  /** Carried by the requests of the run. */
  trace: TraceContext;
  /** Unix ms of the corrected clock. */
  nowMs: () => number;
  signal: AbortSignal;
}

/** Carries out a run. Never rejects. The run's open connections are cut before this resolves. */
export async function watchRun(driver: DriverProcess, options: WatchOptions): Promise<WatchedRun> {
  const { job, lane, nowMs, signal, trace } = options;
  const traffic = new RunTraffic(options.egress, options);
  const proxy = driver.proxies[lane];
  if (!proxy) throw new Error(`the driver has no lane ${lane}`);
  proxy.open(traffic);
  const startedAtMs = nowMs();
  const startedMs = monotonicMs();
  const run: WatchedRun = {
    report: undefined,
    end: undefined,
    steps: [],
    artifacts: [],
    traffic,
    traceId: trace.traceId,
    startedAtMs,
    elapsedMs: 0,
    scriptMs: undefined,
  };
  const command = { lane, clockOffsetMs: startedAtMs - wallMs(), traceparent: trace.traceparent, job };
  let artifactBytes = 0;
  let finish: () => void = () => {};
  const finished = new Promise<void>((resolve) => {
    finish = resolve;
  });
  const stop = (end: "overrun" | "aborted") => () => {
    run.end ??= end;
    finish();
  };
  let scriptTimer: NodeJS.Timeout | undefined;
  let scriptStartedMs: number | undefined;
  let reportSoFar: RunReport | undefined;
  const noteScriptEnd = () => {
    if (scriptStartedMs !== undefined) run.scriptMs ??= monotonicMs() - scriptStartedMs;
  };
  const stopListening = driver.startRun(command, (message, payload) => {
    if (message.type === "script_started") {
      // Only the first counts: any later one is the script's own.
      scriptStartedMs ??= monotonicMs();
      scriptTimer ??= setTimeout(stop("overrun"), job.settings.timeoutMs + SCRIPT_END_MS);
    } else if (message.type === "script_ended") {
      reportSoFar ??= message.report;
      noteScriptEnd();
    } else if (message.type === "done") {
      run.report = message.report;
      finish();
    } else if (message.type === "step") {
      if (run.steps.length < STEPS_MAX) run.steps.push({ ...message, body: Buffer.from(payload) });
    } else if (message.type === "artifact") {
      artifactBytes += payload.length;
      if (run.artifacts.length <= SCREENSHOTS_MAX && artifactBytes <= ARTIFACT_BYTES_MAX)
        run.artifacts.push({ ...message, content: Buffer.from(payload) });
    }
  });
  const timer = setTimeout(stop("overrun"), job.settings.timeoutMs + CLOSING_MS);
  const onAbort = stop("aborted");
  if (signal.aborted) onAbort();
  signal.addEventListener("abort", onAbort, { once: true });
  void driver.ended.then((end) => {
    run.end ??= end;
    finish();
  });
  await finished;
  clearTimeout(timer);
  clearTimeout(scriptTimer);
  noteScriptEnd();
  if (run.end === "overrun" && reportSoFar)
    run.report = { ...reportSoFar, notes: [...reportSoFar.notes, INCOMPLETE].slice(-NOTES_MAX) };
  signal.removeEventListener("abort", onAbort);
  stopListening();
  proxy.release();
  run.elapsedMs = monotonicMs() - startedMs;
  return run;
}
