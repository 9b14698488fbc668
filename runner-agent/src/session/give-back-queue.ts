import type { GivenBackSlot } from "../model/assignment.ts";

/** Most slots kept while there is no session. Older ones are forgotten; coverage lists them as missing nevertheless. */
const KEPT_MAX = 20_000;
/** Slots sent within this time before a connection broke may not have arrived. Longer than it takes to notice the break. */
const UNCERTAIN_MS = 10_000;

/**
 * Slots to give back, until a session has sent them. The control plane does not acknowledge them, so those that may be
 * lost are sent again.
 */
export class GiveBackQueue {
  readonly #nowMs: () => number;
  #slots: GivenBackSlot[] = [];
  #sent: { slots: GivenBackSlot[]; atMs: number }[] = [];

  /** @param nowMs a monotonic clock, ms */
  constructor(nowMs: () => number) {
    this.#nowMs = nowMs;
  }

  /** Adds a slot to give back. */
  add(slot: GivenBackSlot): void {
    this.#slots.push(slot);
    if (this.#slots.length > 2 * KEPT_MAX) this.#slots = this.#slots.slice(-KEPT_MAX);
  }

  /** Removes and returns up to `max` slots for sending, oldest first. */
  remove(max: number): GivenBackSlot[] {
    const slots = this.#slots.splice(0, max);
    const atMs = this.#nowMs();
    this.#sent = this.#sent.filter((sent) => atMs - sent.atMs < UNCERTAIN_MS);
    if (slots.length > 0) this.#sent.push({ slots, atMs });
    return slots;
  }

  /** Puts the slots back that were sent just before a connection broke. */
  connectionLost(): void {
    const sinceMs = this.#nowMs() - UNCERTAIN_MS;
    const uncertain = this.#sent.flatMap(({ slots, atMs }) => (atMs > sinceMs ? slots : []));
    this.#sent = [];
    this.#slots = [...uncertain, ...this.#slots];
  }
}
