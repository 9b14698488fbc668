/** From what a run came to, to the outcome of the check: a result when it says something of the target, else a fault. */
import { createHash } from "node:crypto";
import type { BrowserConfig, ErrorCategory, ResultDetail, ResultStatus, Screenshot } from "@svc/contract";
import type { PhaseTimes, ProbeOutcome, RunFault, RunResult } from "../run/outcome.ts";
import type { ProbeContext, ProbeRequest } from "../run/probe.ts";
import { authorityOf } from "./egress-proxy/connect.ts";
import { connectFailureOf, navigationCategory } from "./failures.ts";
import { fitBrowserDetail } from "./fit-browser-detail.ts";
import type { WatchedRun } from "./process/watched-run.ts";
import type { RunReport } from "./protocol/messages.ts";
import { judgeSteps } from "./step-assertions.ts";

/** What became of a run: it says something of the target, or of this runner. */
interface Judgement {
  status: ResultStatus;
  category?: ErrorCategory;
  message?: string;
}

/** The outcome of a run whose driver came to the end with it, or was ended because of what a script did. */
export async function outcomeOf(
  run: WatchedRun,
  judgement: Judgement | RunFault,
  request: ProbeRequest,
  context: ProbeContext,
): Promise<ProbeOutcome> {
  if ("kind" in judgement) return judgement;
  const config = request.config as BrowserConfig;
  const { report, traffic } = run;
  run.steps.sort((a, b) => a.order - b.order);
  const judged = await judgeSteps(config, run.steps, context);
  const final = judged.broken.size > 0 ? stepVerdict(judgement, run, judged.broken) : judgement;
  const steps = run.steps.map(({ step }, index) => {
    const errorMessage = judged.broken.get(index);
    return errorMessage === undefined ? step : { ...step, status: "failure" as const, errorMessage };
  });
  const kept = await keepArtifacts(run, request, context);
  const detail: ResultDetail = {
    ...(final.category ? { errorCategory: final.category } : {}),
    ...(final.message === undefined ? {} : { errorMessage: final.message.slice(0, 8000) }),
    ...(judged.assertions.length > 0 ? { assertions: judged.assertions } : {}),
    steps,
    ...kept.detail,
    ...(report ? reportDetail(report, request) : {}),
  };
  detail.notes = [...(detail.notes ?? []), ...noRoomNotes(kept.dropped)];
  if (detail.notes.length === 0) delete detail.notes;
  const responseTimeUs = Math.round((report?.responseTimeMs ?? run.elapsedMs) * 1000);
  const result: RunResult = {
    kind: "result",
    status: final.status,
    ...(report?.httpStatusCode ? { httpStatusCode: report.httpStatusCode } : {}),
    startedAtMs: Math.round(report?.startedAtMs ?? run.startedAtMs),
    responseTimeUs,
    elapsedUs: Math.max(responseTimeUs, Math.round((report?.elapsedMs ?? run.elapsedMs) * 1000)),
    phases: phasesOf(config, report, traffic),
    detail: fitBrowserDetail(detail),
  };
  return result;
}

/** What a report says, held against what the proxy saw. */
export function judgeReport(report: RunReport, { traffic }: WatchedRun): Judgement | RunFault {
  if (report.cause === "stalled")
    return { kind: "fault", reason: "capacity", message: report.errorMessage ?? "the driver stood still" };
  if (traffic.hasExceeded)
    return {
      status: "error",
      category: "http",
      message: `the run moved more than ${traffic.bytesMax} bytes over the network and was cut off`,
    };
  if (report.status === "success") return { status: "success" };
  const message = report.errorMessage ?? "the run failed";
  switch (report.cause) {
    case "navigation": {
      const failure = connectFailureOf(report, traffic);
      if (failure?.kind === "runner")
        return { kind: "fault", reason: failure.reason, message: failure.message };
      if (failure) return { status: "error", category: failure.category, message: failure.message };
      return { status: "error", category: navigationCategory(message), message };
    }
    case "timeout":
      return { status: "timeout", category: "timeout", message };
    case "assertion":
      return { status: "failure", category: "assertion", message };
    case "http":
      return { status: "failure", category: "http", message };
    case "crash":
      return { status: "error", category: "protocol", message };
    default:
      return { status: "error", category: "script", message };
  }
}

