/** Suggestions for misspelled names. */

/**
 * Returns the entry of `known` nearest to `name`, ignoring case, or undefined when none is near enough for a likely typo:
 * at most a third of the name's letters may differ, and one may always.
 */
export function nearestName(name: string, known: readonly string[]): string | undefined {
  let best: string | undefined;
  let bestDistance = Math.max(1, Math.floor(name.length / 3)) + 1;
  for (const candidate of known) {
    const distance = editDistance(name.toLowerCase(), candidate.toLowerCase());
    if (distance < bestDistance) {
      best = candidate;
      bestDistance = distance;
    }
  }
  return best;
}

/** Returns the optimal string alignment distance: an insertion, deletion, replacement or swap of neighbours counts one. */
function editDistance(a: string, b: string): number {
  const rows: number[][] = [Array.from({ length: b.length + 1 }, (_, j) => j)];
  for (let i = 1; i <= a.length; i++) {
    const row = [i];
    for (let j = 1; j <= b.length; j++) {
      const cost = a[i - 1] === b[j - 1] ? 0 : 1;
      let value = Math.min(at(rows, i - 1, j) + 1, (row[j - 1] ?? 0) + 1, at(rows, i - 1, j - 1) + cost);
      if (i > 1 && j > 1 && a[i - 1] === b[j - 2] && a[i - 2] === b[j - 1])
        value = Math.min(value, at(rows, i - 2, j - 2) + 1);
      row.push(value);
    }
    rows.push(row);
  }
  return at(rows, a.length, b.length);
}

function at(rows: number[][], i: number, j: number): number {
  return rows[i]?.[j] ?? 0;
}
