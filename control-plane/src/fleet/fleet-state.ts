/**
 * The fleet in a replica's memory: every check with its schedule, the locations, the runners, and which runner owns which
 * check location. fleet-watch.ts feeds it; it does no I/O. Each change returns the check locations that it touched, so
 * that only the streams concerned are brought up to date.
 */
import type { TeamId } from "@svc/contract";
import type { CheckLocation } from "../platform/check-location.ts";
import { type AssignableCheckLocation, type AssignableRunner, ownerOf, rankRunners } from "./assignment.ts";
import { type FleetCheck, fleetCheckFromRow } from "./fleet-check.ts";
import { type FleetRunner, fleetRunnerFromRow, groupByLocation, ownershipSignature } from "./fleet-runner.ts";
import type { CheckRow, LocationRow, RunnerRow } from "./fleet-store.ts";

/** Holds the fleet in memory, and answers which runner owns which check location. */
export class FleetState {
  readonly #checks = new Map<number, FleetCheck>();
  readonly #checkKeysById = new Map<string, number>();
  readonly #locations = new Map<number, LocationRow>();
  readonly #locationKeysById = new Map<string, number>();
  /** Keys of the enabled checks by location key. */
  readonly #checksAt = new Map<number, Set<number>>();
  /** Key of the owning runner by location key and check key. */
  readonly #owners = new Map<number, Map<number, number>>();
  readonly #knownAt = new Map<number, FleetRunner[]>();
  readonly #aliveAt = new Map<number, FleetRunner[]>();
  readonly #signatures = new Map<number, string>();

  check(checkKey: number): FleetCheck | undefined {
    return this.#checks.get(checkKey);
  }

  /** @param id any text; one that is no check's id finds nothing */
  checkById(id: string): FleetCheck | undefined {
    const key = this.#checkKeysById.get(id);
    return key === undefined ? undefined : this.#checks.get(key);
  }

