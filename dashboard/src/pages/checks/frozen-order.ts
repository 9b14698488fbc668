/** Keeps the lines of a list where they are while somebody points at them. Pure. */

/**
 * Returns the rows in the order that they had: new ones follow at the end, gone ones are left out.
 * @param before ids in the order that is kept
 * @returns the rows, and how many of them would be elsewhere in the new order
 */
export function frozen<Row extends { readonly id: string }>(
  rows: readonly Row[],
  before: readonly string[],
): { rows: readonly Row[]; moved: number } {
  const at = new Map(before.map((id, i) => [id, i]));
  const kept = rows.toSorted((a, b) => (at.get(a.id) ?? before.length) - (at.get(b.id) ?? before.length));
  return { rows: kept, moved: kept.filter(({ id }, i) => rows[i]?.id !== id).length };
}
