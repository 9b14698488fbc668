/**
 * Runs a browser check with its retries, until one attempt succeeds or the retry policy ends. The last attempt is the
 * result. The pictures of an attempt are handed over only when no other attempt follows, so that every artifact
 * delivered is named by a result.
 */
import type { ErrorCategory, ResultDetail } from "@svc/contract";
import type { ArtifactSink, NewArtifact } from "../run/artifacts.ts";
import { runAttempts } from "../run/attempts.ts";
import { RunnerFailure } from "../run/failures.ts";
import type { JudgedAttempt } from "../run/judged-attempt.ts";
import type { ProbeOutcome, RunResult } from "../run/outcome.ts";
import { monotonicUs } from "../run/phase-clock.ts";
import type { ProbeContext, ProbeRequest } from "../run/probe.ts";
import { retryDetail } from "../run/run-result.ts";
import { fitBrowserDetail } from "./fit-browser-detail.ts";
import { droppedArtifactNotes } from "./keep-artifacts.ts";

/**
 * Categories of failures in which the page was not reached, as `retry.onlyOn: network_error` means it for HTTP
 * checks.
 */
const NETWORK_CATEGORIES: readonly (ErrorCategory | undefined)[] = ["dns", "connect", "tls"];

interface BrowserAttempt extends JudgedAttempt {
  result: RunResult;
  pictures: readonly NewArtifact[];
}

/**
 * Runs the attempts.
 * @param runOnce runs one attempt and never rejects; a fault ends the run, and the whole slot is given back
 * @returns the outcome of the slot
 */
export async function runRetried(
  request: ProbeRequest,
  context: ProbeContext,
  runOnce: (context: ProbeContext) => Promise<ProbeOutcome>,
): Promise<ProbeOutcome> {
  if (!request.retry) return runOnce(context);
  const startedUs = monotonicUs();
  const { beginByMs: _beginByMs, ...later } = context;
  let isFirst = true;
  const isUrlMode = (request.config as { browserMode?: string }).browserMode === "url";
  try {
    const attempts = await runAttempts({ retry: request.retry, startedUs }, context, () => {
      const ofAttempt = isFirst ? context : later;
      isFirst = false;
      return attempt(ofAttempt, isUrlMode, runOnce);
    });
    return await joined(attempts, context.artifacts, startedUs);
  } catch (error) {
    if (error instanceof RunnerFailure)
      return { kind: "fault", reason: error.reason, message: error.message };
    throw error;
  }
}

async function attempt(
  context: ProbeContext,
  isUrlMode: boolean,
  runOnce: (context: ProbeContext) => Promise<ProbeOutcome>,
): Promise<BrowserAttempt> {
  const pictures: NewArtifact[] = [];
  const artifacts = context.artifacts && {
    keep: async (picture: NewArtifact) => {
      pictures.push(picture);
      return true;
    },
  };
  const result = await runOnce({ ...context, artifacts });
  if (result.kind === "fault") throw new RunnerFailure(result.reason, result.message);
  const { status, startedAtMs, responseTimeUs, detail } = result;
  const { errorCategory, errorMessage } = detail ?? {};
  return {
    status,
    ...(errorCategory ? { errorCategory } : {}),
    ...(errorMessage === undefined ? {} : { errorMessage }),
    // A script that ran out of time may have waited for anything; a page that did, waited for the network.
    isNetworkError: NETWORK_CATEGORIES.includes(errorCategory) || (isUrlMode && errorCategory === "timeout"),
    startedAtMs,
    responseTimeUs,
    result,
    pictures,
  };
}

async function joined(
  attempts: readonly BrowserAttempt[],
  sink: ArtifactSink | undefined,
  startedUs: number,
): Promise<RunResult> {
  const { result, pictures } = attempts.at(-1) as BrowserAttempt;
  const detail = withoutLost(result.detail ?? {}, await handOver(pictures, sink));
  Object.assign(
    detail,
    retryDetail(attempts, (each) => each.result.httpStatusCode),
  );
  return {
    ...result,
    startedAtMs: (attempts[0] as BrowserAttempt).startedAtMs,
    elapsedUs: Math.round(monotonicUs() - startedUs),
    detail: fitBrowserDetail(detail),
  };
}

/**
 * Hands pictures to the artifact store.
 * @returns the hashes of those that it had no space for
 */
async function handOver(
  pictures: readonly NewArtifact[],
  sink: ArtifactSink | undefined,
): Promise<ReadonlySet<string>> {
  const lost = new Set<string>();
  for (const picture of pictures) if (!(await sink?.keep(picture))) lost.add(picture.sha256);
  return lost;
}

function withoutLost(detail: ResultDetail, lost: ReadonlySet<string>): ResultDetail {
  const { videoJson, screenshotsJson, ...others } = detail;
  const notes = [...(detail.notes ?? []), ...droppedArtifactNotes(lost.size)];
  return {
    ...others,
    ...(notes.length > 0 ? { notes } : {}),
    ...(screenshotsJson
      ? { screenshotsJson: screenshotsJson.filter(({ sha256 }) => !lost.has(sha256)) }
      : {}),
    ...(videoJson && !lost.has(videoJson.sha256) ? { videoJson } : {}),
  };
}
