/**
 * Scans JSON text for everything that JSON.parse does not report: positions of values, keys that appear twice, nesting,
 * and the position of a syntax error. The values themselves come from JSON.parse.
 */
import { NESTING_MAX } from "./limits.ts";
import { escapeSegment } from "./pointer.ts";

/** Findings of a scan. Offsets are UTF-16 indexes into the text. */
export interface JsonScan {
  duplicates: { pointer: string; offset: number }[];
  /** Set when the text is not JSON or nests too deeply; the scan ended there. */
  failure?: { offset: number; message: string };
  /** Offset of each wanted pointer that exists: of its key, or of the value in an array. */
  offsets: Map<string, number>;
}

/** The wanted pointers as a tree, so that the scan follows only their paths. */
interface Wanted {
  pointer?: string;
  children: Map<string, Wanted>;
}

class ScanFailure extends Error {
  readonly offset: number;
  constructor(offset: number, message: string) {
    super(message);
    this.offset = offset;
  }
}

/** Scans the text and finds the offsets of `pointers`. Never throws. */
export function scanJson(text: string, pointers: Iterable<string> = []): JsonScan {
  const scanner = new Scanner(text);
  const offsets = new Map<string, number>();
  const scan: JsonScan = { duplicates: scanner.duplicates, offsets };
  try {
    scanner.document(wantedTree(pointers), offsets);
  } catch (error) {
    if (!(error instanceof ScanFailure)) throw error;
    scan.failure = { offset: error.offset, message: error.message };
  }
  return scan;
}

function wantedTree(pointers: Iterable<string>): Wanted {
  const root: Wanted = { children: new Map() };
  for (const pointer of pointers) {
    let node = root;
    for (const segment of pointer.split("/").slice(1)) {
      let child = node.children.get(segment);
      if (!child) {
        child = { children: new Map() };
        node.children.set(segment, child);
      }
      node = child;
    }
    node.pointer = pointer;
  }
  return root;
}

const LITERAL = /true|false|null|-?(?:0|[1-9]\d*)(?:\.\d+)?(?:[eE][+-]?\d+)?/y;
// biome-ignore lint/suspicious/noControlCharactersInRegex: control characters are what is refused here
const STRING = /"(?:[^"\\\u0000-\u001f]|\\(?:["\\/bfnrt]|u[0-9a-fA-F]{4}))*"/y;

class Scanner {
  readonly duplicates: JsonScan["duplicates"] = [];
  readonly #text: string;
  #offsets = new Map<string, number>();
  #offset = 0;
  readonly #path: string[] = [];

  constructor(text: string) {
    this.#text = text;
  }

  document(wanted: Wanted, offsets: Map<string, number>): void {
    this.#offsets = offsets;
    this.#space();
    if (wanted.pointer !== undefined) offsets.set(wanted.pointer, this.#offset);
    this.#value(wanted);
    this.#space();
    if (this.#offset < this.#text.length) this.#fail("expected the end of the document");
  }

  #value(wanted: Wanted | undefined): void {
    const char = this.#text[this.#offset];
    if (char === "{") this.#object(wanted);
    else if (char === "[") this.#array(wanted);
    else if (char === '"') this.#string();
    else this.#match(LITERAL, "expected a value");
  }

  #object(wanted: Wanted | undefined): void {
    this.#enter();
    const seen = new Set<string>();
    for (let isFirst = true; !this.#accept("}"); isFirst = false) {
      if (!isFirst) this.#expect(",");
      this.#space();
      const keyOffset = this.#offset;
      const key = this.#key();
      if (seen.has(key)) this.duplicates.push({ pointer: this.#pointerTo(key), offset: keyOffset });
      seen.add(key);
      this.#space();
      this.#expect(":");
      this.#child(key, keyOffset, wanted);
    }
    this.#path.pop();
  }

  #array(wanted: Wanted | undefined): void {
    this.#enter();
    for (let index = 0; !this.#accept("]"); index++) {
      if (index > 0) this.#expect(",");
      this.#space();
      this.#child(String(index), this.#offset, wanted);
    }
    this.#path.pop();
  }

  #child(key: string, offset: number, wanted: Wanted | undefined): void {
    this.#space();
    const next = wanted?.children.get(escapeSegment(key));
    if (next?.pointer !== undefined && !this.#offsets.has(next.pointer))
      this.#offsets.set(next.pointer, offset);
    this.#path[this.#path.length - 1] = key;
    this.#value(next);
    this.#space();
  }

  #enter(): void {
    if (this.#path.length >= NESTING_MAX) this.#fail(`nested deeper than ${NESTING_MAX} levels`);
    this.#path.push("");
    this.#offset++;
    this.#space();
  }

  #key(): string {
    const start = this.#offset;
    this.#string();
    const raw = this.#text.slice(start + 1, this.#offset - 1);
    return raw.includes("\\") ? (JSON.parse(`"${raw}"`) as string) : raw;
  }

  #string(): void {
    // Long strings are walked by indexOf: a regular expression over megabytes would exhaust its stack.
    if (this.#text[this.#offset] !== '"') this.#fail("expected a string");
    let end = this.#text.indexOf('"', this.#offset + 1);
    while (end > 0 && this.#isEscaped(end)) end = this.#text.indexOf('"', end + 1);
    if (end < 0) this.#fail("this string does not end");
    if (end - this.#offset < 4_096) this.#match(STRING, "not a valid string");
    else this.#offset = end + 1;
  }

  #isEscaped(quote: number): boolean {
    let backslashes = 0;
    while (this.#text[quote - 1 - backslashes] === "\\") backslashes++;
    return backslashes % 2 === 1;
  }

  #match(pattern: RegExp, expectation: string): void {
    pattern.lastIndex = this.#offset;
    const found = pattern.exec(this.#text)?.[0];
    if (found === undefined) this.#fail(expectation);
    else this.#offset += found.length;
  }

  #space(): void {
    for (;;) {
      const code = this.#text.charCodeAt(this.#offset);
      if (code !== 32 && code !== 10 && code !== 13 && code !== 9) return;
      this.#offset++;
    }
  }

  #accept(char: string): boolean {
    if (this.#text[this.#offset] !== char) return false;
    this.#offset++;
    return true;
  }

  #expect(char: string): void {
    if (!this.#accept(char)) this.#fail(`expected "${char}"`);
  }

  #pointerTo(key: string): string {
    return [...this.#path.slice(0, -1), key].map((part) => `/${escapeSegment(part)}`).join("");
  }

  #fail(message: string): never {
    throw new ScanFailure(this.#offset, message);
  }
}
