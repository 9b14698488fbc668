/** One attempt of an HTTP check: the request with its redirects, within one time limit, judged. */
import type { Assertion, AssertionResult, TlsFacts } from "@svc/contract";
import { createEgress, type Egress } from "@svc/egress";
import { judgeAssertions } from "../assertions/judge.ts";
import { ResponseBody } from "../http/body.ts";
import { followRedirects, type RedirectLimits } from "../http/follow-redirects.ts";
import type { HttpRequest } from "../http/request.ts";
import type { HttpResponse } from "../http/response.ts";
import type { AttemptOutcome } from "../run/attempts.ts";
import type { BodyClaim } from "../run/body-budget.ts";
import { RunnerFailure, TargetFailure } from "../run/failures.ts";
import { PhaseClock } from "../run/phase-clock.ts";
import type { PhaseTimes, ProbeContext } from "../run/probe.ts";
import { openScope } from "../run/time-limit.ts";

export interface AttemptPlan {
  request: HttpRequest;
  redirects: RedirectLimits;
  timeoutMs: number;
  /** Keep the whole body (up to the cap) although nothing has failed. */
  keepsBody: boolean;
  /** One of the assertions looks into the body. */
  readsBody: boolean;
  assertions: readonly Assertion[];
}

/** A probe's context, with what the bodies of this run are counted by. */
export interface RunContext extends ProbeContext {
  bodyClaim?: BodyClaim;
}

export interface Attempt extends AttemptOutcome {
  /** What came back, complete unless status is error or timeout. */
  response: HttpResponse | undefined;
  body: ResponseBody | undefined;
  assertions: AssertionResult[];
  tls: TlsFacts | undefined;
  phases: PhaseTimes;
}

/** @throws RunnerFailure for what is this runner's own doing, and nothing else */
export async function runAttempt(plan: AttemptPlan, context: RunContext): Promise<Attempt> {
  const startedAtMs = context.nowMs();
  const clock = new PhaseClock();
  const { scope, close } = openScope(plan, clock, egressOf(context), context);
  try {
    const response = await followRedirects(plan.request, plan.redirects, scope);
    const responseTimeUs = clock.elapsedUs();
    close();
    return await judged(plan, context, { response, responseTimeUs, tls: scope.tls, clock, startedAtMs });
  } catch (error) {
    if (!(error instanceof TargetFailure))
      throw error instanceof RunnerFailure ? error : internalFault(error);
    return await failed(error, { tls: scope.tls, clock, startedAtMs, bodyClaim: context.bodyClaim });
  } finally {
    close();
  }
}

async function judged(
  plan: AttemptPlan,
  context: RunContext,
  run: {
    response: HttpResponse;
    responseTimeUs: number;
    tls: TlsFacts | undefined;
    clock: PhaseClock;
    startedAtMs: number;
  },
): Promise<Attempt> {
  const { response, responseTimeUs, tls, clock, startedAtMs } = run;
  const body = new ResponseBody(response, context.bodyClaim);
  if (plan.readsBody) await body.prepare();
  const assertions =
    plan.assertions.length === 0
      ? []
      : await judgeAssertions(
          plan.assertions,
          {
            url: response.url,
            method: response.method,
            httpStatusCode: response.httpStatusCode,
            headers: response.headers,
            timing: { totalMs: responseTimeUs / 1000 },
            body,
            tls,
            nowMs: context.nowMs(),
          },
          context,
        );
  const broken = assertions.filter(({ passed }) => !passed);
  const common = { isNetworkError: false, response, body, assertions, tls, startedAtMs, responseTimeUs };
  const phases = clock.times();
  if (broken.length === 0) return { status: "success", ...common, phases };
  return {
    status: "failure",
    errorCategory: "assertion",
    errorMessage: assertionMessage(broken),
    ...common,
    phases,
  };
}

async function failed(
  failure: TargetFailure,
  run: {
    tls: TlsFacts | undefined;
    clock: PhaseClock;
    startedAtMs: number;
    bodyClaim: BodyClaim | undefined;
  },
): Promise<Attempt> {
  const { response } = failure;
  const responseTimeUs = run.clock.elapsedUs();
  const body = response && new ResponseBody(response, run.bodyClaim);
  await body?.prepare();
  return {
    status: failure.status,
    errorCategory: failure.category,
    errorMessage: failure.message,
    isNetworkError: failure.isNetworkError,
    response,
    body,
    assertions: [],
    tls: run.tls,
    startedAtMs: run.startedAtMs,
    responseTimeUs,
    phases: run.clock.times(),
  };
}

function assertionMessage(broken: readonly AssertionResult[]): string {
  const [first, ...others] = broken;
  const more = others.length === 0 ? "" : ` (and ${others.length} more)`;
  return `${first?.type}: ${first?.message}${more}`;
}

/** An error that no rule knows is a fault of this program: it must not count against the target. */
export function internalFault(error: unknown): RunnerFailure {
  return new RunnerFailure(
    "crash",
    `internal error: ${error instanceof Error ? error.stack : String(error)}`,
    {
      cause: error,
    },
  );
}

const defaultEgress = new Map<boolean, Egress>();

/** The way out of a run in this context. */
export function egressOf(context: ProbeContext): Egress {
  if (context.egress) return context.egress;
  const allowPrivate = context.allowPrivateAddresses;
  let egress = defaultEgress.get(allowPrivate);
  if (!egress) {
    egress = createEgress({ allowPrivate });
    defaultEgress.set(allowPrivate, egress);
  }
  return egress;
}
