/**
 * The spool: a result is committed here before it counts as done, and deleted only when the control plane has committed
 * it. Results of a few milliseconds share one synced commit. The spool's size is bounded: when it is full, the oldest
 * results are dropped and counted. While the disk refuses writes, results are kept in memory, bounded too, and can be
 * sent from there.
 */
import type { ResultRecord } from "../model/result-record.ts";
import { decodeRecord, encodeRecord } from "./record-codec.ts";
import type { ResultTable } from "./result-table.ts";

/** A result in the spool. */
export interface SpooledResult {
  /** Number in the spool; grows with every append. */
  sequence: number;
  record: ResultRecord;
}

/** Inputs of the spool, and its outputs (`on...`). */
export interface SpoolParts {
  table: ResultTable;
  /** Largest size of the results on disk. */
  bytesMax: number;
  /** One-shot timer; the returned function cancels it. */
  setTimer: (callback: () => void, delayMs: number) => () => void;
  /** Called when about `count` more results can be read. */
  onReadable: (count: number) => void;
  /** Called when results were dropped because the spool is full. */
  onDropped: (count: number) => void;
  /** Called when writing begins to fail (with the reason), and when it works again (undefined). */
  onHealth: (error: string | undefined) => void;
}

/** Number and bytes of the results that wait for their acknowledgement. */
export interface SpoolStats {
  results: number;
  bytes: number;
  /** Results dropped since the process started. */
  dropped: number;
}

/**
 * How long a result waits for others to share its commit: a synced commit costs about 0.5 ms of CPU, a row 5 us. Slots whose
 * result a crash takes within this time are run again, as are those in flight.
 */
const APPEND_DELAY_MS = 50;
/** Time that a deletion waits. A crash that loses one makes the agent send a result twice, which is harmless. */
const DELETE_DELAY_MS = 250;
/** Time between attempts while the disk refuses writes. */
const RETRY_DELAY_MS = 5000;
/** Most rows in a commit; fewer while the disk refuses writes, so that whatever still fits is stored. */
const COMMIT_ROWS_MAX = 2000;
const COMMIT_ROWS_MAX_WHILE_REFUSED = 50;
/** Most bytes of results in memory while the disk refuses writes. */
const PENDING_BYTES_MAX = 32 * 1024 * 1024;
/** Share of the results dropped at a time when the spool is full. */
const DROP_SHARE = 0.02;
const DROP_MIN = 100;
/** Share of the spool's bound that may be written before its size is measured again; less than is dropped at a time. */
const MEASURE_SHARE = 0.005;

/** The durable, bounded store of results that the control plane has not committed yet. */
export class Spool {
  readonly #parts: SpoolParts;
  readonly #table: ResultTable;
  #nextSequence = 1;
  /** Not yet on disk, by sequence. */
  readonly #pending = new Map<number, Buffer>();
  #pendingBytes = 0;
  /** To be deleted with the next commit. */
  #deletes: number[] = [];
  #commit: Promise<void> | undefined;
  #timer: { cancel: () => void; delayMs: number } | undefined;
  /** Begins above any bound, so that the first commit measures what an earlier process left. */
  #bytesSinceMeasured = Number.POSITIVE_INFINITY;
  #dropped = 0;
  #error: string | undefined;
  #isClosed = false;

