/** How what a persona got differs from what the check itself got. Pure. */
import type { AssertionResult, ResultStatus } from "@svc/contract";

/** What one request came to, as far as it is compared. */
export interface Answer {
  status: ResultStatus;
  errorMessage: string | undefined;
  httpStatusCode: number | undefined;
  /** What shows that it is a challenge page; undefined when it is none. */
  challenge: string | undefined;
  assertions: readonly AssertionResult[];
}

export interface Divergence {
  divergence: "blocked" | "challenged" | "assertion_failed" | "error";
  divergenceReason: string;
}

/** The first that holds of: error, challenged, blocked, assertion_failed. Undefined: the persona is served alike. */
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
  // 503 and 429-like refusals are how overload protection turns crawlers away; other 5xx are the server failing.
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

/** A rule that is no assertion, such as the limit of redirects. */
function byOtherRule(baseline: Answer, persona: Answer): Divergence | undefined {
  if (persona.status !== "failure" || persona.assertions.length > 0 || baseline.status === "failure")
    return undefined;
  return { divergence: "error", divergenceReason: persona.errorMessage ?? persona.status };
}
