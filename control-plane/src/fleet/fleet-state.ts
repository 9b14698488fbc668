/**
 * The fleet in a replica's memory: every check with its schedule, the locations, the runners, and who owns what. Fed by
 * fleet-watch.ts; does no I/O. Each change answers with the pairs (check, location) it touched, so that only their
 * streams are told.
 */
import { phaseMs, staggerMs, type TeamId } from "@svc/contract";
import { type AssignableRunner, type AssignedPair, ownerOf, rankRunners } from "./assignment.ts";
import type { CheckRow, LocationRow, RunnerRow } from "./fleet-store.ts";

/** A check at a location. */
export interface Pair {
  checkKey: number;
  locationKey: number;
}

/** A schedule that is or was in force. */
export interface Schedule {
  periodMs: number;
  phaseMs: number;
  locationKeys: readonly number[];
}

/** A check as scheduling and ingest need it; its configuration stays in the database. */
export interface FleetCheck {
  key: number;
  id: string;
  teamId: TeamId;
  type: string;
  enabled: boolean;
  revision: number;
  /** In the order of the check's list, which decides the stagger. */
  locationKeys: number[];
  frequencySeconds: number;
  periodMs: number;
  phaseMs: number;
  /** Unix ms: since when the newest revision is in force. */
  effectiveFromMs: number;
  /** Every schedule it has had, for judging late results. */
  schedules: Schedule[];
}

export type FleetRunner = AssignableRunner & {
  runnerId: string;
  replicaId: string;
  sessionId: string | null;
};

export class FleetState {
  readonly #checks = new Map<number, FleetCheck>();
  readonly #checkKeysById = new Map<string, number>();
  readonly #locations = new Map<number, LocationRow>();
  readonly #locationKeysById = new Map<string, number>();
  /** Enabled checks by location. */
  readonly #checksAt = new Map<number, Set<number>>();
  /** Owner (runner key) by location and check. */
  readonly #owners = new Map<number, Map<number, number>>();
  #alive: FleetRunner[] = [];
  readonly #knownAt = new Map<number, FleetRunner[]>();
  readonly #aliveAt = new Map<number, FleetRunner[]>();
  readonly #signatures = new Map<number, string>();

  check(checkKey: number): FleetCheck | undefined {
    return this.#checks.get(checkKey);
  }

  checkById(id: string): FleetCheck | undefined {
    const key = this.#checkKeysById.get(id);
    return key === undefined ? undefined : this.#checks.get(key);
  }

  location(locationKey: number): LocationRow | undefined {
    return this.#locations.get(locationKey);
  }

  locationKeyOf(id: string): number | undefined {
    return this.#locationKeysById.get(id);
  }

  locations(): Iterable<LocationRow> {
    return this.#locations.values();
  }

  runners(): readonly FleetRunner[] {
    return this.#alive;
  }

  get checkCount(): number {
    return this.#checks.size;
  }

  setLocations(rows: readonly LocationRow[]): void {
    this.#locations.clear();
    this.#locationKeysById.clear();
    for (const row of rows) {
      this.#locations.set(row.key, row);
      this.#locationKeysById.set(row.id, row.key);
    }
  }

  /** Takes in new and changed checks. @returns the pairs to look at again */
  applyChecks(rows: readonly CheckRow[]): Pair[] {
    const touched: Pair[] = [];
    for (const row of rows) {
      const before = this.#checks.get(row.key);
      const after = this.#checkFromRow(row);
      if (
        before &&
        before.revision === after.revision &&
        before.locationKeys.length === after.locationKeys.length
      )
        continue;
      this.#checks.set(row.key, after);
      this.#checkKeysById.set(row.id, row.key);
      for (const locationKey of new Set([...(before?.locationKeys ?? []), ...after.locationKeys])) {
        this.#place(after, locationKey);
        touched.push({ checkKey: row.key, locationKey });
      }
    }
    return touched;
  }

