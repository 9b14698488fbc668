import type { GivenBackSlot } from "../model/assignment.ts";

/** Most slots kept while nobody acknowledges them. Older ones are forgotten; coverage lists them as missing nevertheless. */
const KEPT_MAX = 20_000;
/**
 * Where the control plane acknowledges nothing, as older ones do: slots sent within this time before a connection broke may not
 * have arrived. Longer than it takes to notice the break.
 */
const UNCERTAIN_MS = 10_000;

/** Slots that leave in one message. */
export interface GiveBackMessage {
  /** Number of the message, by which it is acknowledged. */
  seq: number;
  slots: GivenBackSlot[];
}

/**
 * Slots to give back, until the control plane has recorded them: those that a broken connection left without an
 * acknowledgement are sent again.
 */
export class GiveBackQueue {
  readonly #nowMs: () => number;
  #waiting: GivenBackSlot[] = [];
  #sent: (GiveBackMessage & { atMs: number })[] = [];
  #lastSeq = 0;
  /** True when the control plane of the present session acknowledges messages. */
  #isAcknowledged = false;

  /** @param nowMs a monotonic clock, ms */
  constructor(nowMs: () => number) {
    this.#nowMs = nowMs;
  }

  /** True when no slot waits to be sent or acknowledged. */
  get isEmpty(): boolean {
    return this.#waiting.length === 0 && (!this.#isAcknowledged || this.#sent.length === 0);
  }

  /** Begins a session. */
  sessionBegan({ isAcknowledged }: { isAcknowledged: boolean }): void {
    this.#isAcknowledged = isAcknowledged;
  }

  /** Adds a slot to give back. */
  add(slot: GivenBackSlot): void {
    this.#waiting.push(slot);
    if (this.#waiting.length > 2 * KEPT_MAX) this.#waiting = this.#waiting.slice(-KEPT_MAX);
  }

  /** Returns up to `max` slots for sending, oldest first; undefined when none waits. */
  nextMessage(max: number): GiveBackMessage | undefined {
    const slots = this.#waiting.splice(0, max);
    if (slots.length === 0) return undefined;
    const atMs = this.#nowMs();
    if (!this.#isAcknowledged) this.#sent = this.#sent.filter((sent) => atMs - sent.atMs < UNCERTAIN_MS);
    const seq = ++this.#lastSeq;
    this.#sent.push({ seq, slots, atMs });
    for (let count = this.#sentSlots(); count > KEPT_MAX && this.#sent.length > 1; )
      count -= this.#sent.shift()?.slots.length ?? 0;
    return { seq, slots };
  }

  /** Forgets the slots of a message that the control plane has recorded. Doing it twice does nothing. */
  acknowledge(seq: number): void {
    this.#sent = this.#sent.filter((sent) => sent.seq !== seq);
  }

  /** Puts the slots back that were sent and may not have been recorded. */
  connectionLost(): void {
    const sinceMs = this.#isAcknowledged ? Number.NEGATIVE_INFINITY : this.#nowMs() - UNCERTAIN_MS;
    const uncertain = this.#sent.flatMap(({ slots, atMs }) => (atMs > sinceMs ? slots : []));
    this.#sent = [];
    this.#waiting = [...uncertain, ...this.#waiting];
  }

  #sentSlots(): number {
    return this.#sent.reduce((sum, { slots }) => sum + slots.length, 0);
  }
}
