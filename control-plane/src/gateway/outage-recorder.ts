/**
 * Notices that this replica could read no changes for long, since its database was away or its process stood still, and has that
 * recorded once it is over: its runners heard of no slot meanwhile, and coverage says so. Shorter times cost no slot.
 */
import { LEASE_MS } from "../fleet/timing.ts";
import type { OutageStore } from "./outage-store.ts";

/** Shortest time that is recorded, ms: a slot waits for twice as long. */
const RECORDED_MS_MIN = LEASE_MS;

/** The store, and the clocks of the replica. */
export interface OutageRecorderParts {
  store: OutageStore;
  replicaId: string;
  /** Unix ms, control-plane clock. */
  nowMs: () => number;
  /** Monotonic clock, ms: one that is set meanwhile is no outage. */
  monotonicMs: () => number;
}

/** Watches how far apart the polls of a replica are that read something. */
export class OutageRecorder {
  readonly #parts: OutageRecorderParts;
  #beganMs = 0;
  #lastReadMs: number | undefined;

  constructor(parts: OutageRecorderParts) {
    this.#parts = parts;
  }

  /** Notes that a poll begins: what is committed until now it reads. */
  pollBegins(): void {
    this.#beganMs = this.#parts.monotonicMs();
  }

  /**
   * Notes that the poll which began last has read what there was, and records the time since the one before if that is long.
   * Rejects when the database is away; then the next call records it.
   */
  async pollEnded(): Promise<void> {
    const { store, replicaId, nowMs, monotonicMs } = this.#parts;
    const beganMs = this.#beganMs;
    const gapMs = monotonicMs() - (this.#lastReadMs ?? beganMs);
    if (gapMs >= RECORDED_MS_MIN) {
      const untilMs = nowMs();
      await store.insertOutage(replicaId, { fromMs: untilMs - gapMs, untilMs });
    }
    this.#lastReadMs = beganMs;
  }
}
