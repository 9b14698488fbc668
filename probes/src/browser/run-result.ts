/** Makes the result of a browser run that says something about its target. */
import type { BrowserConfig, ResultDetail } from "@svc/contract";
import { type ObservedTls, observeTls } from "../http/observe-tls.ts";
import type { PhaseTimes, ProbeOutcome, RunFault, RunResult } from "../run/outcome.ts";
import type { ProbeContext, ProbeRequest } from "../run/probe.ts";
import { authorityOf } from "./egress-proxy/connect.ts";
import { fitBrowserDetail } from "./fit-browser-detail.ts";
import { droppedArtifactNotes, keepArtifacts } from "./keep-artifacts.ts";
import type { WatchedRun } from "./process/watched-run.ts";
import type { RunReport } from "./protocol/messages.ts";
import type { Judgement } from "./run-end.ts";
import { judgeSteps } from "./step-assertions.ts";

const ERROR_MESSAGE_CHARACTERS_MAX = 8_000;

/** A run that ended, and the judgement of its end. */
export interface JudgedRun {
  run: WatchedRun;
  judgement: Judgement | RunFault;
}

/** Returns the outcome of a run: the fault that it was judged as, or its result, whose artifacts are kept first. */
export async function outcomeOf(
  { run, judgement }: JudgedRun,
  request: ProbeRequest,
  context: ProbeContext,
): Promise<ProbeOutcome> {
  if ("kind" in judgement) return judgement;
  const config = request.config as BrowserConfig;
  const { report, traffic } = run;
  run.steps.sort((a, b) => a.order - b.order);
  const [judged, tls] = await Promise.all([
    judgeSteps(config, run, context),
    observeDocument(run, config, context),
  ]);
  const final = judged.broken.size > 0 ? withBrokenSteps(judgement, run, judged.broken) : judgement;
  const steps = run.steps.map(({ step }, index) => {
    const errorMessage = judged.broken.get(index);
    return errorMessage === undefined ? step : { ...step, status: "failure" as const, errorMessage };
  });
  const kept = await keepArtifacts(run, request, context);
  const detail: ResultDetail = {
    ...(final.category ? { errorCategory: final.category } : {}),
    ...(final.message === undefined
      ? {}
      : { errorMessage: final.message.slice(0, ERROR_MESSAGE_CHARACTERS_MAX) }),
    ...(judged.assertions.length > 0 ? { assertions: judged.assertions } : {}),
    steps,
    ...kept.detail,
    ...(report ? reportDetail(report, config) : {}),
  };
  const notes = [...(detail.notes ?? []), ...traffic.refusals, ...droppedArtifactNotes(kept.dropped)];
  if (notes.length > 0) detail.notes = notes;
  const responseTimeUs = Math.round((report?.responseTimeMs ?? run.scriptMs ?? run.elapsedMs) * 1000);
  return {
    kind: "result",
    status: final.status,
    ...(report?.httpStatusCode ? { httpStatusCode: report.httpStatusCode } : {}),
    startedAtMs: Math.round(report?.startedAtMs ?? run.startedAtMs),
    responseTimeUs,
    elapsedUs: Math.max(responseTimeUs, Math.round((report?.elapsedMs ?? run.elapsedMs) * 1000)),
    phases: withHandshake(phasesOf(config, report, traffic), tls?.tlsHandshakeUs),
    traceId: run.traceId,
    ...factsOf(run, tls),
    detail: fitBrowserDetail(detail),
  };
}

/** Returns the facts of a run: the certificate of its document, and its requests by host. */
function factsOf({ report, traffic }: WatchedRun, tls: ObservedTls | undefined): Pick<RunResult, "facts"> {
  // A run that was cut off, and a host that this runner can't reach, say nothing about the hosts.
  const hosts = traffic.hasExceeded
    ? []
    : (report?.requestsByHost ?? []).filter(({ host }) => !traffic.isOutOfReach(host));
  if (!tls && hosts.length === 0) return {};
  return { facts: { ...(tls && { tls: tls.facts }), ...(hosts.length > 0 && { requests: { hosts } }) } };
}

/**
 * Returns the TLS facts of the main document's host. Chromium tells neither the fingerprint of a certificate nor anything of
 * one that it refuses, so the agent asks the server itself, over the run's way out.
 */
async function observeDocument(
  { report, traffic }: WatchedRun,
  config: BrowserConfig,
  context: ProbeContext,
): Promise<ObservedTls | undefined> {
  // The proxy has asked the targets of such a run, and nothing else may be asked for it.
  if (traffic.limits) return undefined;
  const text = report?.documentUrl ?? (config.browserMode === "url" ? config.url : "");
  const url = URL.canParse(text) ? new URL(text) : undefined;
  if (!url) return undefined;
  const failure = traffic.failureAt(authorityOf(url));
  // Of a certificate that the proxy has refused, the facts are wanted all the more.
  if (failure && (failure.kind === "runner" || failure.category !== "tls")) return undefined;
  const known = traffic.certificateAt(authorityOf(url));
  if (known) return { facts: known, tlsHandshakeUs: traffic.timesAt(authorityOf(url))?.tlsHandshakeUs };
  return observeTls(url, traffic.connection, { ...context, egress: traffic.egress });
}

/**
 * Adds the time of the agent's own handshake where the browser timed none, because the document came over a connection that
 * was open already: a result without a handshake would say that its target has no certificate.
 */
function withHandshake(phases: PhaseTimes, tlsHandshakeUs: number | undefined): PhaseTimes {
  return tlsHandshakeUs === undefined || phases.tlsHandshakeUs !== undefined
    ? phases
    : { ...phases, tlsHandshakeUs };
}

/** Turns a success into a failure when an assertion of a step is broken. Any other judgement stays. */
function withBrokenSteps(judgement: Judgement, run: WatchedRun, broken: Map<number, string>): Judgement {
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

function reportDetail(report: RunReport, config: BrowserConfig): ResultDetail {
  return {
    ...(report.webVitals ? { webVitals: report.webVitals } : {}),
    networkRequestsJson: report.networkRequests,
    consoleLogsJson: report.consoleLogs,
    ...(config.agentView && report.agentView ? { agentViewJson: report.agentView } : {}),
    ...(report.notes.length > 0 ? { notes: report.notes } : {}),
    ...(report.pageOutline === null ? {} : { pageOutline: report.pageOutline }),
    ...(report.scriptLine === null ? {} : { scriptLine: report.scriptLine }),
  };
}

/** Returns the phases: those of the connection as the proxy timed them, the others as the browser did. */
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
  const phases: PhaseTimes = {};
  for (const [name, ms] of measured) if (typeof ms === "number") phases[name] = Math.round(ms * 1000);
  // Of a handshake that the proxy made with the target, the browser has seen the proxy's side alone.
  const { tlsHandshakeUs, ...connecting } = times ?? {};
  return { ...phases, ...connecting, ...(tlsHandshakeUs === undefined ? {} : { tlsHandshakeUs }) };
}
