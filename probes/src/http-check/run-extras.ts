/** The extras of an HTTP check, AI personas and agent readiness, on the runs that are sampled for them. */
import type { HttpConfig, ResultDetail } from "@svc/contract";
import { isSampledSlot } from "../base/sampling.ts";
import type { HttpAttempt, HttpAttemptPlan } from "../http-attempt/attempt.ts";
import { divergenceMessage, runPersonas } from "../personas/run-personas.ts";
import { requirementMessage, runReadiness } from "../readiness/run-readiness.ts";
import type { ProbeRequest, RunContext } from "../run/probe.ts";

/** The check's configuration, its run, and the attempt that the extras follow. */
export interface ExtrasInput {
  config: HttpConfig;
  plan: HttpAttemptPlan;
  /** The last attempt. Changed when an extra turns its success into a failure. */
  attempt: HttpAttempt;
  slot: Pick<ProbeRequest, "slotMs" | "frequencySeconds">;
}

/**
 * Runs the extras that are due after an attempt with a complete response. An extra may turn the attempt's success into a
 * failure (`failOnDivergence`, `require`).
 * @returns the parts of the detail that the extras add
 * @throws RunnerFailure
 */
export async function runExtras(
  { config, plan, attempt, slot }: ExtrasInput,
  context: RunContext,
): Promise<ResultDetail> {
  const { agentPersonas, agentReadiness } = config;
  const detail: ResultDetail = {};
  const isAnswered = attempt.status === "success" || attempt.status === "failure";
  if (!isAnswered || !attempt.response) return detail;
  const isDue = (block: { enabled: boolean; every: number } | undefined): boolean =>
    block?.enabled === true && isSampledSlot(slot.slotMs, slot.frequencySeconds, block.every);
  const baseline = { ...attempt };
  if (agentPersonas && isDue(agentPersonas)) {
    const parity = await runPersonas({ personas: agentPersonas.personas, plan, baseline }, context);
    detail.agentPersonaParityJson = parity;
    if (agentPersonas.failOnDivergence) failWith(attempt, divergenceMessage(parity));
  }
  if (agentReadiness && isDue(agentReadiness)) {
    const report = await runReadiness(baseline, plan, context);
    detail.agentReadinessJson = report;
    failWith(attempt, requirementMessage(agentReadiness, report));
  }
  return detail;
}

function failWith(attempt: HttpAttempt, message: string | undefined): void {
  if (message === undefined || attempt.status !== "success") return;
  attempt.status = "failure";
  attempt.errorCategory = "assertion";
  attempt.errorMessage = message;
}
