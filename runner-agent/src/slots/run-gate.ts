/**
 * Limits the runs in flight. A run costs time of the event loop while it begins (connect, handshake, request); one that merely
 * waits for a slow target costs a socket. So the limit counts fresh runs only: hundreds of targets that hang until their time
 * limit hold up nobody else, and a burst of due slots is still worked off a few at a time. A second, wide limit bounds the
 * sockets.
 */

/** The right of one run to be in flight. */
export interface GateTicket {
  enteredMs: number;
  isFresh: boolean;
}

/** A run is fresh for this long; then it is taken to be waiting for its target. */
export const FRESH_MS = 500;
/** Open runs allowed per fresh one. */
const OPEN_PER_FRESH = 20;

export class RunGate {
  readonly #openMax: number;
  #freshMax: number;
  #fresh: GateTicket[] = [];
  #freshHead = 0;
  #freshCount = 0;
  #openCount = 0;

  /** @param maxInFlight largest number of fresh runs */
  constructor(maxInFlight: number) {
    this.#freshMax = maxInFlight;
    this.#openMax = maxInFlight * OPEN_PER_FRESH;
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

  /** Lets a run begin. Returns the ticket to leave with, or undefined when the limits are reached. */
  tryEnter(nowMs: number): GateTicket | undefined {
    this.#age(nowMs);
    if (this.#freshCount >= this.#freshMax || this.#openCount >= this.#openMax) return undefined;
    const ticket: GateTicket = { enteredMs: nowMs, isFresh: true };
    this.#fresh.push(ticket);
    this.#freshCount++;
    this.#openCount++;
    return ticket;
  }

  /** Ends a run. Call it once per ticket. */
  leave(ticket: GateTicket): void {
    this.#openCount--;
    if (!ticket.isFresh) return;
    ticket.isFresh = false;
    this.#freshCount--;
  }

  /** Instant when the oldest fresh run stops counting; undefined when time alone lets no further run in. */
  get nextEntryAtMs(): number | undefined {
    if (this.#openCount >= this.#openMax) return undefined;
    this.#dropStale();
    const oldest = this.#fresh[this.#freshHead];
    return oldest === undefined ? undefined : oldest.enteredMs + FRESH_MS;
  }

  #age(nowMs: number): void {
    for (;;) {
      this.#dropStale();
      const oldest = this.#fresh[this.#freshHead];
      if (oldest === undefined || oldest.enteredMs + FRESH_MS > nowMs) return;
      oldest.isFresh = false;
      this.#freshCount--;
    }
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
