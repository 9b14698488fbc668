/** The shape of an assertion's judge. Fields, limits and defaults of the assertion are in the contract under its name. */
import type { Assertion, AssertionType, TlsFacts } from "@svc/contract";
import type { ResponseBody } from "../http/body.ts";
import type { ResponseHeaders } from "../http/headers.ts";
import type { OpenApiSpecSource } from "../run/probe.ts";

/** The measurement of an attempt of any kind, by which its assertions are judged. */
export interface Measurement {
  /** The endpoint that answered: a URL, after redirects. */
  url: URL;
  /** Total time of the attempt, ms with three decimals. */
  timing: { totalMs: number };
  tls: Pick<TlsFacts, "host" | "validTo"> | undefined;
  /** Unix ms of the corrected clock. */
  nowMs: number;
  /** The HTTP response, of an attempt that has one. */
  response?: MeasuredResponse;
}

/** An HTTP response, as far as assertions judge it. */
interface MeasuredResponse {
  /** The URL that answered, after redirects. */
  url: URL;
  method: string;
  httpStatusCode: number;
  headers: ResponseHeaders;
  /** Prepared when one of the assertions reads the body. */
  body: ResponseBody;
}

/** The sources that a judge may ask beside the measurement. */
export interface JudgeContext {
  openApiSpecs?: OpenApiSpecSource | undefined;
}

/** The sources, and all assertions of the attempt, for a judge that reads the body once for all of its type. */
export interface JudgeSurroundings extends JudgeContext {
  assertions: readonly Assertion[];
}

/** The judgement of one assertion about one measurement. */
export interface AssertionJudgement {
  passed: boolean;
  expected: unknown;
  actual: unknown;
  /** Why the assertion failed, in a sentence. */
  message?: string | undefined;
}

type AssertionOf<Type extends AssertionType> = Extract<Assertion, { type: Type }>;

type Judge<Type extends AssertionType, Subject = MeasuredResponse> = (
  assertion: AssertionOf<Type>,
  subject: Subject,
  surroundings: JudgeSurroundings,
) => AssertionJudgement | Promise<AssertionJudgement>;

/** A member of the family of judges. */
export interface AssertionJudge<Type extends AssertionType = AssertionType> {
  readonly type: Type;
  /** The body must be decoded before the assertion is judged. */
  readonly readsBody: boolean;
  /** Returns the expected value that is reported when the body can't be read. */
  expectedOf(assertion: AssertionOf<Type>): unknown;
  judge: Judge<Type, Measurement>;
}

/** Defines the judge of an assertion that does not read the body. */
export function defineAssertion<Type extends AssertionType>(
  type: Type,
  judge: Judge<Type>,
): AssertionJudge<Type> {
  return { type, readsBody: false, expectedOf: () => null, judge: ofResponse(judge) };
}

/** Defines the judge of an assertion that needs no HTTP response: of the time, or the certificate, of a run of any kind. */
export function defineRunAssertion<Type extends AssertionType>(
  type: Type,
  judge: Judge<Type, Measurement>,
): AssertionJudge<Type> {
  return { type, readsBody: false, expectedOf: () => null, judge };
}

/**
 * Defines the judge of an assertion that reads the body.
 * @param parts.judge may throw BodyUnreadable, which fails the assertion
 * @param parts.expectedOf default: nothing is reported as expected when the body can't be read
 */
export function defineBodyAssertion<Type extends AssertionType>(
  type: Type,
  parts: { judge: Judge<Type>; expectedOf?: (assertion: AssertionOf<Type>) => unknown },
): AssertionJudge<Type> {
  const { judge, expectedOf = () => null } = parts;
  return { type, readsBody: true, expectedOf, judge: ofResponse(judge) };
}

function ofResponse<Type extends AssertionType>(judge: Judge<Type>): Judge<Type, Measurement> {
  return (assertion, { response }, surroundings) =>
    response
      ? judge(assertion, response, surroundings)
      : { passed: false, expected: null, actual: null, message: "there is no HTTP response to judge" };
}
