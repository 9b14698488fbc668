/** Reading of lists that are paged by cursor. */

/** Where a page begins; the first page has no cursor. */
export interface CursorPage {
  cursor?: string;
}

/**
 * Returns the entries of every page of a list, in order.
 * @param read asks for a page   @param entriesOf returns the entries of an answer
 */
export async function readAll<Answer extends { nextCursor?: string | undefined }, Entry>(
  read: (page: CursorPage) => Promise<Answer>,
  entriesOf: (answer: Answer) => Entry[],
): Promise<Entry[]> {
  const first = await read({});
  const all = entriesOf(first);
  for (let cursor = first.nextCursor; cursor !== undefined; ) {
    const answer = await read({ cursor });
    // Not by push(...entries): a page may hold more entries than a call takes arguments.
    for (const entry of entriesOf(answer)) all.push(entry);
    cursor = answer.nextCursor;
  }
  return all;
}
