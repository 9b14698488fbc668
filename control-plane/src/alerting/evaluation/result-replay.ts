/**
 * The facts of one check while its new results are gone through, oldest first: what was stored before, then one result
 * more at each step. So a batch is judged as its results would have been one by one.
 */
import type { BaselineMetric } from "@svc/contract";
import type {
  Baseline,
  Facts,
  FreshResult,
  LocationFacts,
  ResultFact,
  TlsObservation,
} from "../conditions/condition-input.ts";

/** One of the check's present locations with what is stored of it, the new results included. */
export interface StoredLocation {
  locationKey: number;
  locationId: string;
  name: string;
  /** Newest first. */
  results: readonly ResultFact[];
  /** Newest first. */
  tls: readonly TlsObservation[];
  missedSlotsMs: readonly number[];
}

export interface StoredFacts {
  checkKey: number;
  nowMs: number;
  locations: readonly StoredLocation[];
  baselineOf(metric: BaselineMetric, locationKey: number, slotMs: number): Baseline | undefined;
  burnRateOf(sloId: string, windowMinutes: number): number | undefined;
}

interface MutableLocation extends LocationFacts {
  results: ResultFact[];
  allTls: readonly TlsObservation[];
}

export class CheckFacts {
  readonly #stored: StoredFacts;
  readonly #locations: MutableLocation[];

  /** @param fresh the new results; the facts begin without them */
  constructor(stored: StoredFacts, fresh: readonly FreshResult[]) {
    this.#stored = stored;
    const isFresh = new Set(fresh.map(({ locationKey, slotMs }) => `${locationKey}:${slotMs}`));
    this.#locations = stored.locations.map((location) => ({
      ...location,
      results: location.results.filter(({ slotMs }) => !isFresh.has(`${location.locationKey}:${slotMs}`)),
      allTls: location.tls,
      tls: location.tls,
    }));
  }

  /** The facts when time alone has passed. */
  now(): Facts {
    return this.#factsAt(undefined, this.#stored.nowMs);
  }

  /**
   * Takes the result in. @returns the facts then; undefined when it decides nothing: a newer one of its location is
   * there (it only fills history), or the check no longer runs there
   */
  apply(fresh: FreshResult): Facts | undefined {
    const location = this.#locations.find(({ locationKey }) => locationKey === fresh.locationKey);
    if (!location) return undefined;
    const at = location.results.findIndex(({ slotMs }) => slotMs < fresh.slotMs);
    const index = at < 0 ? location.results.length : at;
    location.results.splice(index, 0, fresh);
    return index === 0 ? this.#factsAt(fresh, fresh.slotMs) : undefined;
  }

  #factsAt(fresh: FreshResult | undefined, atMs: number): Facts {
    const { checkKey, baselineOf, burnRateOf } = this.#stored;
    for (const location of this.#locations) location.tls = knownAt(location, atMs);
    return { checkKey, fresh, atMs, locations: this.#locations, baselineOf, burnRateOf };
  }
}

/** What was seen until then. */
function knownAt({ allTls }: MutableLocation, atMs: number): readonly TlsObservation[] {
  const from = allTls.findIndex(({ firstSlotMs }) => firstSlotMs <= atMs);
  return from <= 0 ? (from < 0 ? [] : allTls) : allTls.slice(from);
}
