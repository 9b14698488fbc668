/** Parses the bytes of a document, JSON or YAML by its look, or lists everything that is wrong with the text. */
import { isAlias, isCollection, isMap, isScalar, LineCounter, type Node, parseDocument } from "yaml";
import { scanJson } from "./json-scan.ts";
import { EXPANDED_LENGTH_MAX, NESTING_MAX, SPEC_BYTES_MAX } from "./limits.ts";
import { lineIndex } from "./line-index.ts";
import { pointerKeys } from "./pointer.ts";
import type { SpecProblem, TextPosition } from "./problem.ts";

/**
 * The document's value, and a way to find the position of a pointer (or of its nearest ancestor that exists) in the
 * text.
 */
interface ParsedText {
  value: unknown;
  locate(pointers: readonly string[]): (pointer: string) => TextPosition | undefined;
}

/** The parsed document, or the problems of its text. */
export type ParseOutcome =
  | { success: true; parsed: ParsedText }
  | { success: false; problems: SpecProblem[] };

/** Parses JSON or YAML and lists all problems of the text. Never throws because of the text. */
export function parseSpecText(bytes: Uint8Array): ParseOutcome {
  if (bytes.byteLength > SPEC_BYTES_MAX)
    return failed([
      { pointer: "", message: `the document has ${bytes.byteLength} bytes; largest is ${SPEC_BYTES_MAX}` },
    ]);
  let text: string;
  try {
    text = new TextDecoder("utf-8", { fatal: true }).decode(bytes);
  } catch {
    return failed([{ pointer: "", message: "the document is not valid UTF-8 text" }]);
  }
  if (text.trim() === "") return failed([{ pointer: "", message: "the document is empty" }]);
  // Braces also begin YAML's flow style, in which keys need no quotes.
  return /^\s*(\{\s*["}]|\[)/.test(text) ? parseJson(text) : parseYaml(text);
}

function parseJson(text: string): ParseOutcome {
  const { duplicates, failure } = scanJson(text);
  const positionOf = lineIndex(text);
  if (failure) {
    const isNesting = failure.message.startsWith("nested");
    const message = isNesting ? failure.message : `not valid JSON: ${failure.message}`;
    return failed([{ pointer: "", message, ...positionOf(failure.offset) }]);
  }
  if (duplicates.length > 0)
    return failed(
      duplicates.map(({ pointer, offset }) => ({
        pointer,
        message: "this key appears twice",
        ...positionOf(offset),
      })),
    );
  let value: unknown;
  try {
    value = JSON.parse(text);
  } catch (error) {
    return failed([{ pointer: "", message: `not valid JSON: ${(error as Error).message}` }]);
  }
  return {
    success: true,
    parsed: {
      value,
      locate(pointers) {
        const { offsets } = scanJson(text, pointers.flatMap(ancestors));
        return (pointer) => {
          const nearest = ancestors(pointer).find((candidate) => offsets.has(candidate));
          return nearest === undefined ? undefined : positionOf(offsets.get(nearest) as number);
        };
      },
    },
  };
}

/** Returns the pointer and its ancestors, up to the root. */
function ancestors(pointer: string): string[] {
  const all = [pointer];
  for (let rest = pointer; rest !== ""; ) {
    rest = rest.slice(0, rest.lastIndexOf("/"));
    all.push(rest);
  }
  return all;
}

/** V8's message, which the YAML reader passes on as an error of the text. */
const STACK_OVERFLOW = "Maximum call stack size exceeded";

function parseYaml(text: string): ParseOutcome {
  const lineCounter = new LineCounter();
  const positionOf = (offset: number): TextPosition => {
    const { line, col } = lineCounter.linePos(offset);
    return { line, column: col };
  };
  try {
    const document = parseDocument(text, { lineCounter, merge: true, prettyErrors: false });
    if (document.errors.some(({ message }) => message.startsWith(STACK_OVERFLOW))) throw new RangeError();
    if (document.errors.length > 0)
      return failed(
        document.errors.map(({ message, pos }) => ({
          pointer: "",
          message: `not valid YAML: ${message}`,
          ...positionOf(pos[0]),
        })),
      );
    const root = document.contents;
    const depthProblem = root ? tooDeep(root, positionOf) : undefined;
    if (depthProblem) return failed([depthProblem]);
    const value: unknown = document.toJS({ maxAliasCount: 100 });
    if (text.includes("*") && isLongerThan(value, EXPANDED_LENGTH_MAX))
      return failed([
        {
          pointer: "",
          message: `with its aliases expanded the document is longer than ${EXPANDED_LENGTH_MAX} characters`,
        },
      ]);
    return {
      success: true,
      parsed: { value, locate: () => (pointer) => locateYaml(document, pointer, positionOf) },
    };
  } catch (error) {
    // Too many aliases are a ReferenceError; nesting that overflows the reader's stack is a RangeError.
    if (error instanceof RangeError)
      return failed([{ pointer: "", message: `nested deeper than ${NESTING_MAX} levels` }]);
    return failed([{ pointer: "", message: `not valid YAML: ${(error as Error).message}` }]);
  }
}

function tooDeep(root: Node, positionOf: (offset: number) => TextPosition): SpecProblem | undefined {
  const open: { node: unknown; depth: number }[] = [{ node: root, depth: 1 }];
  for (let next = open.pop(); next; next = open.pop()) {
    if (!isCollection(next.node)) continue;
    if (next.depth > NESTING_MAX)
      return {
        pointer: "",
        message: `nested deeper than ${NESTING_MAX} levels`,
        ...positionOf(next.node.range?.[0] ?? 0),
      };
    for (const item of next.node.items)
      open.push({
        node: isCollection(item) ? item : (item as { value?: unknown }).value,
        depth: next.depth + 1,
      });
  }
  return undefined;
}

/** Returns the position of the last key or list item that exists on the pointer's way. */
function locateYaml(
  document: ReturnType<typeof parseDocument>,
  pointer: string,
  positionOf: (offset: number) => TextPosition,
): TextPosition | undefined {
  let node: unknown = document.contents;
  let offset = document.contents?.range?.[0];
  for (const key of pointerKeys(pointer)) {
    if (isAlias(node)) node = node.resolve(document);
    if (!isCollection(node)) break;
    if (isMap(node)) {
      const pair = node.items.find((item) => String(isScalar(item.key) ? item.key.value : item.key) === key);
      if (!pair) break;
      offset = (pair.key as Node).range?.[0] ?? offset;
      node = pair.value;
    } else {
      node = node.items[Number(key)];
      offset = (node as Node | undefined)?.range?.[0] ?? offset;
    }
  }
  return offset === undefined ? undefined : positionOf(offset);
}

/** True when the value as JSON has more than `max` characters. Stops counting there. */
function isLongerThan(value: unknown, max: number): boolean {
  let length = 0;
  const open: unknown[] = [value];
  while (open.length > 0 && length <= max) {
    const next = open.pop();
    if (typeof next === "string") length += next.length + 2;
    else if (Array.isArray(next)) for (const item of next) open.push(item);
    else if (typeof next === "object" && next !== null)
      for (const [key, item] of Object.entries(next)) {
        length += key.length + 4;
        open.push(item);
      }
    else length += 4;
  }
  return length > max;
}

function failed(problems: SpecProblem[]): ParseOutcome {
  return { success: false, problems };
}
