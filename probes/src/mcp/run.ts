/** A run of an MCP check: attempts until one succeeds or the retry policy ends, then one result. */
import type { CheckConfigOf, McpReport, ResultDetail } from "@svc/contract";
import { ResponseBody } from "../http/body.ts";
import { evidenceOf } from "../http/evidence.ts";
import { traceContextOf } from "../http/trace-context.ts";
import { runAttempts } from "../run/attempts.ts";
import { DETAIL_BYTES_MAX, fitDetail } from "../run/fit-detail.ts";
import type { ProbeOutcome } from "../run/outcome.ts";
import { monotonicUs } from "../run/phase-clock.ts";
import type { ProbeContext, ProbeRequest, RunContext } from "../run/probe.ts";
import { resultOfAttempts, retryDetail, runWithBodyClaim } from "../run/run-result.ts";
import { type McpAttempt, runMcpAttempt } from "./attempt.ts";

/** Runs an MCP check. Never rejects for anything the target does. */
export function runMcp(request: ProbeRequest, context: ProbeContext): Promise<ProbeOutcome> {
  return runWithBodyClaim(context, (claimed) => runCheck(request, claimed));
}

async function runCheck(request: ProbeRequest, context: RunContext): Promise<ProbeOutcome> {
  const config = request.config as CheckConfigOf<"mcp">;
  const startedUs = monotonicUs();
  const trace = traceContextOf(request, context);
  const attempts = await runAttempts({ retry: request.retry, startedUs }, context, () =>
    runMcpAttempt(config, trace.traceparent, context),
  );
  const last = attempts[attempts.length - 1] as McpAttempt;
  const facts = {
    ...(last.tls ? { tls: last.tls } : {}),
    ...(last.surface ? { mcp: last.surface } : {}),
  };
  return {
    ...resultOfAttempts(attempts, last.httpStatusCode, startedUs),
    traceId: trace.traceId,
    detail: await detailOf(attempts),
    ...(Object.keys(facts).length > 0 ? { facts } : {}),
  };
}

async function detailOf(attempts: readonly McpAttempt[]): Promise<ResultDetail> {
  const last = attempts[attempts.length - 1] as McpAttempt;
  const detail: ResultDetail = { mcpJson: last.report };
  if (last.errorCategory) detail.errorCategory = last.errorCategory;
  if (last.errorMessage !== undefined) detail.errorMessage = last.errorMessage;
  if (last.response) {
    const body = new ResponseBody(last.response);
    await body.prepare();
    detail.response = evidenceOf(last.response, body);
  }
  if (last.notes.length > 0) detail.notes = last.notes;
  Object.assign(
    detail,
    retryDetail(attempts, ({ httpStatusCode }) => httpStatusCode),
  );
  return fitMcpDetail(fitDetail(detail));
}

/**
 * Shortens the previews of test calls until the detail fits. Needed when fifty calls quote text of six bytes a
 * character. Pure.
 */
function fitMcpDetail(detail: ResultDetail): ResultDetail {
  let fitting = detail;
  for (
    let charactersMax = 2_000;
    Buffer.byteLength(JSON.stringify(fitting)) > DETAIL_BYTES_MAX && charactersMax > 0;
    charactersMax = Math.floor(charactersMax / 4)
  )
    fitting = { ...detail, mcpJson: withPreviews(detail.mcpJson ?? {}, charactersMax) };
  return fitting;
}

function withPreviews(report: McpReport, charactersMax: number): McpReport {
  return {
    ...report,
    testCalls: (report.testCalls ?? []).map((call) => ({
      ...call,
      outputPreview: call.outputPreview.slice(0, charactersMax).toWellFormed(),
      outputCharacters: call.outputCharacters ?? call.outputPreview.length,
    })),
  };
}
