/** The shape of an analysis rule and of its findings. */
import type { InsightType, Severity } from "@svc/contract";
import type { AnalysisInput } from "../input.ts";

/** A rule's statement about a check. */
export interface Finding {
  type: InsightType;
  severity: Severity;
  /** 0 to 1. The surest finding becomes the insight. */
  confidence: number;
  /** One sentence that names the trouble and what the conclusion rests on. */
  summary: string;
  /** The facts behind the finding, one sentence each. */
  evidence: string[];
}

/** A rule of the analysis. Pure: equal inputs give equal findings. */
export interface AnalysisRule {
  readonly type: InsightType;
  /** Returns the rule's finding, or undefined when nothing in the input supports one. */
  judge(input: AnalysisInput): Finding | undefined;
}

/** Returns the rule that finds insights of this type. */
export function defineAnalysisRule<const Type extends InsightType>(
  type: Type,
  judge: (input: AnalysisInput) => Omit<Finding, "type"> | undefined,
): AnalysisRule & { readonly type: Type } {
  return {
    type,
    judge: (input) => {
      const found = judge(input);
      return found && { type, ...found };
    },
  };
}
