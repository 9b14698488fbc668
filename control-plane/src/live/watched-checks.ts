/**
 * How the checks of one team stand, by the newest result of each check location, and which of them changed since it was last
 * reported. Results may come in any order and more than once: an older one changes nothing. No I/O.
 */
import {
  type CheckId,
  groupBy,
  isSuccessCode,
  type LiveResult,
  type LiveState,
  type LocationId,
  resultIdOf,
  statusOfCode,
} from "@svc/contract";
import type { CheckLocationSlot } from "../platform/check-location.ts";
import { healthOfStatuses } from "../results/health-of-statuses.ts";

/** A result as far as the stream needs it. */
export interface StoredResult extends CheckLocationSlot {
  /** Number of the status. */
  status: number;
  responseTimeUs: number;
}

/** A check location with its newest result, if there is a recent one. */
export interface CheckLocationState {
  checkId: CheckId;
  checkKey: number;
  isEnabled: boolean;
  /** Unix ms from which on a result says how the check stands. */
  recentFromMs: number;
  /** null, with the rest: the check has no location. */
  locationId: LocationId | null;
  locationKey: number | null;
  slotMs: number | null;
  status: number | null;
  responseTimeUs: number | null;
}

/** Changes to report: states of checks that changed, and all new results of the checks that somebody follows. */
export interface Differences {
  states: LiveState[];
  results: { checkId: CheckId; results: LiveResult[] }[];
}

/** A check location whose next result is looked for in the database. */
export interface AwaitedResult {
  checkKey: number;
  locationKey: number;
  /** Unix ms; only results of later slots count. */
  afterSlotMs: number;
}

type Newest = Pick<StoredResult, "slotMs" | "status" | "responseTimeUs">;

interface WatchedCheck {
  id: CheckId;
  key: number;
  isEnabled: boolean;
  recentFromMs: number;
  locations: Map<number, { id: LocationId; newest: Newest | undefined }>;
}

/** Holds the newest result of each check location of a team, and hands out the states that changed since they were last reported. */
export class WatchedChecks {
  readonly #checks = new Map<number, WatchedCheck>();
  readonly #keys = new Map<CheckId, number>();
  /** Keys of the locations whose status changed, by check key. */
  readonly #changed = new Map<number, Set<number>>();
  /** Newest results that were not reported yet, by check key, of the checks that are followed. */
  readonly #results = new Map<number, StoredResult[]>();
  /** Numbers of streams that follow a check, by its key. */
  readonly #followers = new Map<number, number>();
  #hasBegun = false;

  /** Keys of all checks. */
  keys(): IterableIterator<number> {
    return this.#checks.keys();
  }

  /** True when something is to be reported. */
  get hasDifferences(): boolean {
    return this.#changed.size > 0 || this.#results.size > 0;
  }

