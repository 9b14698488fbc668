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

/** Returns the query of one part. */
export function partQuery(cursor: string | undefined): { limit: number; cursor?: string } {
  return { limit: PART_LIMIT, ...(cursor !== undefined && { cursor }) };
}
