/** The outcome of `svc test` in JUnit's XML, as CI systems read it: https://github.com/testmoapp/junitxml describes what they have in common. */
import type { Output } from "../output/output.ts";
import type { TestedMonitor } from "./local-test.ts";

/** A monitor that was not run, and why. */
export interface NotRun {
  name: string;
  type: string;
  reason?: string;
}

/** The outcome of a test of a project's monitors. */
export interface JunitInput {
  project: string;
  results: readonly TestedMonitor[];
  notRun: readonly NotRun[];
}

/**
 * Returns the report: a suite with a case for each monitor. What an assertion found is a failure, what kept a monitor from an answer an
 * error; times are in seconds. Secrets are redacted.
 */
export function junitReport(out: Output, { project, results, notRun }: JunitInput): string {
  const failures = results.filter((result) => !result.passed && result.error === undefined).length;
  const errors = results.filter((result) => result.error !== undefined).length;
  const totals = {
    tests: results.length + notRun.length,
    failures,
    errors,
    skipped: notRun.length,
    time: seconds(results.reduce((sum, { responseTimeMs }) => sum + (responseTimeMs ?? 0), 0)),
  };
  const element = (name: string, values: Record<string, string | number>) =>
    `<${name}${Object.entries(values)
      .map(([key, value]) => ` ${key}="${escaped(out.text(value))}"`)
      .join("")}`;
  const lines = [
    '<?xml version="1.0" encoding="UTF-8"?>',
    `${element("testsuites", { name: "svc test", ...totals })}>`,
    `  ${element("testsuite", { name: project, ...totals })}>`,
  ];
  for (const result of results) {
    const { name, responseTimeMs, error } = result;
    const start = element("testcase", { classname: project, name, time: seconds(responseTimeMs ?? 0) });
    if (result.passed) lines.push(`    ${start}/>`);
    else
      lines.push(
        `    ${start}>`,
        `      ${element(error === undefined ? "failure" : "error", { message: failureText(result) })}/>`,
        "    </testcase>",
      );
  }
  for (const { name, type, reason } of notRun)
    lines.push(
      `    ${element("testcase", { classname: project, name, time: seconds(0) })}>`,
      `      ${element("skipped", { message: `not run here: ${reason ?? type}` })}/>`,
      "    </testcase>",
    );
  return [...lines, "  </testsuite>", "</testsuites>", ""].join("\n");
}

/** Returns why a monitor failed, in one line. */
export function failureText({ error, assertions }: TestedMonitor): string {
  const failed = assertions.filter(({ passed }) => !passed);
  return error ?? failed.map(({ type, message }) => `${type}: ${message ?? "does not hold"}`).join("; ");
}

function seconds(ms: number): string {
  return (ms / 1000).toFixed(3);
}

const ENTITIES: Record<string, string> = {
  "&": "&amp;",
  "<": "&lt;",
  ">": "&gt;",
  '"': "&quot;",
  "'": "&apos;",
};

/** Escapes a line for an attribute, without the characters that XML 1.0 has no way to write (its production [2], Char). */
function escaped(line: string): string {
  return line
    .replace(/[^\t\n\r\u0020-\ud7ff\ue000-\ufffd\u{10000}-\u{10ffff}]/gu, " ")
    .replace(/[&<>"']/g, (character) => ENTITIES[character] ?? character);
}
