/** Judges the assertions of a script's steps, by the document that each step ended on and by the step's duration. */
import type { Assertion, AssertionResult, BrowserConfig } from "@svc/contract";
import type { Measurement } from "../assertions/define.ts";
import { judgeAssertions } from "../assertions/judge.ts";
import { ResponseBody } from "../http/body.ts";
import { ResponseHeaders } from "../http/headers.ts";
import type { ProbeContext } from "../run/probe.ts";
import { authorityOf } from "./egress-proxy/connect.ts";
import type { RunTraffic } from "./egress-proxy/run-traffic.ts";
import type { StepMessage, WatchedRun } from "./process/watched-run.ts";

/** The judged assertions of a run's steps. */
export interface JudgedSteps {
  /** The results of all assertions, in order. */
  assertions: AssertionResult[];
  /** The message of the first broken assertion, by the index of its step. */
  broken: Map<number, string>;
}

/**
 * Judges the steps that the driver reported.
 */
export async function judgeSteps(
  config: BrowserConfig,
  { steps, traffic }: Pick<WatchedRun, "steps" | "traffic">,
  context: ProbeContext,
): Promise<JudgedSteps> {
  const judged: JudgedSteps = { assertions: [], broken: new Map() };
  if (config.browserMode !== "scripted") return judged;
  for (const [index, message] of steps.entries()) {
    const assertions = config.steps?.find(({ name }) => name === message.step.name)?.assertions ?? [];
    if (assertions.length === 0 || message.step.status !== "success") continue;
    const results = await judgeStep(assertions, withTrueCertificate(message, traffic), context);
    judged.assertions.push(...results);
    const first = results.find(({ passed }) => !passed);
    if (first) judged.broken.set(index, `${first.type}: ${first.message}`);
  }
  return judged;
}

/** Returns the step with its target's own certificate where the browser has seen that of the proxy in its place. */
function withTrueCertificate(message: StepMessage, traffic: RunTraffic): StepMessage {
  const { document } = message;
  if (!document || !traffic.hasOwnCertificates || !URL.canParse(document.url)) return message;
  const facts = traffic.certificateAt(authorityOf(new URL(document.url)));
  return { ...message, document: { ...document, certificate: facts ? { validTo: facts.validTo } : null } };
}

async function judgeStep(
  assertions: readonly Assertion[],
  { step, document, body }: StepMessage,
  context: ProbeContext,
): Promise<AssertionResult[]> {
  const url = new URL(document && URL.canParse(document.url) ? document.url : "about:blank");
  const headers = new ResponseHeaders(document?.headers ?? []);
  const response = {
    url,
    method: document?.method ?? "GET",
    httpStatusCode: document?.httpStatusCode ?? 0,
    headers,
    chunks: [body],
    wireBytes: body.length,
    joinedChunks: 0,
    wasCut: false,
    tls: undefined,
  };
  const prepared = new ResponseBody(response, undefined, context.team);
  await prepared.prepare();
  const certificate = document?.certificate;
  const { method, httpStatusCode } = response;
  const measurement: Measurement = {
    url,
    timing: { totalMs: step.durationMs },
    ...(document && { response: { url, method, httpStatusCode, headers, body: prepared } }),
    tls: certificate ? { host: url.hostname, validTo: certificate.validTo } : undefined,
    nowMs: context.nowMs(),
  };
  return judgeAssertions(assertions, measurement, context);
}
