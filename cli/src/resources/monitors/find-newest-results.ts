/** Filters results in ways that the service can't: reads pages until enough matches are found. */
import type { Result } from "@svc/contract";

const PAGE = 200;
/** Most pages read: the search for a rare status must not read a year of history. */
const PAGES_MAX = 50;
/** Most results that are looked through. */
export const LOOKED_THROUGH_MAX = PAGE * PAGES_MAX;

/**
 * Returns the newest results that match, at most `limit`, none that started before `sinceMs` (Unix ms).
 * @param read reads a page of results, newest first
 * @returns `hasGivenUp` when the search stopped at {@link LOOKED_THROUGH_MAX}: there may be more
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
    // A result that arrives between two pages moves them: results seen already come again.
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
