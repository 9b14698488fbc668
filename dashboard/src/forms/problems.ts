/** What is wrong with a draft, field by field: in the contract's words before it is sent, in the service's afterwards. */
import { findProblems } from "@svc/contract";
import type * as z from "zod";
import { type Path, pathOfText, pathText } from "./paths.ts";

/** A message beside the field that it is about. */
export interface FieldProblem {
  path: Path;
  message: string;
}

/** Returns the problems of a draft by its schema; none when it may be sent. */
export function problemsOfDraft(schema: z.ZodType, draft: unknown): FieldProblem[] {
  return findProblems(schema, draft).flatMap(({ path, message }) =>
    message.split("\n").map((line) => ({ path: path.map(keyOf), message: line })),
  );
}

function keyOf(key: PropertyKey): string | number {
  return typeof key === "number" ? key : String(key);
}

/** A path at the begin of a message of the service, such as `httpConfig.assertions[0].value: `. */
const PATH_PREFIX = /^([A-Za-z][\w]*(?:\.[\w-]+|\[\d+\])*): /;

/**
 * Returns the problems that the service's answer lists, each with the path that its message begins with.
 * @param details lines of the answer, such as `locations: no such location`
 */
export function problemsOfAnswer(details: readonly string[]): FieldProblem[] {
  return details.map((line) => {
    let rest = line;
    let path: Path = [];
    // A message about a deeper value stands under its field's name, and begins with the whole path.
    for (let match = PATH_PREFIX.exec(rest); match; match = PATH_PREFIX.exec(rest)) {
      const found = pathOfText(match[1] as string);
      if (path.length > 0 && found[0] !== path[0]) break;
      path = found;
      rest = rest.slice(match[0].length);
    }
    return { path, message: rest };
  });
}

/** Returns the messages about the value at a path itself, not about what lies within it. */
export function messagesAt(problems: readonly FieldProblem[], path: Path): string[] {
  const text = pathText(path);
  return problems.filter((problem) => pathText(problem.path) === text).map(({ message }) => message);
}

/** Returns the messages about a value and all that lies within it. */
export function messagesWithin(problems: readonly FieldProblem[], path: Path): string[] {
  const text = pathText(path);
  return problems
    .filter((problem) => {
      const other = pathText(problem.path);
      return other === text || other.startsWith(`${text}.`) || other.startsWith(`${text}[`);
    })
    .map(({ message }) => message);
}