  constructor(parts: SpoolParts) {
    this.#parts = parts;
    this.#table = parts.table;
    for (const { sequence } of this.#table.newestRows(1)) this.#nextSequence = sequence + 1;
  }

  /** Adds a result. It is durable, and can be read, after the next commit. */
  append(record: ResultRecord): void {
    const bytes = encodeRecord(record);
    this.#pending.set(this.#nextSequence++, bytes);
    this.#pendingBytes += bytes.length;
    if (this.#error === undefined) this.#scheduleCommit(APPEND_DELAY_MS);
    else {
      this.#boundPending();
      this.#parts.onReadable(1);
    }
  }

  /** Deletes acknowledged results; ignores those that are gone already. */
  remove(sequences: readonly number[]): void {
    for (const sequence of sequences) this.#deletes.push(sequence);
    this.#scheduleCommit(this.#error === undefined ? DELETE_DELAY_MS : RETRY_DELAY_MS);
  }

  /** Resolves when all changes are on disk, or the disk refuses them. */
  async flush(): Promise<void> {
    do {
      await this.#commitNow();
    } while (this.#hasWork && this.#error === undefined);
  }

  /** Returns results after `sequence`, oldest first: at most `limit`, and as many as fit in `bytesMax` (at least one). */
  read(sequence: number, limit: number, bytesMax: number): SpooledResult[] {
    const found: SpooledResult[] = [];
    let bytesFound = 0;
    for (const row of this.#rowsAfter(sequence, limit)) {
      bytesFound += row.bytes.length;
      if (found.length === limit || (found.length > 0 && bytesFound > bytesMax)) break;
      found.push({ sequence: row.sequence, record: decodeRecord(row.bytes) });
    }
    return found;
  }

  /** Returns the keys of the newest results on disk, newest first. */
  newestSlots(limit: number): { checkKey: number; locationKey: number; slotMs: number }[] {
    return Array.from(this.#table.newestRows(limit), ({ bytes }) => {
      const { checkKey, locationKey, slotMs } = decodeRecord(bytes);
      return { checkKey, locationKey, slotMs };
    });
  }

  stats(): SpoolStats {
    const { rows, bytes } = this.#table.size();
    return {
      results: Math.max(0, rows + this.#pending.size - this.#deletes.length),
      bytes: bytes + this.#pendingBytes,
      dropped: this.#dropped,
    };
  }

  /** Commits what is left, and commits nothing more. */
  async close(): Promise<void> {
    await this.flush();
    this.#isClosed = true;
    this.#timer?.cancel();
  }

  get #commitRowsMax(): number {
    return this.#error === undefined ? COMMIT_ROWS_MAX : COMMIT_ROWS_MAX_WHILE_REFUSED;
  }

  get #hasWork(): boolean {
    return this.#pending.size > 0 || this.#deletes.length > 0;
  }

  *#rowsAfter(sequence: number, limit: number): Generator<{ sequence: number; bytes: Uint8Array }> {
    let lastSequence = sequence;
    for (const row of this.#table.rowsAfter(sequence, limit)) {
      lastSequence = row.sequence;
      yield row;
    }
    // While the disk refuses writes, results are sent from memory; otherwise their commit makes them readable.
    if (this.#error === undefined) return;
    for (const [key, bytes] of this.#pending) if (key > lastSequence) yield { sequence: key, bytes };
  }

  /** Schedules a commit, unless an earlier one is scheduled already. */
  #scheduleCommit(delayMs: number): void {
    if (this.#commit !== undefined || this.#isClosed) return;
    if (this.#timer !== undefined) {
      if (this.#timer.delayMs <= delayMs) return;
      this.#timer.cancel();
    }
    const cancel = this.#parts.setTimer(() => void this.#commitNow(), delayMs);
    this.#timer = { cancel, delayMs };
  }

  /** Commits now, or waits for the commit under way. Changes made meanwhile go into the next one. */
  async #commitNow(): Promise<void> {
    this.#timer?.cancel();
    this.#timer = undefined;
    this.#commit ??= this.#commitOnce().finally(() => {
      this.#commit = undefined;
      if (this.#error !== undefined) this.#scheduleCommit(RETRY_DELAY_MS);
      else if (this.#pending.size > 0) this.#scheduleCommit(APPEND_DELAY_MS);
      else if (this.#deletes.length > 0) this.#scheduleCommit(DELETE_DELAY_MS);
    });
    await this.#commit;
  }

  async #commitOnce(): Promise<void> {
    const deletes = this.#deletes;
    this.#deletes = [];
    // A result that was sent from memory and acknowledged never needs to reach the disk.
    for (const sequence of deletes) this.#forget(sequence);
    const refusal = this.#error === undefined ? undefined : this.#table.refusal();
    const puts = refusal === undefined ? firstOf(this.#pending, this.#commitRowsMax) : [];
    if (puts.length > 0 || deletes.length > 0) {
      try {
        await this.#table.write(puts, deletes);
      } catch (error) {
        this.#deletes = deletes.concat(this.#deletes);
        this.#reportHealth(`can't write to the data folder: ${messageOf(error)}`);
        return;
      }
    }
    for (const [sequence, bytes] of puts) {
      this.#forget(sequence);
      this.#bytesSinceMeasured += bytes.length;
    }
    if (refusal === undefined) this.#reportHealth(undefined);
    if (puts.length > 0) {
      // Measuring the size is expensive, and it can't have grown by more than was written.
      if (this.#bytesSinceMeasured > this.#parts.bytesMax * MEASURE_SHARE) this.#boundDisk();
      this.#parts.onReadable(puts.length);
    }
  }

  #forget(sequence: number): void {
    const bytes = this.#pending.get(sequence);
    if (bytes === undefined) return;
    this.#pending.delete(sequence);
    this.#pendingBytes -= bytes.length;
  }

  #reportHealth(error: string | undefined): void {
    const hasChanged = (error === undefined) !== (this.#error === undefined);
    this.#error = error;
    if (!hasChanged) return;
    this.#parts.onHealth(error);
    if (error !== undefined) {
      this.#boundPending();
      this.#parts.onReadable(this.#pending.size);
    }
  }

  #boundPending(): void {
    let count = 0;
    for (const sequence of this.#pending.keys()) {
      if (this.#pendingBytes <= PENDING_BYTES_MAX) break;
      this.#forget(sequence);
      count++;
    }
    if (count > 0) this.#reportDropped(count);
  }

  #boundDisk(): void {
    this.#bytesSinceMeasured = 0;
    const { rows, bytes } = this.#table.size();
    if (bytes <= this.#parts.bytesMax) return;
    const count = Math.max(DROP_MIN, Math.ceil(rows * DROP_SHARE));
    const oldest = Array.from(this.#table.rowsAfter(0, count), ({ sequence }) => sequence);
    const alreadyGoing = new Set(this.#deletes);
    const dropped = oldest.filter((sequence) => !alreadyGoing.has(sequence));
    this.#deletes.push(...dropped);
    this.#reportDropped(dropped.length);
  }

  #reportDropped(count: number): void {
    if (count === 0) return;
    this.#dropped += count;
    this.#parts.onDropped(count);
  }
}

function firstOf(pending: Map<number, Buffer>, count: number): [number, Buffer][] {
  const found: [number, Buffer][] = [];
  for (const entry of pending) {
    if (found.length === count) break;
    found.push(entry);
  }
  return found;
}

function messageOf(cause: unknown): string {
  return cause instanceof Error ? cause.message : String(cause);
}
