/** Judges an attempt of an MCP check by the rules of the check. Pure. */
import type { McpConfig, McpReport } from "@svc/contract";
import type { TargetFailure } from "../run/failures.ts";
import type { JudgedAttempt } from "../run/judged-attempt.ts";

const TOOLS_NAMED_MAX = 10;

/**
 * Returns the status of an attempt, with its reason.
 * @param failure the failure that ended the session early. It outweighs the rules, which can't be judged without all answers
 */
export function judgeReport(
  failure: TargetFailure | undefined,
  report: McpReport,
  config: McpConfig,
): Pick<JudgedAttempt, "status" | "errorCategory" | "errorMessage" | "isNetworkError"> {
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
    broken.push(
      `expectedTools: the server does not offer ${missingTools.slice(0, TOOLS_NAMED_MAX).join(", ")}`,
    );
  for (const [index, { passed, toolName, message }] of (testCalls ?? []).entries())
    if (!passed) broken.push(`testCalls[${index}] ${toolName}: ${message}`);
  if (config.rejectUnauthenticated && unauthenticated?.passed === false)
    broken.push(
      `rejectUnauthenticated: initialize without credentials was answered with HTTP ${unauthenticated.httpStatusCode}, not with 401 or 403`,
    );
  return broken;
}
