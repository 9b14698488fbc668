/**
 * Finds many texts in another one in a single pass (Aho and Corasick, 1975): the work grows with the length of the text that is
 * searched, however many there are to be found and whatever they consist of. Of a long one only the beginning is part of the
 * automaton; the rest is compared where the beginning was found, until a budget of comparisons is spent.
 */

import { REDACTED } from "./redacted.ts";

/** A part of a text: from `start` up to, not including, `end`. */
interface TextPart {
  start: number;
  end: number;
}

/** Texts that stand where another was cut: marks of a cut, the replacement of half a character, and that of a secret within a secret. */
const CUT_MARKS = ["...", "\u2026", "\ufffd", REDACTED] as const;
const CUT_MARK_LENGTH_MAX = Math.max(...CUT_MARKS.map(({ length }) => length));
const CUT_MARK_BEGINS: ReadonlySet<number> = new Set(CUT_MARKS.map((mark) => mark.charCodeAt(0)));
/** UTF-16 code units of a text that the automaton knows. */
const HEAD_LENGTH = 16;
/** Comparisons beyond the automaton: for each code unit of the searched text, and for any text. */
const COMPARISONS_PER_UNIT = 8;
const COMPARISONS_MIN = 1_000;

interface TextPosition {
  text: string;
  start: number;
}

interface Budget {
  left: number;
}

interface Node {
  next: Map<number, Node>;
  /** The node of the longest proper end of this node's text that is the beginning of a wanted text. */
  shorter: Node | undefined;
  /** The nearest node along `shorter` at which wanted texts are known. */
  shorterFound: Node | undefined;
  depth: number;
  /** A wanted text ends here. */
  isWhole: boolean;
  /** Longer wanted texts that begin with this node's text, the longest first. */
  longer: string[];
}

/** Replaces the texts that it was made for. Making one takes time in proportion to their number. */
export class TextFinder {
  readonly #root = aNode(0);
  /** 1 for each code unit that a wanted text begins with. */
  readonly #begins = new Uint8Array(65_536);

  /** @param wanted none of them empty */
  constructor(wanted: readonly string[]) {
    for (const text of wanted) this.#add(text);
    this.#link();
  }

  /**
   * Returns the text with a replacement for each wanted text that stands in it, and for the beginning of one where a text may have
   * been cut: at the end, and before a mark of a cut. Those that overlap or touch each other are replaced together, and where
   * comparing takes too long more is replaced than was found.
   * @param cutLengthMin shortest beginning that is replaced before a mark, and at the end; one of more than 16 characters always is
   */
  replace(text: string, replacement: string, cutLengthMin: number): string {
    let replaced = "";
    let kept = 0;
    for (const { start, end } of this.#find(text, cutLengthMin)) {
      replaced += text.slice(kept, start) + replacement;
      kept = end;
    }
    return kept === 0 ? text : replaced + text.slice(kept);
  }

  /** Returns the parts to be replaced, in order. They don't touch each other. */
  #find(text: string, cutLengthMin: number): TextPart[] {
    const found: TextPart[] = [];
    const comparisons: Budget = { left: COMPARISONS_MIN + COMPARISONS_PER_UNIT * text.length };
    let node = this.#root;
    for (let at = 0; at < text.length; at++) {
      const code = text.charCodeAt(at);
      if (node === this.#root && this.#begins[code] === 0) continue;
      if (node.depth >= cutLengthMin && isMarkAt(text, at)) add(found, { start: at - node.depth, end: at });
      node = this.#step(node, code);
      for (
        let hit = node.isWhole || node.longer.length > 0 ? node : node.shorterFound;
        hit;
        hit = hit.shorterFound
      ) {
        const start = at + 1 - hit.depth;
        const length = lengthAt({ text, start }, hit, comparisons);
        if (length > 0) add(found, { start, end: Math.min(text.length, start + length) });
      }
    }
    if (node.depth >= cutLengthMin) add(found, { start: text.length - node.depth, end: text.length });
    return found;
  }

  #step(from: Node, code: number): Node {
    for (let node: Node | undefined = from; node; node = node.shorter) {
      const next = node.next.get(code);
      if (next) return next;
    }
    return this.#root;
  }

  #add(text: string): void {
    let node = this.#root;
    this.#begins[text.charCodeAt(0)] = 1;
    for (let at = 0; at < Math.min(text.length, HEAD_LENGTH); at++) {
      const code = text.charCodeAt(at);
      const next = node.next.get(code) ?? aNode(node.depth + 1);
      node.next.set(code, next);
      node = next;
    }
    if (text.length <= HEAD_LENGTH) node.isWhole = true;
    else node.longer.push(text);
  }

  /** Links each node, the shorter texts before the longer ones. */
  #link(): void {
    const waiting = [this.#root];
    for (let at = 0; at < waiting.length; at++) {
      const node = waiting[at] as Node;
      node.longer.sort((a, b) => b.length - a.length);
      for (const [code, next] of node.next) {
        next.shorter = node.shorter ? this.#step(node.shorter, code) : this.#root;
        const { shorter } = next;
        next.shorterFound = shorter.isWhole || shorter.longer.length > 0 ? shorter : shorter.shorterFound;
        waiting.push(next);
      }
    }
  }
}

function aNode(depth: number): Node {
  return { next: new Map(), shorter: undefined, shorterFound: undefined, depth, isWhole: false, longer: [] };
}

/**
 * Returns the length of the longest text known at a node that stands at `start`, or 0; one that the searched text cuts off at its
 * end, or at a mark, counts with what stands there of it. Without comparisons left, the length of the longest one that could stand
 * there.
 */
function lengthAt(
  { text, start }: TextPosition,
  { isWhole, longer, depth }: Node,
  comparisons: Budget,
): number {
  let found = isWhole ? depth : 0;
  for (const candidate of longer) {
    if (comparisons.left <= 0) return candidate.length;
    const end = Math.min(candidate.length, text.length - start);
    let at = depth;
    while (at < end && candidate.charCodeAt(at) === text.charCodeAt(start + at)) at++;
    comparisons.left -= at - depth + 1;
    if (at === end) return Math.max(found, end);
    if (isCutWithin(text, start + at)) found = Math.max(found, at);
  }
  return found;
}

/** True when a mark of a cut begins at the place, or shortly before it: the wanted text may go on with a part of the mark. */
function isCutWithin(text: string, place: number): boolean {
  for (let at = place; at > place - CUT_MARK_LENGTH_MAX && at >= 0; at--) if (isMarkAt(text, at)) return true;
  return false;
}

function isMarkAt(text: string, at: number): boolean {
  return CUT_MARK_BEGINS.has(text.charCodeAt(at)) && CUT_MARKS.some((mark) => text.startsWith(mark, at));
}

/** Adds a part, whose end is not before those of the others unless it lies in the last one, and joins it with what it touches. */
function add(found: TextPart[], part: TextPart): void {
  let { start, end } = part;
  for (let last = found.at(-1); last && last.end >= start; last = found.at(-1)) {
    start = Math.min(start, last.start);
    end = Math.max(end, last.end);
    found.pop();
  }
  found.push({ start, end });
}
