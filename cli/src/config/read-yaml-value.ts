/**
 * From a YAML document to plain values: placeholders filled in, anchors and merge keys resolved, and the place of everything kept.
 * What grows beyond all measure (aliases of aliases) or refers to itself is a problem, not a crash.
 */
import { type Document, isAlias, isMap, isPair, isScalar, isSeq, type Node, type Scalar } from "yaml";
import { type Environment, hasPlaceholder, interpolate } from "./interpolate.ts";
import {
  type ConfigPath,
  type Place,
  type Places,
  type Problem,
  problemAt,
  type SourceFile,
} from "./positions.ts";

/** Values that aliases stand for: far more than 10,000 monitors merge in. What is written out is limited by the file's size. */
const ALIASED_VALUES_MAX = 500_000;
const MERGE_KEY = "<<";

export interface ReadValue {
  value: unknown;
  problems: Problem[];
  /** Problems of placeholders, which are told as warnings, too. */
  unresolved: Problem[];
  secrets: string[];
  /** Paths of plain scalars that are one ${NAME}: their text may stand for a number or a boolean. */
  coercible: Set<string>;
}

class TooLarge extends Error {}

export function readDocument(
  document: Document.Parsed,
  file: SourceFile,
  env: Environment,
  places: Places,
): ReadValue {
  const reader = new Reader(file, env, places);
  try {
    return { ...reader.found, value: reader.read(document.contents, []) };
  } catch (error) {
    if (!(error instanceof TooLarge)) throw error;
    const message = `its aliases stand for more than ${ALIASED_VALUES_MAX} values (aliases that multiply)`;
    return {
      ...reader.found,
      value: undefined,
      problems: [problemAt(undefined, [], message, file.shownPath)],
    };
  }
}

class Reader {
  readonly found: Omit<ReadValue, "value"> = {
    problems: [],
    unresolved: [],
    secrets: [],
    coercible: new Set(),
  };
  readonly #anchors = new Map<string, Node>();
  readonly #open = new Set<Node>();
  #aliasDepth = 0;
  #aliased = 0;

  constructor(
    private readonly file: SourceFile,
    private readonly env: Environment,
    private readonly places: Places,
  ) {}

  read(node: unknown, path: ConfigPath): unknown {
    if (this.#aliasDepth > 0 && ++this.#aliased > ALIASED_VALUES_MAX) throw new TooLarge();
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
    if (this.file.text.startsWith("{{", this.#at(node).offset)) {
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
      this.#put(value, key, { key: this.#at(pair.key), value: this.#at(pair.value ?? pair.key) }, () =>
        this.read(pair.value, [...path, key]),
      );
    }
    for (const merge of merges) this.#merge(value, own, merge, path);
    return value;
  }

  /** Placeholders are values' alone; one that would stay as it is without a word would name a channel, say. */
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

  /** Keys of the merged maps that the map itself has not; of several maps the first one counts. */
  #merge(value: Record<string, unknown>, own: Set<string>, source: Node, path: ConfigPath): void {
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
        const entry = this.places.entry(map, key);
        const place = this.#at(source);
        this.#put(value, key, entry ?? { key: place, value: place }, () => item);
      }
    }
  }

  #put(
    target: Record<string, unknown>,
    key: string,
    places: { key: Place; value: Place },
    read: () => unknown,
  ): void {
    this.places.set(target, key, places);
    Object.defineProperty(target, key, {
      value: read(),
      enumerable: true,
      writable: true,
      configurable: true,
    });
  }

  #readList(items: readonly unknown[], path: ConfigPath): unknown[] {
    const list: unknown[] = [];
    for (const [i, item] of items.entries()) {
      const place = this.#at(item as Node);
      this.places.set(list, i, { key: place, value: place });
      list.push(this.read(item, [...path, i]));
    }
    return list;
  }

  #readText(node: Scalar<string>, path: ConfigPath): string {
    const { text, unresolved, secrets } = interpolate(node.value, this.env);
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

  #at(node: unknown): Place {
    const range = (node as { range?: [number, number, number] | null } | null)?.range;
    return { file: this.file, offset: range?.[0] ?? 0 };
  }
}
