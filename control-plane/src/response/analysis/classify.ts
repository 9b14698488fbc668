/** Turns a check's evidence into the one finding that explains it best. */
import type { AnalysisInput } from "./input.ts";
import { findNoTrouble } from "./no-trouble.ts";
import type { Finding } from "./rules/define-rule.ts";
import { analysisRules } from "./rules/registry.ts";

/** Most lines of evidence in an insight. */
const EVIDENCE_MAX = 20;

/**
 * Returns the surest finding of all rules; what the others found ends its evidence. Pure: equal inputs
 * give equal findings.
 */
export function classify(input: AnalysisInput): Finding {
  const [surest, ...others] = analysisRules.members
    .flatMap((rule) => rule.judge(input) ?? [])
    .sort((a, b) => b.confidence - a.confidence);
  const { confidence, evidence, ...finding } = surest ?? findNoTrouble(input);
  return {
    ...finding,
    confidence: Math.round(confidence * 100) / 100,
    // Other findings are context, such as a slow target at a location whose runner misses runs.
    evidence: [...evidence, ...others.map(({ summary }) => `also: ${summary}`)].slice(0, EVIDENCE_MAX),
  };
}