/** A step's broken assertion turns a success into a failure; what went wrong besides stays what it was. */
function stepVerdict(judgement: Judgement, run: WatchedRun, broken: Map<number, string>): Judgement {
  if (judgement.status !== "success") return judgement;
  const [first] = broken;
  const [index, message] = first as [number, string];
  const more = broken.size === 1 ? "" : ` (and ${broken.size - 1} more)`;
  return {
    status: "failure",
    category: "assertion",
    message: `step "${run.steps[index]?.step.name}": ${message}${more}`,
  };
}

function reportDetail(report: RunReport, request: ProbeRequest): ResultDetail {
  const config = request.config as BrowserConfig;
  return {
    ...(report.webVitals ? { webVitals: report.webVitals } : {}),
    networkRequestsJson: report.networkRequests,
    consoleLogsJson: report.consoleLogs,
    ...(config.agentView && report.agentView ? { agentViewJson: report.agentView } : {}),
    ...(report.notes.length > 0 ? { notes: report.notes } : {}),
  };
}

/** What is said of pictures and videos that the runner had no room for. */
export function noRoomNotes(dropped: number): string[] {
  if (dropped === 0) return [];
  const files = dropped === 1 ? "1 picture or video was" : `${dropped} pictures or videos were`;
  return [`${files} left out: the runner's folder for them was full`];
}

/** Hands pictures and video over and lists those that were taken. */
async function keepArtifacts(
  run: WatchedRun,
  { checkId, slotMs }: ProbeRequest,
  { artifacts }: ProbeContext,
): Promise<{ detail: ResultDetail; dropped: number }> {
  const screenshots: Screenshot[] = [];
  const detail: ResultDetail = {};
  let dropped = 0;
  for (const { kind, content, step, takenAt } of run.artifacts) {
    const contentType = kind === "video" ? "video/webm" : "image/jpeg";
    const sha256 = createHash("sha256").update(content).digest("hex");
    if (!artifacts || !isOfType(content, contentType)) continue;
    if (!(await artifacts.keep({ sha256, contentType, content, checkId, slotMs }))) {
      dropped++;
      continue;
    }
    const artifact = { sha256, contentType, bytes: content.length, takenAt } as const;
    if (kind === "video") detail.videoJson = artifact;
    else screenshots.push({ step, ...artifact });
  }
  return { detail: { ...detail, screenshotsJson: screenshots }, dropped };
}

/** Whether a file begins as its type does: what a hostile script sends is shown to people as what it claims to be. */
function isOfType(content: Buffer, contentType: "image/jpeg" | "video/webm"): boolean {
  const beginning = contentType === "image/jpeg" ? "ffd8ff" : "1a45dfa3";
  return content.toString("hex", 0, beginning.length / 2) === beginning;
}

function phasesOf(
  config: BrowserConfig,
  report: RunReport | undefined,
  traffic: WatchedRun["traffic"],
): PhaseTimes {
  const times = config.browserMode === "url" ? traffic.timesAt(authorityOf(new URL(config.url))) : undefined;
  const measured: [keyof PhaseTimes, number | null | undefined][] = [
    ["tlsHandshakeUs", report?.tlsHandshakeMs],
    ["ttfbUs", report?.ttfbMs],
    ["contentTransferUs", report?.contentTransferMs],
  ];
  const phases: PhaseTimes = { ...times };
  for (const [name, ms] of measured) if (typeof ms === "number") phases[name] = Math.round(ms * 1000);
  return phases;
}
