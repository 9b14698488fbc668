/** One attempt of an MCP check: one session within one time limit, judged. */
import type { ErrorCategory, McpConfig, McpReport, McpSurface, ResultStatus, TlsFacts } from "@svc/contract";
import type { HttpResponse } from "../http/response.ts";
import { egressOf, internalFault, type RunContext } from "../http-attempt/attempt.ts";
import type { AttemptOutcome } from "../run/attempts.ts";
import { RunnerFailure, TargetFailure } from "../run/failures.ts";
import { PhaseClock } from "../run/phase-clock.ts";
import type { PhaseTimes } from "../run/probe.ts";
import { openScope } from "../run/time-limit.ts";
import { callTool } from "./call-tool.ts";
import { Conversation, type Initialized } from "./conversation.ts";
import { surfaceOf } from "./surface.ts";
import { listTools, type McpTool } from "./tools.ts";

export interface McpAttempt extends AttemptOutcome {
  phases: PhaseTimes;
  httpStatusCode: number | undefined;
  tls: TlsFacts | undefined;
  report: McpReport;
  /** Undefined: it is not compared, or was not learned in full. */
  surface: McpSurface | undefined;
  /** The answer that could not be used. */
  response: HttpResponse | undefined;
  notes: string[];
}

/** What the steps of the attempt fill in; what is there when one of them fails stays. */
type Findings = Pick<McpAttempt, "report" | "surface" | "notes">;

/** @throws RunnerFailure for what is this runner's own doing, and nothing else */
export async function runMcpAttempt(
  config: McpConfig,
  traceparent: string,
  context: RunContext,
): Promise<McpAttempt> {
  const startedAtMs = context.nowMs();
  const clock = new PhaseClock();
  const plan = { request: { url: new URL(config.endpoint) }, timeoutMs: config.timeoutMs, keepsBody: true };
  const { scope, close } = openScope(plan, clock, egressOf(context), context);
  const { endpoint, auth } = config;
  const conversation = new Conversation({ endpoint, auth, userAgent: context.userAgent, traceparent }, scope);
  const findings: Findings = { report: {}, surface: undefined, notes: [] };
  let failure: TargetFailure | undefined;
  let httpStatusCode: number | undefined;
  let responseTimeUs = 0;
  let phases: PhaseTimes = {};
  const stopWatch = () => {
    httpStatusCode = conversation.httpStatusCode;
    responseTimeUs = clock.elapsedUs();
    phases = clock.times();
  };
  try {
    const initialized = await useServer(config, conversation, findings);
    stopWatch();
    if (config.rejectUnauthenticated)
      await checkRejection(conversation, initialized.server.protocolVersion, findings);
  } catch (error) {
    if (!(error instanceof TargetFailure))
      throw error instanceof RunnerFailure ? error : internalFault(error);
    failure = error;
    if (responseTimeUs === 0) {
      clock.leave();
      stopWatch();
    }
  } finally {
    await conversation.end();
    close();
  }
  return {
    ...verdictOf(failure, findings.report, config),
    ...findings,
    ...{ startedAtMs, responseTimeUs, phases, httpStatusCode, tls: scope.tls, response: failure?.response },
  };
}

async function useServer(
  config: McpConfig,
  conversation: Conversation,
  findings: Findings,
): Promise<Initialized> {
  const { report } = findings;
  const initialized = await conversation.initialize();
  report.server = initialized.server;
  const hasTools = initialized.capabilities.tools !== undefined;
  const tools = hasTools
    ? await listTools((params) => conversation.request("tools/list", "tools/list", params))
    : [];
  report.toolCount = tools.length;
  if (config.detectSchemaDrift) compareLater(config.endpoint, initialized, tools, findings);
  const names = new Set(tools.map(({ name }) => name));
  const missing = (config.expectedTools ?? []).filter((name) => !names.has(name));
  if (missing.length > 0) report.missingTools = missing;
  for (const call of config.testCalls ?? []) {
    const callReport = await callTool(call, (params) =>
      conversation.request(`the call of the tool ${call.toolName}`, "tools/call", params),
    );
    report.testCalls = [...(report.testCalls ?? []), callReport];
  }
  return initialized;
}

function compareLater(
  endpoint: string,
  initialized: Initialized,
  tools: readonly McpTool[],
  findings: Findings,
): void {
  findings.surface = surfaceOf(endpoint, initialized, tools);
  if (!findings.surface)
    findings.notes.push(`${tools.length} tools are too many to be compared with those of the run before`);
}

/** 401 and 403 are refusals; everything else lets in who has no credentials, or is no answer to that question. */
async function checkRejection(
  conversation: Conversation,
  protocolVersion: string,
  { report }: Findings,
): Promise<void> {
  const httpStatusCode = await conversation.initializeWithoutCredentials(protocolVersion);
  report.unauthenticated = { httpStatusCode, passed: httpStatusCode === 401 || httpStatusCode === 403 };
}

interface Verdict {
  status: ResultStatus;
  errorCategory?: ErrorCategory;
  errorMessage?: string;
  isNetworkError: boolean;
}

/** A failure outweighs the rules: without all answers they can't be judged. */
function verdictOf(failure: TargetFailure | undefined, report: McpReport, config: McpConfig): Verdict {
  if (failure)
    return {
      status: failure.status,
      errorCategory: failure.category,
      errorMessage: failure.message,
      isNetworkError: failure.isNetworkError,
    };
  const [first, ...others] = brokenRules(report, config);
  if (first === undefined) return { status: "success", isNetworkError: false };
  const more = others.length === 0 ? "" : ` (and ${others.length} more)`;
  return {
    status: "failure",
    errorCategory: "assertion",
    errorMessage: `${first}${more}`,
    isNetworkError: false,
  };
}

function brokenRules({ missingTools, testCalls, unauthenticated }: McpReport, config: McpConfig): string[] {
  const broken: string[] = [];
  if (missingTools)
    broken.push(`expectedTools: the server does not offer ${missingTools.slice(0, 10).join(", ")}`);
  for (const [index, { passed, toolName, message }] of (testCalls ?? []).entries())
    if (!passed) broken.push(`testCalls[${index}] ${toolName}: ${message}`);
  if (config.rejectUnauthenticated && unauthenticated?.passed === false)
    broken.push(
      `rejectUnauthenticated: initialize without credentials was answered with HTTP ${unauthenticated.httpStatusCode}, not with 401 or 403`,
    );
  return broken;
}
