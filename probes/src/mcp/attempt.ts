/** One attempt of an MCP check: one session within one time limit, judged. */
import type { McpConfig, McpReport, McpSurface, TlsFacts } from "@svc/contract";
import { responseBefore } from "../http/http-failure.ts";
import type { HttpResponse } from "../http/response.ts";
import { connectionSettingsOf } from "../run/connection-settings.ts";
import { internalFault, RunnerFailure, TargetFailure } from "../run/failures.ts";
import type { JudgedAttempt } from "../run/judged-attempt.ts";
import type { PhaseTimes } from "../run/outcome.ts";
import type { RunContext } from "../run/probe.ts";
import { openScope } from "../run/time-limit.ts";
import { callTool } from "./call-tool.ts";
import { Conversation, type Initialized } from "./conversation.ts";
import { judgeReport } from "./judge-report.ts";
import { surfaceOf } from "./surface.ts";
import { listTools, type McpTool } from "./tools.ts";

/** A judged attempt with everything that the session showed. */
export interface McpAttempt extends JudgedAttempt {
  phases: PhaseTimes;
  httpStatusCode: number | undefined;
  tls: TlsFacts | undefined;
  report: McpReport;
  /** Undefined when it is not compared, or was not learned in full. */
  surface: McpSurface | undefined;
  /** The response that could not be used. */
  response: HttpResponse | undefined;
  notes: string[];
}

/** The observations that the steps of an attempt collect. Those made before a step fails are kept. */
type Observations = Pick<McpAttempt, "report" | "surface" | "notes">;

/**
 * Carries out an attempt.
 * @throws RunnerFailure for a problem of this runner, and nothing else
 */
export async function runMcpAttempt(
  config: McpConfig,
  traceparent: string,
  context: RunContext,
): Promise<McpAttempt> {
  const startedAtMs = context.nowMs();
  const { endpoint, auth, timeoutMs, resendBody } = config;
  const connection = connectionSettingsOf(config, [endpoint]);
  const { scope, close } = openScope(
    { url: new URL(endpoint), timeoutMs, keepsBody: true, connection },
    context,
  );
  const { clock } = scope;
  const conversation = new Conversation(
    { endpoint, auth, userAgent: context.userAgent, traceparent, resendBody },
    scope,
  );
  const observations: Observations = { report: {}, surface: undefined, notes: [] };
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
    const initialized = await useServer(config, conversation, observations);
    stopWatch();
    if (config.rejectUnauthenticated)
      await checkRejection(conversation, initialized.server.protocolVersion, observations);
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
    ...judgeReport(failure, observations.report, config),
    ...observations,
    startedAtMs,
    responseTimeUs,
    phases,
    httpStatusCode,
    tls: scope.tls,
    response: responseBefore(failure),
  };
}

async function useServer(
  config: McpConfig,
  conversation: Conversation,
  observations: Observations,
): Promise<Initialized> {
  const { report } = observations;
  const initialized = await conversation.initialize();
  report.server = initialized.server;
  const hasTools = initialized.capabilities.tools !== undefined;
  const tools = hasTools
    ? await listTools((params) => conversation.request("tools/list", "tools/list", params))
    : [];
  report.toolCount = tools.length;
  if (config.detectSchemaDrift) await noteSurface(config.endpoint, { initialized, tools }, observations);
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

/** Adds the server's surface, which the control plane compares with that of the run before. */
async function noteSurface(
  endpoint: string,
  { initialized, tools }: { initialized: Initialized; tools: readonly McpTool[] },
  observations: Observations,
): Promise<void> {
  observations.surface = await surfaceOf(endpoint, initialized, tools);
  if (!observations.surface)
    observations.notes.push(`${tools.length} tools are too many to be compared with those of the run before`);
}

/**
 * Checks that the server turns away a client without credentials. 401 and 403 do; any other answer either lets the
 * client in or does not answer the question.
 */
async function checkRejection(
  conversation: Conversation,
  protocolVersion: string,
  { report }: Observations,
): Promise<void> {
  const httpStatusCode = await conversation.initializeWithoutCredentials(protocolVersion);
  report.unauthenticated = { httpStatusCode, passed: httpStatusCode === 401 || httpStatusCode === 403 };
}