  /** Forgets deleted checks. @returns the pairs that ended */
  removeChecks(checkKeys: readonly number[]): Pair[] {
    const touched: Pair[] = [];
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
   * Takes in who lives. @param rows runners alive and recently lost @param isAlive what counts as alive
   * @returns the pairs whose owner changed
   */
  applyRunners(rows: readonly RunnerRow[], isAlive = (row: RunnerRow) => row.isAlive): Pair[] {
    const knownAt = groupByLocation(rows.map(runnerFromRow));
    this.#alive = rows.filter(isAlive).map(runnerFromRow);
    const byLocation = groupByLocation(this.#alive);
    const touched: Pair[] = [];
    for (const locationKey of new Set([...byLocation.keys(), ...this.#aliveAt.keys()])) {
      const alive = byLocation.get(locationKey) ?? [];
      const known = knownAt.get(locationKey) ?? [];
      const signature = signatureOf(alive, known);
      this.#aliveAt.set(locationKey, alive);
      this.#knownAt.set(locationKey, known);
      if (this.#signatures.get(locationKey) === signature) continue;
      this.#signatures.set(locationKey, signature);
      touched.push(...this.#reassign(locationKey));
    }
    return touched;
  }

  /** Runner key of the pair's owner; undefined when the check is off there or nobody can run it. */
  ownerKey({ checkKey, locationKey }: Pair): number | undefined {
    return this.#owners.get(locationKey)?.get(checkKey);
  }

  /** The pair's runners, best first; also for a disabled check. None where the check does not run. */
  rank({ checkKey, locationKey }: Pair): AssignableRunner[] {
    const check = this.#checks.get(checkKey);
    if (!check || !this.#runsAt(check, locationKey)) return [];
    return rankRunners(pairOf(check, locationKey), this.#aliveAt.get(locationKey) ?? []);
  }

  /** Everything that the runner owns. */
  ownedBy(runnerKey: number): Pair[] {
    const pairs: Pair[] = [];
    for (const [locationKey, owners] of this.#owners)
      for (const [checkKey, owner] of owners) if (owner === runnerKey) pairs.push({ checkKey, locationKey });
    return pairs;
  }

  /** How many enabled (check, location) pairs nobody can run now. */
  countUnowned(): number {
    let count = 0;
    for (const [locationKey, checks] of this.#checksAt)
      count += checks.size - (this.#owners.get(locationKey)?.size ?? 0);
    return count;
  }

  /** When the location runs a slot of the check: ms after the slot. */
  staggerOf(check: FleetCheck, locationKey: number): number {
    const index = check.locationKeys.indexOf(locationKey);
    return index < 0 ? 0 : staggerMs(index, check.locationKeys.length, check.periodMs);
  }

  /** Whether a check names a location that this memory has not loaded. */
  hasUnknownLocation(rows: readonly CheckRow[]): boolean {
    return rows.some((row) => row.locationIds.some((id) => !this.#locationKeysById.has(id)));
  }

  /** The guard before every configuration that leaves: never to a location not asked for, nor to another team's. */
  #runsAt(check: FleetCheck, locationKey: number): boolean {
    const location = this.#locations.get(locationKey);
    const isOpenToTeam =
      location !== undefined && (location.teamId === null || location.teamId === check.teamId);
    return isOpenToTeam && check.locationKeys.includes(locationKey);
  }

  #checkFromRow(row: CheckRow): FleetCheck {
    const locationKeys = row.locationIds
      .map((id) => this.#locationKeysById.get(id))
      .filter((key) => key !== undefined);
    return {
      key: row.key,
      id: row.id,
      teamId: row.teamId,
      type: row.type,
      enabled: row.enabled,
      revision: row.revision,
      locationKeys,
      frequencySeconds: row.frequencySeconds,
      periodMs: row.frequencySeconds * 1000,
      phaseMs: phaseMs(row.id, row.frequencySeconds),
      effectiveFromMs: row.revisions.at(-1)?.effectiveFromMs ?? 0,
      schedules: schedulesOf(row, locationKeys),
    };
  }

  /** Puts the check where it belongs at the location and finds its owner there. */
  #place(check: FleetCheck, locationKey: number): void {
    const checks = this.#checksAt.get(locationKey) ?? new Set();
    this.#checksAt.set(locationKey, checks);
    if (check.enabled && this.#runsAt(check, locationKey)) checks.add(check.key);
    else checks.delete(check.key);
    this.#setOwner(check.key, locationKey);
  }

  #reassign(locationKey: number): Pair[] {
    const touched: Pair[] = [];
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
      ? ownerOf(pairOf(check, locationKey), alive, this.#knownAt.get(locationKey))
      : undefined;
    const before = owners.get(checkKey);
    if (owner) owners.set(checkKey, owner.runnerKey);
    else owners.delete(checkKey);
    return before !== owner?.runnerKey;
  }
}

function pairOf(check: FleetCheck, locationKey: number): AssignedPair {
  return { checkKey: check.key, locationKey, type: check.type, effectiveFromMs: check.effectiveFromMs };
}

/** The schedules of all revisions; equal ones once. */
function schedulesOf(row: CheckRow, locationKeys: readonly number[]): Schedule[] {
  const seen = new Map<string, Schedule>();
  const revisions = [...row.revisions, { frequencySeconds: row.frequencySeconds, locationKeys }];
  for (const { frequencySeconds, locationKeys: keys } of revisions)
    seen.set(`${frequencySeconds}:${keys}`, {
      periodMs: frequencySeconds * 1000,
      phaseMs: phaseMs(row.id, frequencySeconds),
      locationKeys: keys,
    });
  return [...seen.values()];
}

function runnerFromRow(row: RunnerRow): FleetRunner {
  return {
    runnerKey: row.key,
    runnerId: row.id,
    replicaId: row.replicaId,
    sessionId: row.sessionId,
    locationKeys: row.locationKeys,
    capabilities: new Set(row.capabilities),
    capacityPerSecond: row.capacityPerSecond,
    isDraining: row.draining,
    connectedAtMs: row.connectedAtMs,
    leaseUntilMs: row.leaseUntilMs,
    notAcceptingSinceMs: row.notAcceptingSinceMs,
  };
}

function groupByLocation(runners: readonly FleetRunner[]): Map<number, FleetRunner[]> {
  const groups = new Map<number, FleetRunner[]>();
  for (const runner of runners)
    for (const locationKey of runner.locationKeys)
      groups.set(locationKey, [...(groups.get(locationKey) ?? []), runner]);
  return groups;
}

/** Changes exactly when some owner may: heartbeats that renew a lease leave it as it is. */
function signatureOf(alive: readonly FleetRunner[], known: readonly FleetRunner[]): string {
  const parts = alive.map(
    (runner) =>
      `${runner.runnerKey}/${runner.capacityPerSecond}/${[...runner.capabilities]}/${runner.isDraining}/${runner.notAcceptingSinceMs}`,
  );
  if (alive.some((runner) => runner.notAcceptingSinceMs !== null))
    parts.push(`known:${known.map((runner) => `${runner.runnerKey}@${runner.connectedAtMs}`)}`);
  return parts.join(" ");
}
