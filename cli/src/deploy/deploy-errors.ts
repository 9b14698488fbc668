/** Errors of a deploy, in the user's terms: drift that stops it, and a deploy that ended before everything was applied. */

import { driftJson, KIND_WORDS, type Plan, type PlannedChange, planChangesJson } from "@svc/as-code/plan";
import { counted } from "@svc/contract";
import { CliError } from "../runtime/cli-error.ts";
import { EXIT_CODES } from "../runtime/exit-codes.ts";
import { failureOf } from "../runtime/failure.ts";
import type { Applied } from "./apply-plan.ts";

/** Builds the error that stops a deploy before anything is changed. */
export function driftError(plan: Plan, drifted: readonly PlannedChange[]): CliError {
  const names = drifted.map(({ kind, name, drift }) => `  ${KIND_WORDS[kind]} "${name}": ${drift}`);
  return new CliError(
    "drift_detected",
    `${counted(drifted.length, "resource")} changed on the service since the last deploy; nothing was applied`,
    {
      hint: `${linesOf(names)}\n--force applies the config over it, --accept-remote leaves these alone, svc pull --force takes them over`,
      details: { drift: driftJson(drifted), changes: planChangesJson(plan) },
    },
  );
}

/**
 * Builds the error of a deploy that ended early: exit code 4 once something was applied, else that of the failure
 * itself.
 */
export function partialDeployError(
  apiUrl: string,
  { done, failed, partly, left, hasChanged }: Applied,
): CliError {
  const failures = failed.map(({ change, error }) => ({ change, failure: failureOf(error, apiUrl) }));
  const first = failures[0]?.failure;
  const lines = [
    ...done.map((change) => `  applied: ${stepText(change)}`),
    ...partly.map((change) => `  applied in part: ${stepText(change)}`),
    ...failures.map(({ change, failure }) => `  failed: ${stepText(change)}: ${failure.message}`),
    ...left.map((change) => `  not applied: ${stepText(change)}`),
  ];
  const counts = [
    `${done.length} applied`,
    ...(partly.length === 0 ? [] : [`${partly.length} in part`]),
    `${failed.length} failed`,
    `${left.length} not applied`,
  ];
  return new CliError(
    hasChanged ? "partial_failure" : (first?.reason ?? "interrupted"),
    `${first ? "the deploy failed" : "the deploy was interrupted"}: ${counts.join(", ")}`,
    {
      hint: `${linesOf(lines)}\nRun svc deploy again to continue`,
      details: {
        applied: done.map(stepJson),
        failed: failures.map(({ change, failure }) => ({
          ...stepJson(change),
          message: failure.message,
          exitCode: EXIT_CODES[failure.reason],
        })),
        appliedInPart: partly.map(stepJson),
        notApplied: left.map(stepJson),
      },
    },
  );
}

function stepText({ type, kind, name }: PlannedChange): string {
  return `${type} ${KIND_WORDS[kind]} "${name}"`;
}

function stepJson({ type, kind, name }: PlannedChange) {
  return { type, kind, name };
}

/** Names may hold line breaks; each entry stays on one line. */
function linesOf(lines: readonly string[]): string {
  return lines.map((line) => line.replaceAll("\n", " ")).join("\n");
}
