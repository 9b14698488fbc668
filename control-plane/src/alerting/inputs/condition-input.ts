/** Inputs of conditions: which ones a condition may ask for, and how it sees them. Conditions see nothing else. */
import type { LocationId } from "@svc/contract";
import type { NewResult, StoredResult } from "./judged-result.ts";
import type { SourceLookups, SourceNeeds } from "./sources.ts";

/** Results that a condition asks for. */
interface ResultNeeds {
  /** Number of the newest results of each location. */
  results?: number;
  /** The newest success of each location, however far back. */
  newestSuccess?: true;
  /** Web vitals with each result; default false. */
  webVitals?: boolean;
}

/** The inputs that a condition needs; no others are loaded for it. */
export type ConditionNeeds = ResultNeeds & Partial<SourceNeeds>;

/** One of the check's present locations. */
export interface LocationInput {
  locationKey: number;
  locationId: LocationId;
  name: string;
  /** Newest first: as many as any condition asked for, and behind them the newest success when one asked for that. */
  results: readonly StoredResult[];
}

/** Everything about a check at the instant of one of its results, or of an evaluation between results. */
export interface ConditionInput extends SourceLookups {
  checkKey: number;
  /** The result that is judged; undefined between results. */
  newResult: NewResult | undefined;
  /** Unix ms: the slot of that result, or now. */
  atMs: number;
  locations: readonly LocationInput[];
}
