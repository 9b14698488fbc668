/**
 * Limits the bytes that a replica reads from each team's runners. The runners of a team's private locations share one
 * budget: bytes in a second, and bytes of long messages that are being read. Beyond it the streams are read more
 * slowly, so that agents wait; small messages such as heartbeats pass for longer, so that a burst costs no lease. The
 * hosted fleet is the operator's own and has no budget.
 */
import { setTimeout as sleep } from "node:timers/promises";
import type { TeamId } from "@svc/contract";
import { monotonicMs } from "../platform/clock.ts";
import { TokenBuckets } from "../platform/token-buckets.ts";

/** Bytes that a team's runners may send at once, and in each second after that. */
const BURST_BYTES = 64 * 1024 * 1024;
const BYTES_PER_SECOND = 16 * 1024 * 1024;
/** A message costs at least this, as its handling costs more than its bytes. */
const MESSAGE_COST_BYTES = 1024;
/** A message up to this length is small. */
const SMALL_BYTES = 4 * 1024;
/** Small messages wait only for a debt beyond this. */
const SMALL_DEBT_BYTES = BURST_BYTES;
/** Bytes of a team's messages that are being read at a time, small ones left out. */
const OPEN_BYTES_MAX = 32 * 1024 * 1024;

/** One sender's share. */
export interface ReadShare {
  /**
   * Waits until a message of this length may be read.
   * @returns a function that says that the message was read; call it once
   */
  admit(bytes: number): Promise<() => void>;
}

const UNLIMITED: ReadShare = { admit: async () => () => {} };

/** A team with runners, or `unknown`: the senders whose location no longer exists, which share one budget. */
export type ReadSender = TeamId | "unknown";

/** Accounts for the bytes that each team's runners send to this replica. */
export class ReadShares {
  readonly #bytes: TokenBuckets;
  readonly #open = new Map<ReadSender, OpenBytes>();

  constructor(clockMs = monotonicMs) {
    this.#bytes = new TokenBuckets({ burst: BURST_BYTES, perSecond: BYTES_PER_SECOND, clockMs });
  }

  /** Returns the share of a team's runners. @param teamId undefined: the hosted fleet's */
  of(teamId: ReadSender | undefined): ReadShare {
    if (teamId === undefined) return UNLIMITED;
    return { admit: (bytes) => this.#admit(teamId, bytes) };
  }

  async #admit(teamId: ReadSender, bytes: number): Promise<() => void> {
    const waitMs = this.#bytes.spend(teamId, Math.max(bytes, MESSAGE_COST_BYTES));
    const freeMs = bytes <= SMALL_BYTES ? (SMALL_DEBT_BYTES / BYTES_PER_SECOND) * 1000 : 0;
    if (waitMs > freeMs) await sleep(waitMs - freeMs, undefined, { ref: false });
    return bytes <= SMALL_BYTES ? () => {} : this.#openFor(teamId, bytes);
  }

  async #openFor(teamId: ReadSender, bytes: number): Promise<() => void> {
    const open = this.#open.get(teamId) ?? new OpenBytes();
    this.#open.set(teamId, open);
    await open.add(bytes);
    return () => {
      open.remove(bytes);
      if (open.isUnused) this.#open.delete(teamId);
    };
  }
}

/** Bytes of messages that are being read, and the messages that wait for their turn. */
class OpenBytes {
  #bytes = 0;
  readonly #waiting: { bytes: number; resolve: () => void }[] = [];

  get isUnused(): boolean {
    return this.#bytes === 0 && this.#waiting.length === 0;
  }

  async add(bytes: number): Promise<void> {
    if (this.#waiting.length > 0 || !this.#fits(bytes))
      await new Promise<void>((resolve) => this.#waiting.push({ bytes, resolve }));
    else this.#bytes += bytes;
  }

  remove(bytes: number): void {
    this.#bytes -= bytes;
    for (let first = this.#waiting[0]; first && this.#fits(first.bytes); first = this.#waiting[0]) {
      this.#waiting.shift();
      this.#bytes += first.bytes;
      first.resolve();
    }
  }

  #fits(bytes: number): boolean {
    return this.#bytes === 0 || this.#bytes + bytes <= OPEN_BYTES_MAX;
  }
}
