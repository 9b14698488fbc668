/**
 * Matches patterns on the event loop when they are so plain that the longest possible search is known beforehand to
 * be too short to be noticed. A trip to another thread costs more than all other assertions of a run together, and
 * most patterns that people write are of this kind. All others are left to the regex pool, whose threads can be
 * ended.
 */

/**
 * Longest search on the event loop, in steps. It takes under a millisecond; three when the engine has not compiled
 * the pattern yet.
 */
const STEPS_MAX = 100_000;
/** Longer patterns are left to the pool without a look. */
const PATTERN_CHARACTERS_MAX = 200;
const PATTERNS_REMEMBERED_MAX = 1_000;

/** One character of a pattern, or a class of them, and how often it may occur. Infinity stands for no limit. */
interface Item {
  min: number;
  max: number;
}

interface PlainPattern {
  regexp: RegExp;
  /** The pattern begins with ^, so that a match can only begin at the start of the text. */
  isAnchored: boolean;
  items: Item[];
}

const remembered = new Map<string, PlainPattern | null>();

/**
 * Searches a text for a pattern if the search is sure to be short. Pure but for the patterns it remembers.
 * @returns the match, null when there is none, undefined when the pattern is left to the pool
 */
export function matchDirectly(pattern: string, text: string): string | null | undefined {
  const steps = searchSteps(pattern, text.length);
  if (steps === undefined || steps > STEPS_MAX) return undefined;
  return plainPatternOf(pattern)?.regexp.exec(text)?.[0] ?? null;
}

/** Returns the largest number of steps that a search may take; undefined when the pattern is not a plain one. */
export function searchSteps(pattern: string, textLength: number): number | undefined {
  const plain = plainPatternOf(pattern);
  return plain ? stepsAtMost(plain, textLength) : undefined;
}

/**
 * Counts the worst case: each number of repetitions of an item, with everything that follows it, from every start.
 */
function stepsAtMost({ isAnchored, items }: PlainPattern, textLength: number): number {
  const steps = items.reduceRight((rest, { min, max }) => {
    const most = Math.min(max, textLength);
    return most <= min ? min + rest : min + (most - min + 1) * (1 + rest);
  }, 1);
  return isAnchored ? steps : steps * (textLength + 1);
}

function plainPatternOf(pattern: string): PlainPattern | null {
  if (pattern.length > PATTERN_CHARACTERS_MAX) return null;
  const known = remembered.get(pattern);
  if (known !== undefined) return known;
  const plain = parse(pattern);
  if (remembered.size >= PATTERNS_REMEMBERED_MAX) remembered.delete(remembered.keys().next().value as string);
  remembered.set(pattern, plain);
  return plain;
}

/** One character: an escape for itself or for a class, a bracketed class, or a character without special meaning. */
const CHARACTER = /\\[dDwWsSnrtfv]|\\[^\p{L}\p{N}\n\r\u2028\u2029]|\[(?:\\.|[^\]\\])*\]|[^\\^$*+?()[\]{}|]/uy;
const QUANTIFIER = /(?:([*+?])|\{(\d{1,4})(?:(,)(\d{1,4})?)?\})\??/y;

/** @returns null for anything with a group, an alternative, a look-around, a reference or a mistake in it */
function parse(pattern: string): PlainPattern | null {
  const isAnchored = pattern.startsWith("^");
  const end = pattern.endsWith("$") && !pattern.endsWith("\\$") ? pattern.length - 1 : pattern.length;
  const items: Item[] = [];
  for (let at = isAnchored ? 1 : 0; at < end; ) {
    CHARACTER.lastIndex = at;
    const character = CHARACTER.exec(pattern);
    if (!character) return null;
    at += character[0].length;
    QUANTIFIER.lastIndex = at;
    const quantifier = QUANTIFIER.exec(pattern);
    at += quantifier?.[0].length ?? 0;
    items.push(timesOf(quantifier));
  }
  try {
    return { regexp: new RegExp(pattern), isAnchored, items };
  } catch {
    return null;
  }
}

function timesOf(quantifier: RegExpExecArray | null): Item {
  if (!quantifier) return { min: 1, max: 1 };
  const [, sign, least, comma, most] = quantifier;
  switch (sign) {
    case "*":
      return { min: 0, max: Number.POSITIVE_INFINITY };
    case "+":
      return { min: 1, max: Number.POSITIVE_INFINITY };
    case "?":
      return { min: 0, max: 1 };
  }
  const min = Number(least);
  if (!comma) return { min, max: min };
  return { min, max: most === undefined ? Number.POSITIVE_INFINITY : Number(most) };
}
