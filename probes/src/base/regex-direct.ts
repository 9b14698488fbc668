/**
 * Patterns that can be matched on the spot: so plain that their longest possible search is known beforehand, and short enough
 * not to be noticed. A trip to another thread costs more than the rest of a run's assertions together, and most patterns that
 * people write are of this kind. Everything else is left to the regex pool, whose threads can be ended.
 */

/** Longest search done here, steps: under a millisecond, three when the engine has not compiled the pattern yet. */
const STEPS_MAX = 100_000;
/** Longer patterns are not looked into. */
const PATTERN_CHARACTERS_MAX = 200;
const PATTERNS_REMEMBERED_MAX = 1_000;

/** One character of a pattern (or a class of them) and how often it may occur; Infinity: as often as there is text. */
interface Item {
  min: number;
  max: number;
}

interface PlainPattern {
  regexp: RegExp;
  /** It begins with ^, so that only the beginning of the text is tried. */
  isAnchored: boolean;
  items: Item[];
}

const remembered = new Map<string, PlainPattern | null>();

/**
 * Searches a text for a pattern when that is sure to be over at once. Pure but for what it remembers.
 * @returns what matched, null when nothing does, undefined when it can't be judged here
 */
export function matchDirectly(pattern: string, text: string): string | null | undefined {
  const steps = searchSteps(pattern, text.length);
  if (steps === undefined || steps > STEPS_MAX) return undefined;
  return plainPatternOf(pattern)?.regexp.exec(text)?.[0] ?? null;
}

/** For tests: the most steps that a search may take, or undefined when the pattern is not a plain one. */
export function searchSteps(pattern: string, textLength: number): number | undefined {
  const plain = plainPatternOf(pattern);
  return plain ? stepsAtMost(plain, textLength) : undefined;
}

/** Every way of matching is tried at worst: each number of repetitions of an item with all that follows it, from every start. */
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

/** One character: an escape that stands for itself or for a class, a bracketed class, or any that means nothing special. */
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
