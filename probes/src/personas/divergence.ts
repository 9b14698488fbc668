/** Compares the answer that a persona got with the one that the check itself got. Pure. */
import type { AssertionResult, ResultStatus } from "@svc/contract";

/** The compared part of an answer. */
export interface Answer {
  status: ResultStatus;
  errorMessage: string | undefined;
  httpStatusCode: number | undefined;
  /** The sign of a challenge page; undefined when the answer is none. */
  challenge: string | undefined;
  assertions: readonly AssertionResult[];
}

/** How a persona's answer differs from the check's own, with a sentence for people. */
export interface Divergence {
  divergence: "blocked" | "challenged" | "assertion_failed" | "error";
  divergenceReason: string;
}

/**
 * Returns the first difference that applies, in this order: error, challenged, blocked, assertion_failed.
 * @returns undefined when the persona is served like the check
 */
export function divergenceOf(baseline: Answer, persona: Answer): Divergence | undefined {
  if (persona.status === "error" || persona.status === "timeout" || persona.httpStatusCode === undefined)
    return { divergence: "error", divergenceReason: persona.errorMessage ?? persona.status };
  if (persona.challenge !== undefined && baseline.challenge === undefined)
    return { divergence: "challenged", divergenceReason: `answered with a challenge: ${persona.challenge}` };
  const statusDivergence = byStatusCode(baseline.httpStatusCode ?? 0, persona.httpStatusCode);
  return statusDivergence ?? byAssertions(baseline, persona) ?? byOtherRule(baseline, persona);
}

function byStatusCode(baseline: number, persona: number): Divergence | undefined {
  if (persona < 400 || persona === baseline || Math.floor(persona / 100) === Math.floor(baseline / 100))
    return undefined;
  const divergenceReason = `answered ${persona}, the check itself got ${baseline}`;
  // Overload protection turns crawlers away with 503 or with codes below 500 such as 429. Any other 5xx is the server
  // failing.
  const isRefusal = persona < 500 || persona === 503;
  return { divergence: isRefusal ? "blocked" : "error", divergenceReason };
}

function byAssertions(baseline: Answer, persona: Answer): Divergence | undefined {
  const broken = persona.assertions.find(
    ({ passed }, index) => !passed && baseline.assertions[index]?.passed !== false,
  );
  if (!broken) return undefined;
  return { divergence: "assertion_failed", divergenceReason: `${broken.type}: ${broken.message}` };
}

/** Compares by a rule that is not an assertion, such as the limit of redirects. */
function byOtherRule(baseline: Answer, persona: Answer): Divergence | undefined {
  if (persona.status !== "failure" || persona.assertions.length > 0 || baseline.status === "failure")
    return undefined;
  return { divergence: "error", divergenceReason: persona.errorMessage ?? persona.status };
}
