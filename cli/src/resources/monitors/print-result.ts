/** Prints a result in full, for a person. */
import type { AssertionResult, Result } from "@svc/contract";
import type { Output } from "../../output/output.ts";
import { printFields, printSection } from "../../output/print-fields.ts";
import { millisecondsText } from "../../output/times.ts";
import { paintOfStatus } from "./describe.ts";

/** Phases of a request, in the order in which they happen, and their fields. */
const PHASES = [
  ["DNS", "dnsLookupMs"],
  ["TCP", "tcpConnectMs"],
  ["TLS", "tlsHandshakeMs"],
  ["First byte", "ttfbMs"],
  ["Transfer", "contentTransferMs"],
  ["Total", "totalMs"],
] as const;

/** Prints phases, assertions, notes and evidence. */
export function printResult(out: Output, result: Result): void {
  const { colors } = out;
  out.line(
    `${paintOfStatus(colors, result.status)(result.status)}  ${result.locationId}  ${result.startedAt}`,
  );
  printFields(out, [
    ["Result", result.id],
    ["Run", result.runId],
    ["Trace", result.traceId ?? "-"],
    ["HTTP status", result.httpStatusCode?.toString() ?? "-"],
    ...(result.errorCategory === null
      ? []
      : [["Error", `${result.errorCategory}: ${result.errorMessage}`] as const]),
    ...PHASES.flatMap(([label, key]) => {
      const ms = result.timing[key];
      return ms === undefined ? [] : [[label, millisecondsText(ms)] as const];
    }),
  ]);
  printAssertions(out, result);
  printNotes(out, result);
  printExtras(out, result);
}

function printAssertions(out: Output, { assertions, keptAssertions }: Result): void {
  if (assertions?.length) printAssertionList(out, "Assertions", assertions);
  else if (keptAssertions)
    printAssertionList(
      out,
      `Assertions of the run of ${keptAssertions.startedAt}`,
      keptAssertions.assertions,
    );
}

function printAssertionList(out: Output, title: string, assertions: readonly AssertionResult[]): void {
  printSection(out, title);
  for (const { passed, type, message } of assertions)
    out.line(
      `  ${passed ? out.colors.green("passed") : out.colors.red("failed")} ${out.text(type)}${message ? `: ${out.text(message)}` : ""}`,
    );
}

function printNotes(out: Output, { notes }: Result): void {
  if (!notes?.length) return;
  printSection(out, "Notes");
  for (const note of notes) out.line(`  ${out.text(note)}`);
}

/** Prints fields that only some types of checks have, as JSON: their shape is the type's own. */
function printExtras(out: Output, result: Result): void {
  for (const [key, value] of Object.entries(result)) {
    if (!key.endsWith("Json") && !EXTRA_FIELDS.has(key)) continue;
    if (value == null || (Array.isArray(value) && value.length === 0)) continue;
    printSection(out, titleOf(key));
    out.line(out.block(JSON.stringify(out.secrets.redactDeep(value), null, 2)));
  }
}

const EXTRA_FIELDS = new Set(["response", "attempts", "steps", "webVitals", "mcpSchemaDrift"]);

/** Turns `consoleLogsJson` into `Console logs`. */
function titleOf(key: string): string {
  const words = key.replace(/Json$/, "").replaceAll(/[A-Z]/g, (letter) => ` ${letter.toLowerCase()}`);
  return words.charAt(0).toUpperCase() + words.slice(1);
}
