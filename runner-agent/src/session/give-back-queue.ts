import type { GivenBackSlot } from "../model/assignment.ts";

/** Kept while there is nobody to give them to; of more, the oldest are forgotten (their slots show as missing all the same). */
const KEPT_MAX = 20_000;
/** What was sent this shortly before a connection broke may not have arrived: longer than it takes to notice. */
const UNCERTAIN_MS = 10_000;

/** Slots to give back, until a session has taken them: nobody acknowledges them, so what may be lost is sent again. */
export class GiveBacks {
  readonly #nowMs: () => number;
  #slots: GivenBackSlot[] = [];
  #sent: { slots: GivenBackSlot[]; atMs: number }[] = [];

  /** @param nowMs any clock that does not jump */
  constructor(nowMs: () => number) {
    this.#nowMs = nowMs;
  }

  add(slot: GivenBackSlot): void {
    this.#slots.push(slot);
    if (this.#slots.length > 2 * KEPT_MAX) this.#slots = this.#slots.slice(-KEPT_MAX);
  }

  /** Takes up to `max` for sending, oldest first. */
  take(max: number): GivenBackSlot[] {
    const slots = this.#slots.splice(0, max);
    const atMs = this.#nowMs();
    this.#sent = this.#sent.filter((sent) => atMs - sent.atMs < UNCERTAIN_MS);
    if (slots.length > 0) this.#sent.push({ slots, atMs });
    return slots;
  }

  /** The connection broke: what was sent just before goes out again over the next one. */
  connectionLost(): void {
    const sinceMs = this.#nowMs() - UNCERTAIN_MS;
    const uncertain = this.#sent.flatMap(({ slots, atMs }) => (atMs > sinceMs ? slots : []));
    this.#sent = [];
    this.#slots = [...uncertain, ...this.#slots];
  }
}
