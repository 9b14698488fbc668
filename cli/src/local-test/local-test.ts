/** Runs monitors from this machine, by the probe that agents run, with more care for the secrets of a laptop. */

import type { DesiredMonitor } from "@svc/as-code/config";
import type { Secrets } from "@svc/as-code/plan";
import {
  type Assertion,
  type AssertionResult,
  assertionTypes,
  type CheckType,
  type PushedCheckType,
} from "@svc/contract";
import { createEgress } from "@svc/egress";
import { runOnce } from "@svc/probes";
import type { Output } from "../output/output.ts";
import { VERSION } from "../runtime/version.ts";

/** Longest quoted value; longer ones are cut. */
const ACTUAL_CHARACTERS_MAX = 200;

interface TestedAssertion extends AssertionResult {
  actualTruncated?: true;
}

/** The result of one monitor, secrets masked. */
export interface TestedMonitor {
  name: string;
  passed: boolean;
  /** HTTP status code; null when no HTTP response came. */
  status: number | null;
  responseTimeMs: number | null;
  assertions: TestedAssertion[];
  /** Assertions that only the service can judge. */
  skipped: string[];
  error?: string;
}

/** Surroundings of one run. */
export interface TestOptions {
  secrets: Secrets;
  signal: AbortSignal;
  /** True when private, loopback and link-local addresses may be reached. */
  allowPrivate: boolean;
  /** Wall clock, Unix ms. */
  nowMs: () => number;
}

/** Runs one monitor once. Never rejects for what the target does. */
export async function testMonitor(
  { name, type, config }: DesiredMonitor,
  { secrets, signal, allowPrivate, nowMs }: TestOptions,
): Promise<TestedMonitor> {
  const { assertions = [] } = config as { assertions?: readonly Assertion[] };
  const judged = assertions.filter((one) => !assertionTypes.get(one.type).needsService);
  const outcome = await runOnce(
    {
      type: type as Exclude<CheckType, PushedCheckType>,
      config: assertions.length === 0 ? config : { ...config, assertions: judged },
    },
    {
      signal,
      allowPrivateAddresses: allowPrivate,
      nowMs,
      userAgent: `svc-cli/${VERSION}`,
      egress: createEgress({ allowPrivate, remedy: "use --allow-private-network to reach it" }),
      hasSecret: (text) => secrets.isIn(text),
    },
  );
  return {
    name,
    passed: outcome.status === "success",
    status: outcome.httpStatusCode ?? null,
    responseTimeMs: outcome.responseTimeUs === undefined ? null : outcome.responseTimeUs / 1000,
    assertions: outcome.assertions.map((one) => shortened(one, secrets)),
    skipped: assertions.filter((one) => !judged.includes(one)).map((one) => one.type),
    ...(outcome.status === "success" || outcome.assertions.some(({ passed }) => !passed)
      ? {}
      : { error: outcome.errorMessage ?? outcome.status }),
  };
}

/** Redacts before cutting: half a secret is a secret, too. */
function shortened(result: AssertionResult, secrets: Secrets): TestedAssertion {
  // The target's answer may echo a secret as a key.
  const ofTarget = { actual: secrets.redactDeep(result.actual, "all") };
  const redacted = { ...(secrets.redactDeep(result) as AssertionResult), ...ofTarget } as AssertionResult;
  const text = typeof redacted.actual === "string" ? redacted.actual : JSON.stringify(redacted.actual);
  const message = redacted.message === undefined ? {} : { message: preview(redacted.message) };
  if (text === undefined || text.length <= ACTUAL_CHARACTERS_MAX) return { ...redacted, ...message };
  return { ...redacted, ...message, actual: preview(text), actualTruncated: true };
}

function preview(text: string): string {
  return text.length <= ACTUAL_CHARACTERS_MAX ? text : `${text.slice(0, ACTUAL_CHARACTERS_MAX)}…`;
}

/** Prints a line per monitor, and one per assertion that does not hold. */
export function printTested(
  out: Output,
  { name, passed, status, responseTimeMs, ...rest }: TestedMonitor,
): void {
  const { colors } = out;
  const figures = [
    ...(status === null ? [] : [String(status)]),
    responseTimeMs === null ? "no response" : `${Math.round(responseTimeMs)} ms`,
  ];
  out.line(
    `${passed ? colors.green("pass") : colors.red("FAIL")}  ${out.text(name)}  ${colors.dim(figures.join(", "))}`,
  );
  if (rest.error !== undefined) out.line(`      ${out.text(rest.error)}`);
  for (const assertion of rest.assertions)
    if (!assertion.passed)
      out.line(`      ${assertion.type}: ${out.text(assertion.message ?? "does not hold")}`);
  for (const type of rest.skipped)
    out.line(`      ${colors.dim(`${type}: skipped, only the service judges it`)}`);
}
