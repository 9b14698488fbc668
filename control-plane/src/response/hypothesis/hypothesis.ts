/**
 * Why an incident probably happened: rules look at its facts, the surest cause becomes the summary, and what any of them
 * found for or against is listed. The same facts give the same words. Pure.
 */
import type { Hypothesis } from "@svc/contract";
import { counted, MINUTE_MS } from "@svc/contract";
import type { Dimension } from "../incidents/dimensions.ts";
import { certificate, deployments, maintenance, neighbours } from "./changes.ts";
import { type Finding, type HypothesisFacts, type HypothesisRule, targetsOf } from "./finding.ts";
import { failingLocation, missingRuns, spread } from "./location.ts";
import { otherConditions, symptom } from "./symptom.ts";

const RULES: readonly HypothesisRule[] = [
  failingLocation,
  missingRuns,
  certificate,
  symptom,
  otherConditions,
  spread,
  neighbours,
  deployments,
  maintenance,
];

const CONFIDENCE_MAX = 0.95;
/** What a deployment or an agreement of several checks adds. */
const BONUS = 0.1;
const LISTED_MAX = 20;
const SHARED_MAX = 20;

export function hypothesisOf(facts: HypothesisFacts): Hypothesis {
  const findings = RULES.flatMap((rule) => rule(facts) ?? []);
  const best = surest(findings);
  const deployment = deploymentText(facts);
  const cause = best?.cause ?? { summary: unknownCause(facts), confidence: 0.2 };
  const bonus = (deployment && best ? BONUS : 0) + (best && facts.checkCount > 1 ? BONUS : 0);
  return {
    summary: `${cause.summary}${deployment ?? ""}.`,
    confidence: Math.round(Math.min(CONFIDENCE_MAX, cause.confidence + bonus) * 100) / 100,
    ruledIn: listOf(findings.flatMap(({ ruledIn = [] }) => ruledIn)),
    ruledOut: listOf(findings.flatMap(({ ruledOut = [] }) => ruledOut)),
    correlationDimensionsMatched: listOf(facts.shared as Dimension[], SHARED_MAX),
    scope: findings.some(({ isChange }) => isChange)
      ? "external_symptoms_and_changes"
      : "external_symptoms_only",
  };
}

function surest(findings: readonly Finding[]): Finding | undefined {
  let best: Finding | undefined;
  for (const finding of findings)
    if (finding.cause && (!best?.cause || finding.cause.confidence > best.cause.confidence)) best = finding;
  return best;
}

function unknownCause(facts: HypothesisFacts): string {
  return `${counted(facts.checkCount, "check")} raised alerts on ${targetsOf(facts)}; the facts name no cause`;
}

/** The newest deployment is what people ask first. */
function deploymentText({ deployments, openedAtMs }: HypothesisFacts): string | undefined {
  const newest = [...deployments].sort((a, b) => b.atMs - a.atMs)[0];
  if (!newest) return undefined;
  const minutes = Math.max(0, Math.round((openedAtMs - newest.atMs) / MINUTE_MS));
  return `; ${newest.service} ${newest.version} was deployed ${minutes} min before`;
}

function listOf(texts: readonly string[], max = LISTED_MAX): string[] {
  return [...new Set(texts)].slice(0, max);
}
