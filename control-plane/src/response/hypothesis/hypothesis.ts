/** Works out why an incident probably happened. */
import { counted, type Hypothesis } from "@svc/contract";
import { type HypothesisInput, minutesBetween, targetsOf } from "./input.ts";
import type { Clue } from "./rules/define-rule.ts";
import { hypothesisRules } from "./rules/registry.ts";

const CONFIDENCE_MAX = 0.95;
const CONFIDENCE_UNKNOWN = 0.2;
/** Added to the confidence for a deployment before the start, and for an agreement of several checks. */
const CONFIDENCE_BONUS = 0.1;
/** Most entries of each list. */
const ENTRIES_MAX = 20;

/**
 * Returns the hypothesis: the surest cause is its summary, and the circumstances of all clues are listed. Pure: equal
 * inputs give equal words.
 */
export function hypothesisOf(input: HypothesisInput): Hypothesis {
  const clues = hypothesisRules.members.flatMap((rule) => rule.look(input) ?? []);
  const best = surest(clues);
  const deployment = deploymentText(input);
  const { summary, confidence } = best ?? { summary: unknownCause(input), confidence: CONFIDENCE_UNKNOWN };
  const bonuses = best ? [deployment !== undefined, input.checkCount > 1].filter(Boolean).length : 0;
  return {
    summary: `${summary}${deployment ?? ""}.`,
    confidence: Math.round(Math.min(CONFIDENCE_MAX, confidence + bonuses * CONFIDENCE_BONUS) * 100) / 100,
    ruledIn: firstDistinct(clues.flatMap(({ ruledIn = [] }) => ruledIn)),
    ruledOut: firstDistinct(clues.flatMap(({ ruledOut = [] }) => ruledOut)),
    correlationDimensionsMatched: firstDistinct(input.shared),
    scope: clues.some(({ isChange }) => isChange)
      ? "external_symptoms_and_changes"
      : "external_symptoms_only",
  };
}

function surest(clues: readonly Clue[]): Clue["cause"] {
  let best: Clue["cause"];
  for (const { cause } of clues) if (cause && (!best || cause.confidence > best.confidence)) best = cause;
  return best;
}

function unknownCause(input: HypothesisInput): string {
  return `${counted(input.checkCount, "check")} raised alerts on ${targetsOf(input)}; the facts name no cause`;
}

/** Returns the words about the newest deployment, which people ask about first; undefined when there was none. */
function deploymentText({ deployments, openedAtMs }: HypothesisInput): string | undefined {
  const newest = [...deployments].sort((a, b) => b.atMs - a.atMs)[0];
  if (!newest) return undefined;
  const { service, version, atMs } = newest;
  return `; ${service} ${version} was deployed ${minutesBetween(atMs, openedAtMs)} before`;
}

function firstDistinct(texts: readonly string[]): string[] {
  return [...new Set(texts)].slice(0, ENTRIES_MAX);
}
