/** Reads lists that the API answers part by part. */

/** Entries that are asked for at once. */
const PART_LIMIT = 200;

/**
 * Reads every part of a list.
 * @param read reads the part that begins at the cursor; undefined: the first
 * @param entriesOf returns the entries of a part
 */
export async function allParts<Part extends { nextCursor?: string | undefined }, Entry>(
  read: (cursor: string | undefined) => Promise<Part>,
  entriesOf: (part: Part) => readonly Entry[],
): Promise<Entry[]> {
  const entries: Entry[] = [];
  let cursor: string | undefined;
  do {
    const part = await read(cursor);
    entries.push(...entriesOf(part));
    cursor = part.nextCursor;
  } while (cursor !== undefined);
  return entries;
}

/** Entries of a part of a list that people read from its newest entry on. */
export const SHOWN_AT_ONCE = 100;

/**
 * Reads the first parts of a list.
 * @param count number of parts, each of {@link SHOWN_AT_ONCE} entries
 * @returns the entries, and whether there are more
 */
export async function firstParts<Part extends { nextCursor?: string | undefined }, Entry>(
  read: (page: { limit: number; cursor?: string }) => Promise<Part>,
  entriesOf: (part: Part) => readonly Entry[],
  count: number,
): Promise<{ entries: Entry[]; hasMore: boolean }> {
  const entries: Entry[] = [];
  let cursor: string | undefined;
  for (let i = 0; i < count; i++) {
    const part = await read({ limit: SHOWN_AT_ONCE, ...(cursor !== undefined && { cursor }) });
    entries.push(...entriesOf(part));
    cursor = part.nextCursor;
    if (cursor === undefined) break;
  }
  return { entries, hasMore: cursor !== undefined };
}

/** Keeps what is on screen while more of the list is read; another filter begins anew. @param filter second part of the query's key */
export function keptOf(filter: unknown) {
  return <Data>(before: Data | undefined, query: { queryKey: readonly unknown[] } | undefined) =>
    JSON.stringify(query?.queryKey[1]) === JSON.stringify(filter) ? before : undefined;
}

/** Returns the query of one part. */
export function partQuery(cursor: string | undefined): { limit: number; cursor?: string } {
  return { limit: PART_LIMIT, ...(cursor !== undefined && { cursor }) };
}
