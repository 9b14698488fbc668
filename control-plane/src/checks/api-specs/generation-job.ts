/**
 * Derivation of checks from a spec's operations in a job thread: the operations have megabytes of JSON, and each check is
 * validated. The thread gives back each check as JSON text, which is parsed when its turn to be created comes.
 */
import type { SpecOperation } from "@svc/openapi";
import { defineThreadJob } from "../../platform/threads/thread-job.ts";
import { checkOfOperation, type GenerationPlan, operationPathOf } from "./operation-check.ts";

/** Input of the job: a spec's operations, and the plan for their checks. */
export interface GenerationInput {
  /** The operations as JSON text, in the document's order. */
  operationsText: string;
  plan: GenerationPlan;
}

/** The check of an operation as JSON text (`CreateCheck`), or the reason why the operation gets none. */
export type PlannedOperation = { operationPath: string } & ({ checkText: string } | { reason: string });

/** The thread's job, which may take 10 s. */
export const generationJob = defineThreadJob<GenerationInput, PlannedOperation[]>("plan_generation", 10_000);

/** The work of {@link generationJob}. */
export function planGeneration({ operationsText, plan }: GenerationInput): PlannedOperation[] {
  return (JSON.parse(operationsText) as SpecOperation[]).map((operation) => {
    const operationPath = operationPathOf(operation);
    const generated = checkOfOperation(operation, plan);
    return "check" in generated
      ? { operationPath, checkText: JSON.stringify(generated.check) }
      : { operationPath, reason: generated.reason };
  });
}
