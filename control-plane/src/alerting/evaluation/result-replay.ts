/**
 * Replays the new results of one check, which are in the database already. The replay begins with the results that were
 * stored before and adds the new ones, oldest first. Each step returns the conditions' input at that moment, so that a batch
 * of results is judged as if they had arrived one by one.
 */
import type { ConditionInput, LocationInput } from "../inputs/condition-input.ts";
import type { NewResult, StoredResult } from "../inputs/judged-result.ts";
import type { SourceLookups } from "../inputs/sources.ts";

/** Input of a check as the database has it: the results of its locations include the new ones. */
export interface StoredInput {
  checkKey: number;
  nowMs: number;
  locations: readonly LocationInput[];
  lookups: SourceLookups;
}

interface ReplayedLocation extends LocationInput {
  results: StoredResult[];
}

/** Steps through the new results of one check. */
export class ResultReplay {
  readonly #stored: StoredInput;
  readonly #locations: ReplayedLocation[];

  /** Begins with the stored results without `newResults`. */
  constructor(stored: StoredInput, newResults: readonly NewResult[]) {
    this.#stored = stored;
    const isNew = new Set(newResults.map(({ locationKey, slotMs }) => `${locationKey}:${slotMs}`));
    this.#locations = stored.locations.map((location) => ({
      ...location,
      results: location.results.filter(({ slotMs }) => !isNew.has(`${location.locationKey}:${slotMs}`)),
    }));
  }

  /** Returns the input at `nowMs` of the stored input, which is not the moment of a result. */
  now(): ConditionInput {
    return this.#inputAt(undefined, this.#stored.nowMs);
  }

  /**
   * Adds a new result.
   * @returns the input at its slot; undefined when the result decides nothing, because a newer one of its location is
   *   stored (it only fills history) or because the check no longer runs there
   */
  add(newResult: NewResult): ConditionInput | undefined {
    const location = this.#locations.find(({ locationKey }) => locationKey === newResult.locationKey);
    if (!location) return undefined;
    const at = location.results.findIndex(({ slotMs }) => slotMs < newResult.slotMs);
    const index = at < 0 ? location.results.length : at;
    location.results.splice(index, 0, newResult);
    return index === 0 ? this.#inputAt(newResult, newResult.slotMs) : undefined;
  }

  #inputAt(newResult: NewResult | undefined, atMs: number): ConditionInput {
    const { checkKey, lookups } = this.#stored;
    return { ...lookups, checkKey, newResult, atMs, locations: this.#locations };
  }
}
