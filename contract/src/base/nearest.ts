/** Suggestions for misspelled names. */

/** Length of the longest name that a suggestion is looked for; a longer text is no typo of anything. */
const NAME_LENGTH_MAX = 64;

/**
 * Returns the entry of `known` nearest to `name`, ignoring case, or undefined when none is near enough for a likely typo:
 * at most a third of the name's letters may differ, and one may always. A name of more than 64 characters has none, so
 * that the cost doesn't depend on who sends the name.
 */
export function nearestName(name: string, known: readonly string[]): string | undefined {
  if (name.length > NAME_LENGTH_MAX) return undefined;
  const lowerName = name.toLowerCase();
  let best: string | undefined;
  let bestDistance = Math.max(1, Math.floor(name.length / 3)) + 1;
  for (const candidate of known) {
    const distance = editDistanceBelow(lowerName, candidate.toLowerCase(), bestDistance);
    if (distance === undefined) continue;
    best = candidate;
    bestDistance = distance;
  }
  return best;
}

/**
 * Returns the optimal string alignment distance: an insertion, deletion, replacement or swap of neighbours counts one.
 * Undefined when the distance is `limit` or more, which is found out as early as possible.
 */
function editDistanceBelow(a: string, b: string, limit: number): number | undefined {
  if (Math.abs(a.length - b.length) >= limit) return undefined;
  // Three rows of the table: the one before the last is needed for swaps.
  let older: number[] = [];
  let last = Array.from({ length: b.length + 1 }, (_, j) => j);
  for (let i = 1; i <= a.length; i++) {
    const row = nextRow([a, b], i, [older, last]);
    if (Math.min(...row) >= limit && Math.min(...last) >= limit) return undefined;
    older = last;
    last = row;
  }
  const distance = last[b.length] ?? 0;
  return distance < limit ? distance : undefined;
}

/** Returns row `i` of the table of two texts from the two rows before it. */
function nextRow([a, b]: [string, string], i: number, [older, last]: [number[], number[]]): number[] {
  const row = [i];
  for (let j = 1; j <= b.length; j++) {
    const cost = a[i - 1] === b[j - 1] ? 0 : 1;
    let value = Math.min((last[j] ?? 0) + 1, (row[j - 1] ?? 0) + 1, (last[j - 1] ?? 0) + cost);
    if (i > 1 && j > 1 && a[i - 1] === b[j - 2] && a[i - 2] === b[j - 1])
      value = Math.min(value, (older[j - 2] ?? 0) + 1);
    row.push(value);
  }
  return row;
}
