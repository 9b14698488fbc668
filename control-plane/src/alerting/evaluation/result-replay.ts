/**
 * Replays the new results of one check, which are in the database already. The replay begins with the results that were
 * stored before and adds the new ones, oldest first. Each step returns the conditions' input at that moment, so that a batch
 * of results is judged as if they had arrived one by one.
 */
import type { ConditionInput, LoadedLocation } from "../inputs/condition-input.ts";
import type { NewResult } from "../inputs/judged-result.ts";
import { type HeldResults, KnownResults } from "../inputs/known-results.ts";
import type { SourceLookups } from "../inputs/sources.ts";

/** Input of a check as the database has it: the results of its locations include the new ones. */
export interface StoredInput {
  checkKey: number;
  nowMs: number;
  locations: readonly LoadedLocation[];
  lookups: SourceLookups;
}

/** Steps through the new results of one check. */
export class ResultReplay {
  readonly #nowMs: number;
  readonly #known: KnownResults;
  /** One object for all steps, because there are many. */
  readonly #input: ConditionInput;

  /**
   * Begins with the stored results without `newResults`.
   * @param held what is held of each location as results are added; absent: all
   */
  constructor(
    { checkKey, nowMs, locations, lookups }: StoredInput,
    newResults: readonly NewResult[],
    held?: HeldResults,
  ) {
    const isNew = new Set(newResults.map(({ locationKey, slotMs }) => `${locationKey}:${slotMs}`));
    const known = new KnownResults(
      locations.map((location) => ({
        ...location,
        results: location.results.filter(({ slotMs }) => !isNew.has(`${location.locationKey}:${slotMs}`)),
      })),
      held,
    );
    this.#nowMs = nowMs;
    this.#known = known;
    this.#input = {
      ...lookups,
      checkKey,
      newResult: undefined,
      atMs: nowMs,
      locations: known.locations,
      newestOfAll: (count) => known.newestOfAll(count),
    };
  }

  /** Returns the input at `nowMs` of the stored input, which is not the moment of a result. It holds until the next step. */
  now(): ConditionInput {
    return this.#inputAt(undefined, this.#nowMs);
  }

  /**
   * Adds a new result.
   * @returns the input at its slot, which holds until the next step; undefined when the result decides nothing, because a
   *   newer one of its location is stored (it only fills history) or because the check no longer runs there
   */
  add(newResult: NewResult): ConditionInput | undefined {
    return this.#known.add(newResult) ? this.#inputAt(newResult, newResult.slotMs) : undefined;
  }

  #inputAt(newResult: NewResult | undefined, atMs: number): ConditionInput {
    this.#input.newResult = newResult;
    this.#input.atMs = atMs;
    return this.#input;
  }
}
