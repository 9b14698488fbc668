/**
 * Turns a YAML document into plain values: placeholders are filled in, anchors and merge keys resolved, positions kept.
 * A document that refers to itself, or whose aliases multiply beyond all measure, is a problem and not a crash.
 */

import { type Document, isAlias, isMap, isPair, isScalar, isSeq, type Node, type Scalar } from "yaml";
import { type Environment, hasPlaceholder, interpolate } from "../interpolate.ts";
import type { ConfigPath, Position, Positions, SourceFile } from "./positions.ts";
import { fileProblem, type Problem, problemAt } from "./problem.ts";

/**
 * Values that aliases may expand to at most: far more than 10,000 monitors merge in. Values written out are limited
 * by the file's size.
 */
const ALIASED_VALUES_MAX = 500_000;
const MERGE_KEY = "<<";

/** The plain value of a document, and the problems of reading it. */
export interface ReadValue {
  value: unknown;
  problems: Problem[];
  /** Problems of placeholders, which are warned of as well. */
  unresolved: Problem[];
  /** Values that `{{secrets.X}}` resolved to. */
  secrets: string[];
  /** Paths, as JSON, of plain scalars that are one `${NAME}`: their text may stand for a number or a boolean. */
  coercible: Set<string>;
}

class TooLarge extends Error {}

/** The document, the variables that fill its placeholders, and the collection of positions. */
export interface ReadValueOptions {
  file: SourceFile;
  env: Environment;
  /** Filled with the positions of all values. */
  positions: Positions;
}

/** Returns the document's value; undefined, with a problem, when it is too large. */
export function readYamlValue(document: Document.Parsed, options: ReadValueOptions): ReadValue {
  const reader = new Reader(options);
  try {
    return { ...reader.found, value: reader.read(document.contents, []) };
  } catch (error) {
    if (!(error instanceof TooLarge)) throw error;
    const message = `its aliases stand for more than ${ALIASED_VALUES_MAX} values (aliases that multiply)`;
    return { ...reader.found, value: undefined, problems: [fileProblem(options.file.shownPath, message)] };
  }
}

interface MapBeingRead {
  value: Record<string, unknown>;
  /** Keys that the map has so far; a merged map doesn't replace them. */
  own: Set<string>;
  path: ConfigPath;
}

class Reader {
  readonly found: Omit<ReadValue, "value"> = {
    problems: [],
    unresolved: [],
    secrets: [],
    coercible: new Set(),
  };
  readonly #file: SourceFile;
  readonly #env: Environment;
  readonly #positions: Positions;
  readonly #anchors = new Map<string, Node>();
  /** Nodes that are being read: an alias to one of them would never end. */
  readonly #open = new Set<Node>();
  /** Aliases around the node that is being read. */
  #aliasDepth = 0;
  #aliasedCount = 0;

  constructor({ file, env, positions }: ReadValueOptions) {
    this.#file = file;
    this.#env = env;
    this.#positions = positions;
  }

