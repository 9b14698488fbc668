/**
 * References within a document, and the rules about them: each leads somewhere, none leads outside, none leads only in
 * a circle.
 */
import { isObject, pointerOfFragment, valueAt } from "./pointer.ts";
import type { SpecProblem } from "./problem.ts";
import { walkDocument } from "./walk.ts";

/** Resolves references of one document to the pointer of the value itself, so that equal targets have one pointer. */
export class References {
  readonly #document: unknown;
  #anchors: Map<string, string> | undefined;

  constructor(document: unknown) {
    this.#document = document;
  }

  /** Returns the pointer that a `$ref` names, or undefined when it names nothing in this document. */
  targetOf(reference: string): string | undefined {
    if (!reference.startsWith("#")) return undefined;
    const pointer = pointerOfFragment(reference) ?? this.#anchor(reference.slice(1));
    return pointer !== undefined && valueAt(this.#document, pointer) !== undefined ? pointer : undefined;
  }

  /** Follows references from `pointer` to a value that is none. Returns undefined when they lead nowhere or in a circle. */
  resolve(pointer: string): { pointer: string; value: unknown } | undefined {
    const seen = new Set<string>();
    let at: string | undefined = pointer;
    while (at !== undefined && !seen.has(at)) {
      seen.add(at);
      const value = valueAt(this.#document, at);
      if (!isObject(value) || typeof value.$ref !== "string")
        return value === undefined ? undefined : { pointer: at, value };
      at = this.targetOf(value.$ref);
    }
    return undefined;
  }

  /** Returns the pointer of an `$anchor` or `$dynamicAnchor` of a 3.1 schema. Reads all anchors at the first call. */
  #anchor(name: string): string | undefined {
    if (!this.#anchors) {
      const anchors = new Map<string, string>();
      walkDocument(this.#document, (object, pointer) => {
        for (const keyword of ["$anchor", "$dynamicAnchor"]) {
          const anchor = object[keyword];
          if (typeof anchor === "string" && !anchors.has(anchor)) anchors.set(anchor, pointer);
        }
      });
      this.#anchors = anchors;
    }
    return this.#anchors.get(name);
  }
}

/** Returns a problem for each reference that leads nowhere, outside of the document or only in a circle. */
export function referenceProblems(document: unknown): SpecProblem[] {
  const references = new References(document);
  const problems: SpecProblem[] = [];
  walkDocument(document, (object, pointer) => {
    const reference = object.$ref;
    if (typeof reference !== "string") return;
    const message = referenceProblem(references, pointer, { ...object, $ref: reference });
    if (message) problems.push({ pointer: `${pointer}/$ref`, message });
  });
  return problems;
}

function referenceProblem(
  references: References,
  pointer: string,
  object: { $ref: string },
): string | undefined {
  const reference = object.$ref;
  if (!reference.startsWith("#"))
    return `"${reference}" refers to another document; bundle the description into one document first`;
  if (references.targetOf(reference) === undefined)
    return `"${reference}" refers to nothing in this document`;
  // In 3.1 a circle of references with other keywords beside them still says something.
  if (Object.keys(object).length === 1 && references.resolve(pointer) === undefined)
    return `"${reference}" leads only in a circle`;
  return undefined;
}
