/**
 * How many runs may be in flight. What costs time on our loop is a run's beginning (connect, handshake, request); one that
 * merely waits for a slow target costs a socket. So the cap counts runs in their first moments only: hundreds of targets
 * that hang until their time limit then hold up nobody else, and a burst of due slots is still worked off a few at a time.
 * A second, wide cap bounds the sockets.
 */

export interface GateTicket {
  enteredMs: number;
  isFresh: boolean;
}

/** A run older than this waits for its target. */
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

  /** Lowers or raises the number of fresh runs that are let in; what is in flight stays. */
  set freshMax(value: number) {
    this.#freshMax = value;
  }

  get freshMax(): number {
    return this.#freshMax;
  }

  /** @returns a ticket to leave with, or undefined when there is no room now */
  tryEnter(nowMs: number): GateTicket | undefined {
    this.#age(nowMs);
    if (this.#freshCount >= this.#freshMax || this.#openCount >= this.#openMax) return undefined;
    const ticket: GateTicket = { enteredMs: nowMs, isFresh: true };
    this.#fresh.push(ticket);
    this.#freshCount++;
    this.#openCount++;
    return ticket;
  }

  /** The run ended. Once per ticket. */
  leave(ticket: GateTicket): void {
    this.#openCount--;
    if (!ticket.isFresh) return;
    ticket.isFresh = false;
    this.#freshCount--;
  }

  /** When the oldest fresh run stops counting, or undefined when time alone makes no room. */
  get roomAtMs(): number | undefined {
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

  /** Moves the head past runs that ended or grew old, and gives the space back now and then. */
  #dropStale(): void {
    while (this.#freshHead < this.#fresh.length && !this.#fresh[this.#freshHead]?.isFresh) this.#freshHead++;
    if (this.#freshHead > 1024 || this.#freshHead === this.#fresh.length) {
      this.#fresh = this.#fresh.slice(this.#freshHead);
      this.#freshHead = 0;
    }
  }
}