  /** Returns the keys of all checks of the teams. Looks at every check, unless there is no team. */
  checkKeysOfTeams(teamIds: readonly TeamId[]): number[] {
    if (teamIds.length === 0) return [];
    const teams = new Set(teamIds);
    return [...this.#checks.values()].filter(({ teamId }) => teams.has(teamId)).map(({ key }) => key);
  }

  location(locationKey: number): LocationRow | undefined {
    return this.#locations.get(locationKey);
  }

  /** @param id any text; one that is no location's id finds nothing */
  locationKeyOf(id: string): number | undefined {
    return this.#locationKeysById.get(id);
  }

  locations(): Iterable<LocationRow> {
    return this.#locations.values();
  }

  /**
   * Replaces the locations.
   * @returns the check locations at those that were retired or put in service again
   */
  setLocations(rows: readonly LocationRow[]): CheckLocation[] {
    const turned = rows.filter((row) => {
      const before = this.#locations.get(row.key);
      return before !== undefined && isRetired(before) !== isRetired(row);
    });
    this.#locations.clear();
    this.#locationKeysById.clear();
    for (const row of rows) {
      this.#locations.set(row.key, row);
      this.#locationKeysById.set(row.id, row.key);
    }
    return turned.flatMap(({ key }) => this.#assignAt(key));
  }

  /**
   * Adds new checks and replaces changed ones.
   * @returns the check locations to look at again
   */
  applyChecks(rows: readonly CheckRow[]): CheckLocation[] {
    const touched: CheckLocation[] = [];
    for (const row of rows) {
      const before = this.#checks.get(row.key);
      const after = fleetCheckFromRow(row, (id) => this.#locationKeysById.get(id));
      if (before && isUnchanged(before, after)) continue;
      this.#checks.set(row.key, after);
      this.#checkKeysById.set(row.id, row.key);
      for (const locationKey of new Set([...(before?.locationKeys ?? []), ...after.locationKeys])) {
        this.#assign(after, locationKey);
        touched.push({ checkKey: row.key, locationKey });
      }
    }
    return touched;
  }

  /**
   * Forgets deleted checks.
   * @returns the check locations that ended
   */
  removeChecks(checkKeys: readonly number[]): CheckLocation[] {
    const touched: CheckLocation[] = [];
    for (const checkKey of checkKeys) {
      const check = this.#checks.get(checkKey);
      if (!check) continue;
      this.#checks.delete(checkKey);
      this.#checkKeysById.delete(check.id);
      for (const locationKey of check.locationKeys) {
        this.#checksAt.get(locationKey)?.delete(checkKey);
        this.#owners.get(locationKey)?.delete(checkKey);
        touched.push({ checkKey, locationKey });
      }
    }
    return touched;
  }

  /**
   * Replaces the runners.
   * @param rows the runners that are alive and those that were lost recently
   * @param isAlive decides which of them count as alive
   * @returns the check locations whose owner changed
   */
  applyRunners(rows: readonly RunnerRow[], isAlive = (row: RunnerRow) => row.isAlive): CheckLocation[] {
    const knownAt = groupByLocation(rows.map(fleetRunnerFromRow));
    const aliveAt = groupByLocation(rows.filter(isAlive).map(fleetRunnerFromRow));
    const touched: CheckLocation[] = [];
    for (const locationKey of new Set([...aliveAt.keys(), ...this.#aliveAt.keys()])) {
      const alive = aliveAt.get(locationKey) ?? [];
      const known = knownAt.get(locationKey) ?? [];
      const signature = ownershipSignature(alive, known);
      this.#aliveAt.set(locationKey, alive);
      this.#knownAt.set(locationKey, known);
      if (this.#signatures.get(locationKey) === signature) continue;
      this.#signatures.set(locationKey, signature);
      touched.push(...this.#reassign(locationKey));
    }
    return touched;
  }

  /** Returns the key of the owning runner; undefined when the check is off there or no runner can run it. */
  ownerKey({ checkKey, locationKey }: CheckLocation): number | undefined {
    return this.#owners.get(locationKey)?.get(checkKey);
  }

  /** Returns the runners that can run the check location, best first; also for a disabled check. None where it does not run. */
  rank({ checkKey, locationKey }: CheckLocation): AssignableRunner[] {
    const check = this.#checks.get(checkKey);
    if (!check || !this.#runsAt(check, locationKey)) return [];
    return rankRunners(assignableAt(check, locationKey), this.#aliveAt.get(locationKey) ?? []);
  }

  /** Returns the runners whose lease holds at the location; none where the team may not run checks. */
  aliveFor(teamId: TeamId, locationKey: number): readonly AssignableRunner[] {
    return this.#isOpenTo(teamId, locationKey) ? (this.#aliveAt.get(locationKey) ?? []) : [];
  }

  /** Returns every check location that the runner owns. */
  ownedBy(runnerKey: number): CheckLocation[] {
    const owned: CheckLocation[] = [];
    for (const [locationKey, owners] of this.#owners)
      for (const [checkKey, owner] of owners) if (owner === runnerKey) owned.push({ checkKey, locationKey });
    return owned;
  }

  /** Counts the enabled check locations that no runner can run now. */
  countUnowned(): number {
    let count = 0;
    for (const [locationKey, checks] of this.#checksAt)
      count += checks.size - (this.#owners.get(locationKey)?.size ?? 0);
    return count;
  }

  /** True when one of the checks names a location that is not in memory yet. */
  hasUnknownLocation(rows: readonly CheckRow[]): boolean {
    return rows.some((row) => row.locationIds.some((id) => !this.#locationKeysById.has(id)));
  }

  /** Guards every configuration that leaves: never to a location that the check does not name, nor to another team's. */
  #runsAt(check: FleetCheck, locationKey: number): boolean {
    return check.locationKeys.includes(locationKey) && this.#isOpenTo(check.teamId, locationKey);
  }

  #isOpenTo(teamId: TeamId, locationKey: number): boolean {
    const location = this.#locations.get(locationKey);
    if (location === undefined || isRetired(location)) return false;
    return location.teamId === null || location.teamId === teamId;
  }

  /** Notes anew which checks run at the location. @returns their check locations */
  #assignAt(locationKey: number): CheckLocation[] {
    const touched: CheckLocation[] = [];
    for (const check of this.#checks.values()) {
      if (!check.locationKeys.includes(locationKey)) continue;
      this.#assign(check, locationKey);
      touched.push({ checkKey: check.key, locationKey });
    }
    return touched;
  }

  /** Notes whether the check runs at the location and finds its owner there. */
  #assign(check: FleetCheck, locationKey: number): void {
    const checks = this.#checksAt.get(locationKey) ?? new Set();
    this.#checksAt.set(locationKey, checks);
    if (check.enabled && this.#runsAt(check, locationKey)) checks.add(check.key);
    else checks.delete(check.key);
    this.#setOwner(check.key, locationKey);
  }

  /** Finds the owners of all checks at the location again. @returns those that changed */
  #reassign(locationKey: number): CheckLocation[] {
    const touched: CheckLocation[] = [];
    for (const checkKey of this.#checksAt.get(locationKey) ?? [])
      if (this.#setOwner(checkKey, locationKey)) touched.push({ checkKey, locationKey });
    return touched;
  }

  /** @returns whether the owner changed */
  #setOwner(checkKey: number, locationKey: number): boolean {
    const owners = this.#owners.get(locationKey) ?? new Map<number, number>();
    this.#owners.set(locationKey, owners);
    const check = this.#checks.get(checkKey);
    const isOn = check && this.#checksAt.get(locationKey)?.has(checkKey);
    const alive = this.#aliveAt.get(locationKey) ?? [];
    const owner = isOn
      ? ownerOf(assignableAt(check, locationKey), alive, this.#knownAt.get(locationKey))
      : undefined;
    const before = owners.get(checkKey);
    if (owner) owners.set(checkKey, owner.runnerKey);
    else owners.delete(checkKey);
    return before !== owner?.runnerKey;
  }
}

function isRetired({ status }: LocationRow): boolean {
  return status === "retired";
}

/** A revision keeps its locations, except for those that were unknown when the check was read first. */
function isUnchanged(before: FleetCheck, after: FleetCheck): boolean {
  return before.revision === after.revision && before.locationKeys.length === after.locationKeys.length;
}

function assignableAt(check: FleetCheck, locationKey: number): AssignableCheckLocation {
  return {
    checkKey: check.key,
    locationKey,
    type: check.type,
    usesVault: check.usesVault,
    effectiveFromMs: check.effectiveFromMs,
  };
}