  read(node: unknown, path: ConfigPath): unknown {
    if (this.#aliasDepth > 0 && ++this.#aliasedCount > ALIASED_VALUES_MAX) throw new TooLarge();
    if (isAlias(node)) return this.#readAlias(node.source, node, path);
    if (isScalar(node)) {
      this.#remember(node);
      return typeof node.value === "string" ? this.#readText(node as Scalar<string>, path) : node.value;
    }
    if (!isMap(node) && !isSeq(node)) return null;
    this.#remember(node);
    this.#open.add(node);
    const value = isMap(node) ? this.#readMap(node, path) : this.#readList(node.items, path);
    this.#open.delete(node);
    return value;
  }

  #readAlias(name: string, node: Node, path: ConfigPath): unknown {
    const target = this.#anchors.get(name);
    if (!target) return this.#refuse(node, path, `there is no anchor &${name} before this alias`);
    if (this.#open.has(target))
      return this.#refuse(node, path, `the alias *${name} lies within what it refers to`);
    this.#aliasDepth++;
    const value = this.read(target, path);
    this.#aliasDepth--;
    return value;
  }

  #readMap(node: Node & { items: unknown[]; flow?: boolean }, path: ConfigPath): unknown {
    if (this.#file.text.startsWith("{{", this.#at(node).offset)) {
      return this.#refuse(node, path, 'a placeholder at the beginning of a value needs quotes: "{{...}}"');
    }
    const value: Record<string, unknown> = {};
    const own = new Set<string>();
    const merges: Node[] = [];
    for (const pair of node.items) {
      if (!isPair(pair)) continue;
      if (isScalar(pair.key) && pair.key.value === MERGE_KEY && pair.key.type === "PLAIN") {
        merges.push(pair.value as Node);
        continue;
      }
      if (!isScalar(pair.key)) {
        this.#refuse((pair.key as Node | null) ?? node, path, "a key has to be a text");
        continue;
      }
      const key = this.#readKey(pair.key, path);
      own.add(key);
      this.#remember(pair.key);
      this.#positions.set(value, key, { key: this.#at(pair.key), value: this.#at(pair.value ?? pair.key) });
      define(value, key, this.read(pair.value, [...path, key]));
    }
    for (const merge of merges) this.#merge({ value, own, path }, merge);
    return value;
  }

  /** Refuses placeholders in keys: left as text without a word, one could become the name of a channel. */
  #readKey(node: Scalar, path: ConfigPath): string {
    const key = String(node.value);
    if (hasPlaceholder(key)) {
      const message =
        "placeholders are filled in in values, not in keys (a backslash before one makes it text)";
      this.#refuse(node, [...path, key], message);
      return key;
    }
    return interpolate(key, {}).text;
  }

  /** Adds the keys of the merged maps that the map itself doesn't have; of several maps the first one counts. */
  #merge({ value, own, path }: MapBeingRead, source: Node): void {
    const merged = this.read(source, path);
    const maps = Array.isArray(merged) ? merged : [merged];
    for (const map of maps) {
      if (typeof map !== "object" || map === null || Array.isArray(map)) {
        this.#refuse(source, path, "<< takes a map, or a list of maps");
        continue;
      }
      for (const [key, item] of Object.entries(map)) {
        if (own.has(key)) continue;
        own.add(key);
        const entry = this.#positions.entry(map, key);
        const position = this.#at(source);
        this.#positions.set(value, key, entry ?? { key: position, value: position });
        define(value, key, item);
      }
    }
  }

  #readList(items: readonly unknown[], path: ConfigPath): unknown[] {
    const list: unknown[] = [];
    for (const [i, item] of items.entries()) {
      const position = this.#at(item as Node);
      this.#positions.set(list, i, { key: position, value: position });
      list.push(this.read(item, [...path, i]));
    }
    return list;
  }

  #readText(node: Scalar<string>, path: ConfigPath): string {
    const { text, unresolved, secrets } = interpolate(node.value, this.#env);
    for (const { message } of unresolved)
      this.found.unresolved.push(problemAt(this.#at(node), path, message));
    this.found.secrets.push(...secrets);
    if (text !== node.value && node.type === "PLAIN" && /^\$\{\w+\}$/.test(node.value))
      this.found.coercible.add(JSON.stringify(path));
    return text;
  }

  #remember(node: Node): void {
    const anchor = "anchor" in node ? node.anchor : undefined;
    if (anchor && this.#aliasDepth === 0) this.#anchors.set(anchor, node);
  }

  #refuse(node: Node, path: ConfigPath, message: string): undefined {
    this.found.problems.push(problemAt(this.#at(node), path, message));
    return undefined;
  }

  #at(node: unknown): Position {
    const range = (node as { range?: [number, number, number] | null } | null)?.range;
    return { file: this.#file, offset: range?.[0] ?? 0 };
  }
}

/** Sets an entry of the user's; assigning to a key such as `__proto__` would not make one. */
function define(target: Record<string, unknown>, key: string, value: unknown): void {
  Object.defineProperty(target, key, { value, enumerable: true, writable: true, configurable: true });
}
