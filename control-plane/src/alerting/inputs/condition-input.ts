/** Inputs of conditions: which ones a condition may ask for, and how it sees them. Conditions see nothing else. */
import type { LocationId } from "@svc/contract";
import type { NewResult, StoredResult } from "./judged-result.ts";
import type { SourceLookups, SourceNeeds } from "./sources.ts";

/** Results that a condition asks for. */
interface ResultNeeds {
  /** Number of the newest results of each location. */
  results?: number;
  /** Number of the newest results over all locations. */
  resultsOfAll?: number;
  /** The newest success of each location, however far back. */
  newestSuccess?: true;
  /** Web vitals with each result; default false. */
  webVitals?: boolean;
}

/** The inputs that a condition needs; no others are loaded for it. */
export type ConditionNeeds = ResultNeeds & Partial<SourceNeeds>;

/** One of the check's present locations, as it is loaded. */
export interface LoadedLocation {
  locationKey: number;
  locationId: LocationId;
  name: string;
  /** Newest first: as many as any condition asked for, and behind them the newest success when one asked for that. */
  results: readonly StoredResult[];
}

/** One of the check's present locations, as conditions see it. */
export interface LocationInput extends LoadedLocation {
  /** Number of the newest results, all in a row, that are failures. */
  failedInARow: number;
  /** Number of the newest results, all in a row, that are successes. */
  succeededInARow: number;
}

/** The newest results over all locations. */
export interface NewestOfAll {
  /** Number of these results: fewer than were asked for while there are not as many. */
  runs: number;
  /** Number of failures among them. */
  failed: number;
  /** Returns the failures among them, newest first. Takes a step for each result. */
  failures(): StoredResult[];
}

/** Everything about a check at the instant of one of its results, or of an evaluation between results. */
export interface ConditionInput extends SourceLookups {
  checkKey: number;
  /** The result that is judged; undefined between results. */
  newResult: NewResult | undefined;
  /** Unix ms: the slot of that result, or now. */
  atMs: number;
  locations: readonly LocationInput[];
  /** Returns the newest `count` results over all locations, as they are now; at most as many as the conditions need. */
  newestOfAll(count: number): NewestOfAll;
}
