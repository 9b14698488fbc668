/** The types of a run's steps. */
import type { CheckConfigOf, ResultDetail } from "@svc/contract";

/** Configuration of a multistep check, defaults filled in. */
export type MultistepConfig = CheckConfigOf<"multistep">;
/** A step as it is configured. */
export type Step = MultistepConfig["steps"][number];
/** A value as a step is to extract it. */
export type Extract = Step["extract"][number];
/** A step's request as a result lists it. */
export type StepRequest = NonNullable<ResultDetail["stepRequestsJson"]>[number];

/** A value that a step has extracted. */
export interface ExtractedValue {
  name: string;
  text: string;
  /** True: no result shows the value. */
  isSecret: boolean;
}

/** A step that could not be carried out as it is configured, for a reason that the target gave. The message is a sentence. */
export class StepProblem extends Error {
  constructor(message: string) {
    super(message);
    this.name = "StepProblem";
  }
}
