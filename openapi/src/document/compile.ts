/** Compiles a user's document: reads, validates and summarizes it, or lists everything that is wrong with it. */
import { createHash } from "node:crypto";
import { gzipSync } from "node:zlib";
import { OPERATIONS_LENGTH_MAX, OPERATIONS_MAX, PROBLEMS_MAX } from "./limits.ts";
import { type SpecSummary, summarize } from "./operations.ts";
import { parseSpecText } from "./parse.ts";
import type { SpecProblem } from "./problem.ts";
import { resolveServers } from "./servers.ts";
import { documentProblems, openApiLine } from "./validate.ts";

/** A valid document in the form in which it is stored. */
export interface CompiledSpec {
  /** The document as compact JSON, gzip. */
  contentGzip: Uint8Array<ArrayBuffer>;
  /** SHA-256 of that JSON, hex. Identifies the document. */
  contentSha256: string;
  /** Length of that JSON. */
  contentBytes: number;
  summary: Omit<SpecSummary, "operations">;
  operationCount: number;
  /** `SpecOperation[]` as JSON: stored and sent on, rarely read. */
  operationsJson: string;
}

/** The compiled document, or its problems; `omittedProblems` counts those beyond the limit. */
export type CompileOutcome =
  | { success: true; spec: CompiledSpec }
  | { success: false; problems: SpecProblem[]; omittedProblems: number };

/**
 * Reads, validates and summarizes a document. Takes seconds for the largest ones: call it off the event loop.
 * @param sourceUrl the URL that the document was fetched from; relative server URLs are resolved against it
 */
export function compileSpec(bytes: Uint8Array, sourceUrl?: string): CompileOutcome {
  const outcome = parseSpecText(bytes);
  if (!outcome.success) return refused(outcome.problems);
  const { value, locate } = outcome.parsed;
  const found = openApiLine(value);
  const document = value as Record<string, unknown>;
  const problems = "problem" in found ? [found.problem] : documentProblems(document, found.line);
  if (problems.length > 0) {
    const listed = problems.slice(0, PROBLEMS_MAX);
    const positionOf = locate(listed.map(({ pointer }) => pointer));
    return refused(
      listed.map((problem) => ({ ...problem, ...positionOf(problem.pointer) })).sort(byPosition),
      problems.length - listed.length,
    );
  }
  if (sourceUrl !== undefined) resolveServers(document, sourceUrl);
  const { operations, ...summary } = summarize(document);
  if (operations.length > OPERATIONS_MAX)
    return refused([
      {
        pointer: "/paths",
        message: `the document has ${operations.length} operations; largest is ${OPERATIONS_MAX}`,
      },
    ]);
  const operationsJson = jsonWithin(operations, OPERATIONS_LENGTH_MAX);
  if (operationsJson === undefined)
    return refused([
      {
        pointer: "/paths",
        message: `the operations with their parameters are too large: as JSON they have more than ${OPERATIONS_LENGTH_MAX} characters`,
      },
    ]);
  const json = Buffer.from(JSON.stringify(document));
  return {
    success: true,
    spec: {
      contentGzip: new Uint8Array(gzipSync(json)),
      contentSha256: createHash("sha256").update(json).digest("hex"),
      contentBytes: json.byteLength,
      summary,
      operationCount: operations.length,
      operationsJson,
    },
  };
}

/** Returns a list as JSON; undefined when it has more than `lengthMax` characters. Stops there, however long the list is. */
function jsonWithin(list: readonly unknown[], lengthMax: number): string | undefined {
  const texts: string[] = [];
  let length = 0;
  for (const item of list) {
    const text = JSON.stringify(item);
    length += text.length + 1;
    if (length > lengthMax) return undefined;
    texts.push(text);
  }
  return `[${texts.join(",")}]`;
}

function refused(problems: SpecProblem[], omittedProblems = 0): CompileOutcome {
  return {
    success: false,
    problems: problems.slice(0, PROBLEMS_MAX),
    omittedProblems: omittedProblems + Math.max(0, problems.length - PROBLEMS_MAX),
  };
}

function byPosition(a: SpecProblem, b: SpecProblem): number {
  return (a.line ?? 0) - (b.line ?? 0) || (a.column ?? 0) - (b.column ?? 0);
}
