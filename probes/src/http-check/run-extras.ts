/** What a check asks for beside its request, on the runs that are sampled: AI personas and agent readiness. */
import type { HttpConfig, ResultDetail } from "@svc/contract";
import { isSampledSlot } from "../base/sampling.ts";
import type { Attempt, AttemptPlan } from "../http-attempt/attempt.ts";
import { divergenceMessage, runPersonas } from "../personas/run-personas.ts";
import { requirementMessage, runReadiness } from "../readiness/run-readiness.ts";
import type { ProbeContext, ProbeRequest } from "../run/probe.ts";

/**
 * Runs them after the last attempt, when that had a complete response. May turn its success into a failure (failOnDivergence,
 * require), which is why it takes the attempt to change.
 * @throws RunnerFailure
 */
export async function runExtras(
  { agentPersonas, agentReadiness }: HttpConfig,
  plan: AttemptPlan,
  attempt: Attempt,
  { slotMs, frequencySeconds }: ProbeRequest,
  context: ProbeContext,
): Promise<ResultDetail> {
  const detail: ResultDetail = {};
  const isAnswered = attempt.status === "success" || attempt.status === "failure";
  if (!isAnswered || !attempt.response) return detail;
  const isDue = (block: { enabled: boolean; every: number } | undefined): boolean =>
    block?.enabled === true && isSampledSlot(slotMs, frequencySeconds, block.every);
  const baseline = { ...attempt };
  if (agentPersonas && isDue(agentPersonas)) {
    const parity = await runPersonas(agentPersonas, plan, baseline, context);
    detail.agentPersonaParityJson = parity;
    if (agentPersonas.failOnDivergence) failWith(attempt, divergenceMessage(parity));
  }
  if (agentReadiness && isDue(agentReadiness)) {
    const report = await runReadiness(baseline, plan.timeoutMs, context);
    detail.agentReadinessJson = report;
    failWith(attempt, requirementMessage(agentReadiness, report));
  }
  return detail;
}

function failWith(attempt: Attempt, message: string | undefined): void {
  if (message === undefined || attempt.status !== "success") return;
  attempt.status = "failure";
  attempt.errorCategory = "assertion";
  attempt.errorMessage = message;
}
