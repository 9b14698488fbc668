/** Reads the text of an export, JSON or YAML, into plain values of bounded size. Pure. */
import { isObject } from "@svc/contract";
import { parseDocument } from "yaml";
import { ImportError } from "./import-error.ts";
import { Item } from "./item.ts";

/** A file of the other tool, or its standard output. */
export interface ExportFile {
  /** Name for messages. */
  name: string;
  text: string;
}

/** Levels of nesting; no export of any tool has as many. */
const LEVELS_MAX = 100;
/** Values, those that aliases repeat included. */
const VALUES_MAX = 2_000_000;
const ALIASES_MAX = 10_000;

/**
 * Returns the value of the file.
 * @throws ImportError when it is neither JSON nor YAML, nested too deeply, or too large
 */
export function readExport({ name, text }: ExportFile): Item {
  const isJson = /^\s*[[{]/.test(text);
  const value = isJson && !/\.ya?ml$/i.test(name) ? readJson(name, text) : readYamlDocument(name, text);
  assertSize(name, value);
  return new Item(unshared(value), { file: name, path: "" });
}

/** Returns a copy in which values that aliases put in several positions are values of their own: each is read on its own. */
function unshared(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(unshared);
  if (!isObject(value)) return value;
  const copy: Record<string, unknown> = {};
  for (const [key, member] of Object.entries(value))
    Object.defineProperty(copy, key, {
      value: unshared(member),
      enumerable: true,
      writable: true,
      configurable: true,
    });
  return copy;
}

function readJson(name: string, text: string): unknown {
  try {
    return JSON.parse(text);
  } catch (error) {
    throw new ImportError(`${name} is not valid JSON: ${(error as Error).message}`);
  }
}

function readYamlDocument(name: string, text: string): unknown {
  try {
    const document = parseDocument(text, { merge: true, prettyErrors: true, logLevel: "error" });
    const [problem] = document.errors;
    if (problem && /^Maximum call stack/.test(problem.message)) throw new RangeError(problem.message);
    if (problem) throw new ImportError(`${name} is not valid YAML: ${problem.message.split("\n")[0]}`);
    return document.toJS({ maxAliasCount: ALIASES_MAX });
  } catch (error) {
    if (error instanceof RangeError) throw new ImportError(`${name} is nested too deeply`);
    if (error instanceof ReferenceError)
      throw new ImportError(`${name} has aliases that multiply beyond all measure, or refer to nothing`);
    throw error;
  }
}

/** Walks without recursion; a value that aliases put in several positions counts in each. */
function assertSize(name: string, root: unknown): void {
  const pending: [value: unknown, level: number][] = [[root, 0]];
  let count = 0;
  for (let next = pending.pop(); next; next = pending.pop()) {
    const [value, level] = next;
    if (++count > VALUES_MAX) throw new ImportError(`${name} has more than ${VALUES_MAX} values`);
    if (typeof value !== "object" || value === null) continue;
    if (level >= LEVELS_MAX)
      throw new ImportError(`${name} is nested too deeply: more than ${LEVELS_MAX} levels`);
    for (const item of Object.values(value)) pending.push([item, level + 1]);
  }
}
