/** From a check's evidence to what is going on. The same facts give the same finding. Pure. */
import type { AnalysisFacts } from "./facts.ts";
import type { Finding } from "./finding.ts";
import { healthy } from "./rules/healthy.ts";
import { ANALYSIS_RULES } from "./rules/registry.ts";

/** Lines of evidence in an insight. */
const EVIDENCE_MAX = 20;

export function classify(facts: AnalysisFacts): Finding {
  const [surest, ...others] = ANALYSIS_RULES.flatMap((rule) => rule(facts) ?? []).sort(
    (a, b) => b.confidence - a.confidence,
  );
  const { confidence, evidence, ...finding } = surest ?? healthy(facts);
  return {
    ...finding,
    confidence: Math.round(confidence * 100) / 100,
    // What else holds is context: a slow target at a location whose runner is missing runs, say.
    evidence: [...evidence, ...others.map(({ summary }) => `also: ${summary}`)].slice(0, EVIDENCE_MAX),
  };
}