  /** Notes that a stream follows every result of a check, or does so no more. */
  follow(checkKey: number, by: 1 | -1): void {
    const followers = (this.#followers.get(checkKey) ?? 0) + by;
    if (followers > 0) this.#followers.set(checkKey, followers);
    else {
      this.#followers.delete(checkKey);
      this.#results.delete(checkKey);
    }
  }

  /** Notes that all checks were read once: from now on a check that is new here is a difference, too. */
  begin(): void {
    this.#hasBegun = true;
  }

  /** Takes over checks as the database has them, each with all of its locations, and notes what changed. */
  load(rows: readonly CheckLocationState[]): void {
    for (const [checkKey, ofCheck] of groupBy(rows, ({ checkKey }) => checkKey))
      this.#loadCheck(checkKey, ofCheck);
  }

  /** Forgets a check that was deleted. */
  forget(checkKey: number): void {
    const check = this.#checks.get(checkKey);
    if (check) this.#keys.delete(check.id);
    this.#checks.delete(checkKey);
    this.#changed.delete(checkKey);
    this.#results.delete(checkKey);
  }

  /** Returns the key of a check; undefined when it is unknown. */
  keyOf(id: CheckId): number | undefined {
    return this.#keys.get(id);
  }

  /** Takes a result over if it is newer than what is known of its check location. */
  apply(result: StoredResult): void {
    const { checkKey, locationKey, slotMs, status } = result;
    const location = this.#checks.get(checkKey)?.locations.get(locationKey);
    if (!location || (location.newest && location.newest.slotMs >= slotMs)) return;
    const before = location.newest?.status;
    location.newest = { slotMs, status, responseTimeUs: result.responseTimeUs };
    if (before !== status) this.#noteChange(checkKey, locationKey);
    this.#noteResult(result);
  }

  /**
   * Returns the check locations whose next result may be reported and is not found among the failures: those that fail, those of
   * enabled checks without a result, and those of checks that are followed.
   */
  awaited(): AwaitedResult[] {
    const awaited: AwaitedResult[] = [];
    for (const { key, isEnabled, recentFromMs, locations } of this.#checks.values()) {
      const isFollowed = this.#followers.has(key);
      for (const [locationKey, { newest }] of locations) {
        const isAwaited = newest ? !isSuccessCode(newest.status) : isEnabled;
        if (isAwaited || isFollowed)
          awaited.push({ checkKey: key, locationKey, afterSlotMs: newest?.slotMs ?? recentFromMs });
      }
    }
    return awaited;
  }

  /** Returns what is to be reported, at most so many states, and counts it as reported. The rest stays for the next call. */
  flush(statesMax: number): Differences {
    const states: LiveState[] = [];
    for (const [checkKey, locationKeys] of this.#changed) {
      if (states.length === statesMax) break;
      this.#changed.delete(checkKey);
      const check = this.#checks.get(checkKey);
      if (check) states.push(stateOf(check, locationKeys));
    }
    const results: Differences["results"] = [];
    for (const [checkKey, ofCheck] of this.#results) {
      const check = this.#checks.get(checkKey);
      if (check) results.push({ checkId: check.id, results: resultsOf(check, ofCheck) });
    }
    this.#results.clear();
    return { states, results };
  }

  #loadCheck(checkKey: number, rows: readonly CheckLocationState[]): void {
    const [first] = rows;
    if (!first) return;
    const known = this.#checks.get(checkKey);
    const { checkId: id, isEnabled, recentFromMs } = first;
    const check: WatchedCheck = { id, key: checkKey, isEnabled, recentFromMs, locations: new Map() };
    for (const { locationId, locationKey, ...read } of rows) {
      if (locationId === null || locationKey === null) continue;
      const before = known?.locations.get(locationKey)?.newest;
      const kept = before && before.slotMs >= recentFromMs ? before : undefined;
      const newest = newerOf(kept, newestFrom(read));
      check.locations.set(locationKey, { id: locationId, newest });
      if (this.#hasBegun && before?.status !== newest?.status) this.#noteChange(checkKey, locationKey);
      // A check that is read anew may have a result that no look has found yet.
      if (known && newest && newest.slotMs > (before?.slotMs ?? recentFromMs))
        this.#noteResult({ checkKey, locationKey, ...newest });
    }
    for (const locationKey of known?.locations.keys() ?? [])
      if (!check.locations.has(locationKey)) this.#noteChange(checkKey, locationKey);
    this.#checks.set(checkKey, check);
    this.#keys.set(id, checkKey);
  }

  /** Keeps a result to be reported, where somebody follows its check. */
  #noteResult(result: StoredResult): void {
    const { checkKey } = result;
    if (!this.#followers.has(checkKey)) return;
    const results = this.#results.get(checkKey) ?? [];
    results.push(result);
    this.#results.set(checkKey, results);
  }

  #noteChange(checkKey: number, locationKey: number): void {
    const locationKeys = this.#changed.get(checkKey) ?? new Set();
    this.#changed.set(checkKey, locationKeys.add(locationKey));
  }
}

function newestFrom({
  slotMs,
  status,
  responseTimeUs,
}: Pick<CheckLocationState, "slotMs" | "status" | "responseTimeUs">): Newest | undefined {
  return slotMs === null || status === null
    ? undefined
    : { slotMs, status, responseTimeUs: responseTimeUs ?? 0 };
}

function newerOf(a: Newest | undefined, b: Newest | undefined): Newest | undefined {
  return a && b ? (b.slotMs > a.slotMs ? b : a) : (a ?? b);
}

function stateOf(check: WatchedCheck, changed: ReadonlySet<number>): LiveState {
  const newest = [...check.locations.values()].flatMap(({ id, newest }) =>
    newest ? [{ id, ...newest }] : [],
  );
  const results = [...changed].flatMap((locationKey) => {
    const newest = check.locations.get(locationKey)?.newest;
    return newest ? [{ checkKey: check.key, locationKey, ...newest }] : [];
  });
  return {
    checkId: check.id,
    health: healthOfStatuses(newest.map(({ status }) => status)),
    failingLocations: newest.filter(({ status }) => !isSuccessCode(status)).map(({ id }) => id),
    results: resultsOf(check, results),
  };
}

function resultsOf({ locations }: WatchedCheck, results: readonly StoredResult[]): LiveResult[] {
  return results.flatMap((result) => {
    const location = locations.get(result.locationKey);
    if (!location) return [];
    return [
      {
        id: resultIdOf(result),
        locationId: location.id,
        slotAt: new Date(result.slotMs).toISOString(),
        status: statusOfCode(result.status),
        responseTimeMs: result.responseTimeUs / 1000,
      },
    ];
  });
}
