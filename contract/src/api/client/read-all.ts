/** Reading of lists that are paged by cursor. */

/** Where a page begins, and its length; the first page has no cursor. */
export interface CursorPage {
  cursor?: string;
  limit?: number;
}

/** Largest page that the service answers. */
export const PAGE_LIMIT_MAX = 200;

/**
 * Returns the entries of every page of a list, in order.
 * @param read requests a page
 * @param entriesOf returns the entries of an answer
 * @param page length of a page; absent: as many as the service answers at once
 */
export async function readAll<Answer extends { nextCursor?: string | undefined }, Entry>(
  read: (page: CursorPage) => Promise<Answer>,
  entriesOf: (answer: Answer) => Entry[],
  page: Pick<CursorPage, "limit"> = {},
): Promise<Entry[]> {
  const first = await read(page);
  const all = entriesOf(first);
  for (let cursor = first.nextCursor; cursor !== undefined; ) {
    const answer = await read({ ...page, cursor });
    // Not by push(...entries): a page may hold more entries than a call takes arguments.
    for (const entry of entriesOf(answer)) all.push(entry);
    cursor = answer.nextCursor;
  }
  return all;
}
