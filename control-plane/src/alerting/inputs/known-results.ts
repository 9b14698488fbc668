/**
 * The results of a check that a decision looks at, with counts that are kept while further results are added: a condition
 * about the last thousand results costs as much as one about the last two. Pure; each add costs a few steps, but for a
 * result that comes late.
 */
import type { LoadedLocation, LocationInput, NewestOfAll } from "./condition-input.ts";
import { isSuccess, type StoredResult } from "./judged-result.ts";

/** Results that are held of each location: further ones are forgotten, oldest first. */
export interface HeldResults {
  /** Newest results; one more is held while it is judged. */
  results: number;
  /** Newest results over all locations, beside those. */
  resultsOfAll: number;
  /** True: the newest success, too, however far back. */
  newestSuccess: boolean;
}

interface KnownLocation extends LocationInput {
  results: StoredResult[];
}

/** Results over all locations, oldest first, and before each of them the number of failures. */
interface Line {
  results: StoredResult[];
  /** One longer than the results. */
  failedBefore: number[];
}

/** Results of one check by location, newest first. */
export class KnownResults {
  readonly locations: readonly LocationInput[];
  readonly #locations: ReadonlyMap<number, KnownLocation>;
  readonly #held: HeldResults | undefined;
  /** Made when a condition first asks for it, or at once where the locations hold fewer results. */
  #line: Line | undefined;

  /** @param held what is held of each location; absent: all */
  constructor(locations: readonly LoadedLocation[], held?: HeldResults) {
    const known = locations.map((location) =>
      counted({ ...location, results: [...location.results], failedInARow: 0, succeededInARow: 0 }),
    );
    this.locations = known;
    this.#locations = new Map(known.map((location) => [location.locationKey, location]));
    this.#held = held;
    if (held && held.resultsOfAll > 0) this.newestOfAll(held.resultsOfAll);
  }

  /** Adds a result. @returns true when it is the newest of its location, false when not, or when the check has no such location */
  add(result: StoredResult): boolean {
    const location = this.#locations.get(result.locationKey);
    if (!location) return false;
    const { results } = location;
    const [newest] = results;
    const isNewest = newest === undefined || newest.slotMs < result.slotMs;
    if (isNewest) {
      results.unshift(result);
      location.failedInARow = isSuccess(result) ? 0 : location.failedInARow + 1;
      location.succeededInARow = isSuccess(result) ? location.succeededInARow + 1 : 0;
    } else {
      const index = results.findIndex(({ slotMs }) => slotMs < result.slotMs);
      results.splice(index < 0 ? results.length : index, 0, result);
      counted(location);
    }
    if (this.#line) addToLine(this.#line, result);
    if (this.#held) this.#forget(location, this.#held);
    return isNewest;
  }

  /** Returns the newest `count` results over all locations. Of two of one slot the one of the smaller key is newer. */
  newestOfAll(count: number): NewestOfAll {
    this.#line ??= lineOf([...this.#locations.values()].flatMap(({ results }) => results));
    const { results, failedBefore } = this.#line;
    const first = Math.max(0, results.length - count);
    return {
      runs: results.length - first,
      failed: (failedBefore[results.length] as number) - (failedBefore[first] as number),
      failures: () =>
        results
          .slice(first)
          .filter((result) => !isSuccess(result))
          .reverse(),
    };
  }

  #forget(location: KnownLocation, { results: count, resultsOfAll, newestSuccess }: HeldResults): void {
    const { results } = location;
    if (results.length > count + 1) {
      const last = results.pop();
      const isNewestSuccess = last && isSuccess(last) && location.failedInARow === results.length;
      // Behind the newest ones there is at most one that is kept as the newest success.
      if (results.length > count + 1) results.pop();
      if (newestSuccess && last && isNewestSuccess) results.push(last);
      location.failedInARow = Math.min(location.failedInARow, count + 1);
      location.succeededInARow = Math.min(location.succeededInARow, count + 1);
    }
    if (this.#line && this.#line.results.length > 2 * resultsOfAll + LINE_SLACK)
      this.#line = lineOf(this.#line.results.slice(-resultsOfAll - 1));
  }
}

/** Results by which a line may be longer than is needed, so that it is cut now and then only. */
const LINE_SLACK = 1_000;

/** Counts the newest results in a row that are alike. */
function counted(location: KnownLocation): KnownLocation {
  const { results } = location;
  const rowOf = (isIn: (result: StoredResult) => boolean) => {
    const end = results.findIndex((result) => !isIn(result));
    return end < 0 ? results.length : end;
  };
  location.failedInARow = rowOf((result) => !isSuccess(result));
  location.succeededInARow = rowOf(isSuccess);
  return location;
}

function lineOf(results: StoredResult[]): Line {
  const line: Line = { results: results.sort(byAge), failedBefore: [0] };
  countFrom(line, 0);
  return line;
}

function addToLine(line: Line, result: StoredResult): void {
  const { results } = line;
  let index = results.length;
  while (index > 0 && byAge(results[index - 1] as StoredResult, result) > 0) index--;
  if (index === results.length) results.push(result);
  else results.splice(index, 0, result);
  countFrom(line, index);
}

function countFrom({ results, failedBefore }: Line, index: number): void {
  for (let i = index; i < results.length; i++)
    failedBefore[i + 1] = (failedBefore[i] as number) + (isSuccess(results[i] as StoredResult) ? 0 : 1);
}

/** Sorts the oldest first. */
function byAge(a: StoredResult, b: StoredResult): number {
  return a.slotMs - b.slotMs || b.locationKey - a.locationKey;
}
