/** Finds what differs between two results of a check at one location. Pure. */
import { diffLines } from "diff";

/** Longest that the lines of two bodies are compared, ms: the comparison holds the page meanwhile. */
const DIFF_MS_MAX = 50;
const LINES_MAX = 2_000;

/** A value before and now; undefined: there was none. */
export interface Difference {
  name: string;
  before: string | undefined;
  now: string | undefined;
}

/** Returns the headers that came, went or changed, by name. Names differ by more than case. */
export function headerDifferences(before: Record<string, string>, now: Record<string, string>): Difference[] {
  const lower = (headers: Record<string, string>) =>
    new Map(Object.entries(headers).map(([name, value]) => [name.toLowerCase(), value]));
  const [old, fresh] = [lower(before), lower(now)];
  return [...new Set([...old.keys(), ...fresh.keys()])]
    .filter((name) => old.get(name) !== fresh.get(name))
    .sort()
    .map((name) => ({ name, before: old.get(name), now: fresh.get(name) }));
}

/** A piece of a body: lines that stand in both, were added, or removed. */
export interface Piece {
  /** Place among the pieces. */
  at: number;
  kind: "same" | "added" | "removed";
  text: string;
}

/** Returns the pieces of two bodies; undefined when they are too long, or too different, to be compared line by line. */
export function bodyDifferences(before: string, now: string): Piece[] | undefined {
  if (lineCount(before) > LINES_MAX || lineCount(now) > LINES_MAX) return undefined;
  return diffLines(before, now, { timeout: DIFF_MS_MAX })?.map(({ added, removed, value }, at) => ({
    at,
    kind: added ? "added" : removed ? "removed" : "same",
    text: value,
  }));
}

function lineCount(text: string): number {
  return text.split("\n").length;
}
