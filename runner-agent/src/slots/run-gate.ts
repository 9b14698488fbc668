/**
 * Limits the runs in flight. A run costs time of the event loop while it begins (connect, handshake, request); one that
 * merely waits for a slow target costs a socket. So the limit counts fresh runs only: hundreds of targets that hang
 * until their time limit hold up nobody else, and a burst of due slots is still worked off a few at a time. A second,
 * wide limit bounds the sockets. Where several teams have checks, each may take a share of what the others leave free,
 * and so never the last place.
 */

import { FRESH_RUN_MS, OPEN_RUNS_PER_FRESH } from "@svc/contract";

/** The right of one run to be in flight. */
export interface GateTicket {
  enteredMs: number;
  isFresh: boolean;
  /** The team's runs in flight. */
  team: TeamRuns;
}

interface TeamRuns {
  teamNumber: number;
  open: number;
  fresh: number;
}

/** Share of the places that other teams leave free which one team may hold. Fresh places come free within half a second. */
const OPEN_SHARE = 1 / 2;
const FRESH_SHARE = 3 / 4;

/** Admits runs, and counts those that were admitted until they end. */
export class RunGate {
  readonly #openMax: number;
  #freshMax: number;
  #fresh: GateTicket[] = [];
  #freshHead = 0;
  #freshCount = 0;
  #openCount = 0;
  readonly #teams = new Map<number, TeamRuns>();
  /** True while several teams have checks here: then no team may take all places. */
  isShared = false;

  /** @param maxInFlight largest number of fresh runs */
  constructor(maxInFlight: number) {
    this.#freshMax = maxInFlight;
    this.#openMax = maxInFlight * OPEN_RUNS_PER_FRESH;
  }

  /** Runs in flight, waiting ones included. */
  get openCount(): number {
    return this.#openCount;
  }

  /** Largest number of fresh runs. Lowering it ends no run. */
  set freshMax(value: number) {
    this.#freshMax = value;
  }

  get freshMax(): number {
    return this.#freshMax;
  }

  /** True when some team's run may begin. Call it before {@link mayEnter}. */
  hasPlace(nowMs: number): boolean {
    this.#age(nowMs);
    return this.#freshCount < this.#freshMax && this.#openCount < this.#openMax;
  }

  /** True when a run of the team may begin while there is a place at all. */
  mayEnter(teamNumber: number): boolean {
    const team = this.#teams.get(teamNumber);
    if (!this.isShared || team === undefined) return true;
    const { open, fresh } = team;
    return (
      open < (this.#openMax - (this.#openCount - open)) * OPEN_SHARE &&
      fresh < (this.#freshMax - (this.#freshCount - fresh)) * FRESH_SHARE
    );
  }

  /** Lets a run begin. Returns the ticket to leave with. */
  enter(nowMs: number, teamNumber: number): GateTicket {
    let team = this.#teams.get(teamNumber);
    if (team === undefined) {
      team = { teamNumber, open: 0, fresh: 0 };
      this.#teams.set(teamNumber, team);
    }
    const ticket: GateTicket = { enteredMs: nowMs, isFresh: true, team };
    this.#fresh.push(ticket);
    this.#freshCount++;
    this.#openCount++;
    team.fresh++;
    team.open++;
    return ticket;
  }

  /** Ends a run. Call it once per ticket. */
  leave(ticket: GateTicket): void {
    const { team } = ticket;
    this.#openCount--;
    team.open--;
    if (ticket.isFresh) this.#endFreshness(ticket);
    if (team.open === 0) this.#teams.delete(team.teamNumber);
  }

  /** Instant when the oldest fresh run stops counting; undefined when time alone lets no further run in. */
  get nextEntryAtMs(): number | undefined {
    if (this.#openCount >= this.#openMax) return undefined;
    this.#dropStale();
    const oldest = this.#fresh[this.#freshHead];
    return oldest === undefined ? undefined : oldest.enteredMs + FRESH_RUN_MS;
  }

  #age(nowMs: number): void {
    for (;;) {
      this.#dropStale();
      const oldest = this.#fresh[this.#freshHead];
      if (oldest === undefined || oldest.enteredMs + FRESH_RUN_MS > nowMs) return;
      this.#endFreshness(oldest);
    }
  }

  #endFreshness(ticket: GateTicket): void {
    ticket.isFresh = false;
    this.#freshCount--;
    ticket.team.fresh--;
  }

  /** Moves the head past runs that ended or are no longer fresh, and shortens the list now and then. */
  #dropStale(): void {
    while (this.#freshHead < this.#fresh.length && !this.#fresh[this.#freshHead]?.isFresh) this.#freshHead++;
    if (this.#freshHead > 1024 || this.#freshHead === this.#fresh.length) {
      this.#fresh = this.#fresh.slice(this.#freshHead);
      this.#freshHead = 0;
    }
  }
}
