/**
 * The fleet in a replica's memory: every check with its schedule, the locations, the runners, and which runner owns which
 * check location. fleet-watch.ts feeds it; it does no I/O. Each change returns the check locations that it touched, so
 * that only the streams concerned are brought up to date. Checks stand in columns (check-index.ts), so that a million of them
 * take a tenth of a gigabyte; the configuration of a check is not here.
 */
import type { CheckId, TeamId } from "@svc/contract";
import type { CheckLocation } from "../platform/check-location.ts";
import { type AssignableCheckLocation, type AssignableRunner, rankRunners } from "./assignment.ts";
import { type CheckGroup, codeOfOwner, OFF, ownerOfCode, UNOWNED } from "./check-group.ts";
import { CheckIndex } from "./check-index.ts";
import { type FleetCheck, scheduleFromRow } from "./fleet-check.ts";
import { FleetLocations } from "./fleet-locations.ts";
import { fleetRunnerFromRow, groupByLocation, ownershipSignature } from "./fleet-runner.ts";
import type { CheckRow, LocationRow, RunnerRow } from "./fleet-store.ts";
import { type LocationRunners, OwnerChoice } from "./owner-choice.ts";

const NO_RUNNERS: LocationRunners = { alive: [], known: [] };

/** Holds the fleet in memory, and answers which runner owns which check location. */
export class FleetState {
  readonly #index = new CheckIndex({
    onAdded: (group) => this.#noteGroup(group),
    onRemoved: (group) => this.#forgetGroup(group),
  });
  readonly #locations = new FleetLocations();
  /** Groups of checks that name the location, by its key. */
  readonly #groupsAt = new Map<number, Set<CheckGroup>>();
  readonly #runnersAt = new Map<number, LocationRunners>();
  readonly #signatures = new Map<number, string>();
  /** Choices among the present runners of a location, by its key, for checks that change. */
  readonly #choices = new Map<number, OwnerChoice>();
  #unowned = 0;

  check(checkKey: number): FleetCheck | undefined {
    const row = this.#index.rowOf(checkKey);
    return row === undefined ? undefined : this.#index.checkAt(row);
  }

  /** @param id any text; one that is no check's id finds nothing */
  checkById(id: string): FleetCheck | undefined {
    const row = this.#index.rowOfId(id);
    return row === undefined ? undefined : this.#index.checkAt(row);
  }

  /** Returns the id and the team of a check. */
  identityOf(checkKey: number): { id: CheckId; teamId: TeamId } | undefined {
    const row = this.#index.rowOf(checkKey);
    return row === undefined ? undefined : { id: this.#index.idAt(row), teamId: this.#index.teamIdAt(row) };
  }

  /** Returns the keys of all checks of the teams. Looks at every check, unless there is no team. */
  checkKeysOfTeams(teamIds: readonly TeamId[]): number[] {
    return teamIds.length === 0 ? [] : this.#index.keysOfTeams(teamIds);
  }

  location(locationKey: number): LocationRow | undefined {
    return this.#locations.get(locationKey);
  }

  /** @param id any text; one that is no location's id finds nothing */
  locationKeyOf(id: string): number | undefined {
    return this.#locations.keyOf(id);
  }

  locations(): Iterable<LocationRow> {
    return this.#locations.all();
  }

  /**
   * Replaces the locations.
   * @returns the check locations at those that were retired or put in service again
   */
  setLocations(rows: readonly LocationRow[]): CheckLocation[] {
    return this.#locations.set(rows).flatMap((locationKey) => this.#assignAt(locationKey));
  }

  /**
   * Adds new checks and replaces changed ones.
   * @returns the check locations to look at again
   */
  applyChecks(rows: readonly CheckRow[]): CheckLocation[] {
    const touched: CheckLocation[] = [];
    for (const row of rows) {
      const schedule = scheduleFromRow(row, (id) => this.#locations.keyOf(id));
      const known = this.#index.rowOf(row.key);
      const keysBefore = known === undefined ? [] : this.#index.groupAt(known).group.schedule.locationKeys;
      // A revision keeps its locations, except for those that were unknown when the check was read first.
      const isUnchanged =
        known !== undefined &&
        this.#index.revisionAt(known) === row.revision &&
        keysBefore.length === schedule.locationKeys.length;
      if (isUnchanged) continue;
      if (known !== undefined) this.#switchOff(known);
      const at = this.#index.put(row, schedule);
      for (const locationKey of new Set([...keysBefore, ...schedule.locationKeys])) {
        this.#assign(at, locationKey);
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
      const row = this.#index.rowOf(checkKey);
      if (row === undefined) continue;
      for (const locationKey of this.#index.groupAt(row).group.schedule.locationKeys)
        touched.push({ checkKey, locationKey });
      this.#switchOff(row);
      this.#index.remove(row);
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
    this.#choices.clear();
    for (const locationKey of new Set([...aliveAt.keys(), ...this.#runnersAt.keys()])) {
      const after = { alive: aliveAt.get(locationKey) ?? [], known: knownAt.get(locationKey) ?? [] };
      const before = this.#runnersAt.get(locationKey) ?? NO_RUNNERS;
      const signature = ownershipSignature(after.alive, after.known);
      if (after.known.length > 0) this.#runnersAt.set(locationKey, after);
      else this.#runnersAt.delete(locationKey);
      if ((this.#signatures.get(locationKey) ?? "") === signature) continue;
      if (signature === "") this.#signatures.delete(locationKey);
      else this.#signatures.set(locationKey, signature);
      this.#reassign(locationKey, new OwnerChoice(before, after), touched);
    }
    return touched;
  }

  /** Returns the key of the owning runner; undefined when the check is off there or no runner can run it. */
  ownerKey({ checkKey, locationKey }: CheckLocation): number | undefined {
    const row = this.#index.rowOf(checkKey);
    if (row === undefined) return undefined;
    const { group, position } = this.#index.groupAt(row);
    const index = group.schedule.locationKeys.indexOf(locationKey);
    return index < 0 ? undefined : ownerOfCode(group.codeAt(position, index));
  }

  /** Returns the runners that can run the check location, best first; also for a disabled check. None where it does not run. */
  rank({ checkKey, locationKey }: CheckLocation): AssignableRunner[] {
    const row = this.#index.rowOf(checkKey);
    if (row === undefined || !this.#runsAt(row, locationKey)) return [];
    return rankRunners(this.#assignableAt(row, locationKey), this.#at(locationKey).alive);
  }

  /** Returns the runners whose lease holds at the location; none where the team may not run checks. */
  aliveFor(teamId: TeamId, locationKey: number): readonly AssignableRunner[] {
    return this.#locations.isOpenTo(teamId, locationKey) ? this.#at(locationKey).alive : [];
  }

  /** Returns every check location that the runner owns. */
  ownedBy(runnerKey: number): CheckLocation[] {
    const owned: CheckLocation[] = [];
    const code = codeOfOwner(runnerKey);
    for (const [locationKey, { alive }] of this.#runnersAt) {
      if (!alive.some((runner) => runner.runnerKey === runnerKey)) continue;
      for (const { group, index } of this.#enabledAt(locationKey))
        for (let position = 0; position < group.size; position++)
          if (group.codeAt(position, index) === code)
            owned.push({ checkKey: this.#index.keyAt(group.rowAt(position)), locationKey });
    }
    return owned;
  }

  /** Counts the enabled check locations that no runner can run now. */
  countUnowned(): number {
    return this.#unowned;
  }

  /** True when one of the checks names a location that is not in memory yet. */
  hasUnknownLocation(rows: readonly CheckRow[]): boolean {
    return rows.some((row) => row.locationIds.some((id) => this.#locations.keyOf(id) === undefined));
  }

  /** Guards every configuration that leaves: never to a location that the check does not name, nor to another team's. */
  #runsAt(row: number, locationKey: number): boolean {
    const { locationKeys } = this.#index.groupAt(row).group.schedule;
    return (
      locationKeys.includes(locationKey) && this.#locations.isOpenTo(this.#index.teamIdAt(row), locationKey)
    );
  }

  #at(locationKey: number): LocationRunners {
    return this.#runnersAt.get(locationKey) ?? NO_RUNNERS;
  }

  #noteGroup(group: CheckGroup): void {
    for (const locationKey of group.schedule.locationKeys) {
      const groups = this.#groupsAt.get(locationKey);
      if (groups) groups.add(group);
      else this.#groupsAt.set(locationKey, new Set([group]));
    }
  }

  #forgetGroup(group: CheckGroup): void {
    for (const locationKey of group.schedule.locationKeys) {
      const groups = this.#groupsAt.get(locationKey);
      groups?.delete(group);
      if (groups?.size === 0) this.#groupsAt.delete(locationKey);
    }
  }

  /** Returns the groups of enabled checks that name the location, and its index in the list of each. */
  #enabledAt(locationKey: number): { group: CheckGroup; index: number }[] {
    return [...(this.#groupsAt.get(locationKey) ?? [])]
      .filter(({ schedule }) => schedule.enabled)
      .map((group) => ({ group, index: group.schedule.locationKeys.indexOf(locationKey) }));
  }

  /** Notes anew which checks run at the location. @returns their check locations */
  #assignAt(locationKey: number): CheckLocation[] {
    const touched: CheckLocation[] = [];
    for (const group of this.#groupsAt.get(locationKey) ?? [])
      for (let position = 0; position < group.size; position++) {
        const row = group.rowAt(position);
        this.#assign(row, locationKey);
        touched.push({ checkKey: this.#index.keyAt(row), locationKey });
      }
    return touched;
  }

  /** Notes whether the check runs at the location and finds its owner there. */
  #assign(row: number, locationKey: number): void {
    const { group, position } = this.#index.groupAt(row);
    const index = group.schedule.locationKeys.indexOf(locationKey);
    if (index < 0) return;
    const choose = this.#choiceAt(locationKey).for(group.schedule);
    const code =
      group.schedule.enabled && this.#runsAt(row, locationKey)
        ? codeOfOwner(choose(this.#assignableAt(row, locationKey), undefined))
        : OFF;
    this.#setCode({ group, position, index }, code);
  }

  #choiceAt(locationKey: number): OwnerChoice {
    const known = this.#choices.get(locationKey);
    if (known) return known;
    const choice = new OwnerChoice(NO_RUNNERS, this.#at(locationKey));
    this.#choices.set(locationKey, choice);
    return choice;
  }

  /** Finds the owners of all checks at the location again, and adds the check locations that changed to `touched`. */
  #reassign(locationKey: number, choice: OwnerChoice, touched: CheckLocation[]): void {
    for (const { group, index } of this.#enabledAt(locationKey)) {
      const choose = choice.for(group.schedule);
      for (let position = 0; position < group.size; position++) {
        const before = group.codeAt(position, index);
        if (before === OFF) continue;
        const checkLocation = this.#assignableAt(group.rowAt(position), locationKey);
        const code = codeOfOwner(choose(checkLocation, ownerOfCode(before)));
        if (code === before) continue;
        this.#setCode({ group, position, index }, code);
        touched.push({ checkKey: checkLocation.checkKey, locationKey });
      }
    }
  }

  /** Notes that the check runs nowhere. */
  #switchOff(row: number): void {
    const { group, position } = this.#index.groupAt(row);
    for (const index of group.schedule.locationKeys.keys()) this.#setCode({ group, position, index }, OFF);
  }

  #setCode(at: { group: CheckGroup; position: number; index: number }, code: number): void {
    const before = at.group.codeAt(at.position, at.index);
    this.#unowned += Number(code === UNOWNED) - Number(before === UNOWNED);
    at.group.setCodeAt(at.position, at.index, code);
  }

  #assignableAt(row: number, locationKey: number): AssignableCheckLocation {
    const { type, usesVault } = this.#index.groupAt(row).group.schedule;
    const effectiveFromMs = this.#index.effectiveFromMsAt(row);
    return { checkKey: this.#index.keyAt(row), locationKey, type, usesVault, effectiveFromMs };
  }
}
