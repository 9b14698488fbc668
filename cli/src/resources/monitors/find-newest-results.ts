/** Filters that the service does not have: pages are read until enough matches are found. */
import type { Result } from "@svc/contract";

const PAGE = 200;
/** A rare status must not read a year of history page by page. */
const PAGES_MAX = 50;
/** Results that are looked through at most. */
export const LOOKED_THROUGH_MAX = PAGE * PAGES_MAX;

/**
 * The newest results that match, at most `limit`, none that started before `sinceMs` (Unix ms).
 * @param read a page of results, newest first
 * @returns also whether it gave up at {@link LOOKED_THROUGH_MAX}: there may be more
 */
export async function newestMatching(
  read: (page: { limit: number; offset: number }) => Promise<readonly Result[]>,
  {
    limit,
    sinceMs = 0,
    matches,
  }: { limit: number; sinceMs?: number | undefined; matches(result: Result): boolean },
): Promise<{ results: Result[]; hasGivenUp: boolean }> {
  const found = new Map<string, Result>();
  for (let page = 0; page < PAGES_MAX; page++) {
    const results = await read({ limit: PAGE, offset: page * PAGE });
    // A result that came in between moved the pages: what was seen already comes again.
    for (const result of results)
      if (Date.parse(result.startedAt) >= sinceMs && matches(result)) found.set(result.id, result);
    const oldest = results.at(-1);
    const isEnd = results.length < PAGE || !oldest || Date.parse(oldest.startedAt) < sinceMs;
    if (found.size >= limit || isEnd) return { results: firstOf(found, limit), hasGivenUp: false };
  }
  return { results: firstOf(found, limit), hasGivenUp: true };
}

function firstOf(found: ReadonlyMap<string, Result>, limit: number): Result[] {
  return [...found.values()].slice(0, limit);
}
