/** What an assertion is made of where it runs. Its fields, limits and defaults live in the contract under the same name. */
import type { Assertion, AssertionType, TlsFacts } from "@svc/contract";
import type { ResponseBody } from "../http/body.ts";
import type { ResponseHeaders } from "../http/headers.ts";
import type { OpenApiSpecSource } from "../run/probe.ts";

/** What a run measured, as assertions see it. */
export interface Measurement {
  /** The URL that answered, after redirects. */
  url: URL;
  method: string;
  httpStatusCode: number;
  headers: ResponseHeaders;
  /** Total response time of the run, ms with three decimals. */
  timing: { totalMs: number };
  /** Prepared when an assertion of the run reads it. */
  body: ResponseBody;
  tls: Pick<TlsFacts, "host" | "validTo"> | undefined;
  /** Unix ms of the corrected clock. */
  nowMs: number;
}

/** What a judge may ask beside the measurement. */
export interface JudgeContext {
  openApiSpecs?: OpenApiSpecSource | undefined;
}

export interface Verdict {
  passed: boolean;
  expected: unknown;
  actual: unknown;
  /** Why it failed, where "expected X, got Y" would not say it. */
  message?: string | undefined;
}

type AssertionOf<Type extends AssertionType> = Extract<Assertion, { type: Type }>;

/** A member of the assertion registry. */
export interface AssertionJudge<Type extends AssertionType = AssertionType> {
  type: Type;
  readsBody: boolean;
  judge(
    assertion: AssertionOf<Type>,
    measurement: Measurement,
    context: JudgeContext,
  ): Verdict | Promise<Verdict>;
}

/** A member that looks at anything but the body. */
export function defineAssertion<Type extends AssertionType>(
  type: Type,
  judge: AssertionJudge<Type>["judge"],
): AssertionJudge<Type> {
  return { type, readsBody: false, judge };
}

/** A member that looks at the body. May throw BodyUnreadable. */
export function defineBodyAssertion<Type extends AssertionType>(
  type: Type,
  judge: AssertionJudge<Type>["judge"],
): AssertionJudge<Type> {
  return { type, readsBody: true, judge };
}
