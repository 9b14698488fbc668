/**
 * The spool: every result is committed here before it counts as done, and deleted only when the control plane has
 * committed it. Results of a few milliseconds share one synced commit. Bounded by size: when it is full the oldest are
 * dropped and counted. While the disk refuses writes, results are kept in memory (bounded too) and can be sent from there.
 */
import type { ResultRecord } from "../model/result-record.ts";
import { decodeRecord, encodeRecord } from "./record-codec.ts";
import type { ResultTable } from "./result-table.ts";

export interface SpooledResult {
  /** Place in the spool; grows with every append. */
  sequence: number;
  record: ResultRecord;
}

export interface SpoolParts {
  table: ResultTable;
  /** Largest size of the results on disk. */
  bytesMax: number;
  /** One-shot timer; the returned function cancels it. */
  setTimer: (callback: () => void, delayMs: number) => () => void;
  /** About so many more results can be read now. */
  onReadable: (count: number) => void;
  /** Results were dropped because there was no room for them. */
  onDropped: (count: number) => void;
  /** Writing began to fail (with the reason) or works again (undefined). */
  onHealth: (error: string | undefined) => void;
}

export interface SpoolStats {
  results: number;
  bytes: number;
  /** Since the process started. */
  dropped: number;
}

/**
 * How long a result waits for company in its commit: a synced commit costs about 0.5 ms of CPU, a row 5 us. What a crash
 * takes within it is run again, as is what was in flight.
 */
const APPEND_DELAY_MS = 50;
/** The same for deletions: one that is lost to a crash leads to a result being sent twice, which is harmless. */
const DELETE_DELAY_MS = 250;
/** Between attempts while the disk refuses writes. */
const RETRY_DELAY_MS = 5000;
/** Largest commit; while the disk refuses writes a smaller one, so that whatever fits gets in. */
const COMMIT_ROWS_MAX = 2000;
const COMMIT_ROWS_IN_TROUBLE = 50;
/** Bytes of results held in memory while the disk refuses them. */
const PENDING_BYTES_MAX = 32 * 1024 * 1024;
/** Share of the spool dropped at a time when it is full. */
const DROP_SHARE = 0.02;
const DROP_MIN = 100;
/** Share of the spool's bound that may be written before its size is looked at: less than is dropped at a time. */
const LOOK_SHARE = 0.005;

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
  /** Starts above any bound: what an earlier process left is looked at with the first commit. */
  #bytesSinceLook = Number.POSITIVE_INFINITY;
  #dropped = 0;
  #error: string | undefined;
  #isClosed = false;

  constructor(parts: SpoolParts) {
    this.#parts = parts;
    this.#table = parts.table;
    for (const { sequence } of this.#table.newestRows(1)) this.#nextSequence = sequence + 1;
  }

  /** Takes in a result; it is durable, and readable, after the next commit. */
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

  /** Deletes acknowledged results. Those not there any more are passed over. */
  remove(sequences: readonly number[]): void {
    for (const sequence of sequences) this.#deletes.push(sequence);
    this.#scheduleCommit(this.#error === undefined ? DELETE_DELAY_MS : RETRY_DELAY_MS);
  }

  /** Resolves when all that was appended or removed is on disk, or can't be put there now. */
  async flush(): Promise<void> {
    do {
      await this.#commitNow();
    } while (this.#hasWork && this.#error === undefined);
  }

  /** Results after `sequence`, oldest first: at most `limit`, and as many as fit in `bytesMax` (at least one). */
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

  /** The (check, location, slot) of the newest results on disk, newest first. */
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

  /** Commits what is left and takes nothing more. */
  async close(): Promise<void> {
    await this.flush();
    this.#isClosed = true;
    this.#timer?.cancel();
  }

  get #commitRowsMax(): number {
    return this.#error === undefined ? COMMIT_ROWS_MAX : COMMIT_ROWS_IN_TROUBLE;
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
    // In trouble, what could not be written is sent from memory; otherwise it becomes readable by its commit.
    if (this.#error === undefined) return;
    for (const [key, bytes] of this.#pending) if (key > lastSequence) yield { sequence: key, bytes };
  }

  /** A later commit that is already due stays due; an earlier one takes its place. */
  #scheduleCommit(delayMs: number): void {
    if (this.#commit !== undefined || this.#isClosed) return;
    if (this.#timer !== undefined) {
      if (this.#timer.delayMs <= delayMs) return;
      this.#timer.cancel();
    }
    const cancel = this.#parts.setTimer(() => void this.#commitNow(), delayMs);
    this.#timer = { cancel, delayMs };
  }

  /** One commit at a time: what comes meanwhile goes into the next. */
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
    // What was sent from memory and acknowledged never needs to reach the disk.
    for (const sequence of deletes) this.#forget(sequence);
    const refusal = this.#error === undefined ? undefined : this.#table.refusal();
    const puts = refusal === undefined ? firstOf(this.#pending, this.#commitRowsMax) : [];
    if (puts.length > 0 || deletes.length > 0) {
      try {
        await this.#table.write(puts, deletes);
      } catch (cause) {
        this.#deletes = deletes.concat(this.#deletes);
        this.#tellHealth(`can't write to the data folder: ${messageOf(cause)}`);
        return;
      }
    }
    for (const [sequence, bytes] of puts) {
      this.#forget(sequence);
      this.#bytesSinceLook += bytes.length;
    }
    if (refusal === undefined) this.#tellHealth(undefined);
    if (puts.length > 0) {
      // The size is dear to ask for; it can't have grown by more than was written.
      if (this.#bytesSinceLook > this.#parts.bytesMax * LOOK_SHARE) this.#boundDisk();
      this.#parts.onReadable(puts.length);
    }
  }

  #forget(sequence: number): void {
    const bytes = this.#pending.get(sequence);
    if (bytes === undefined) return;
    this.#pending.delete(sequence);
    this.#pendingBytes -= bytes.length;
  }

  #tellHealth(error: string | undefined): void {
    const isNews = (error === undefined) !== (this.#error === undefined);
    this.#error = error;
    if (!isNews) return;
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
    if (count > 0) this.#tellDropped(count);
  }

  #boundDisk(): void {
    this.#bytesSinceLook = 0;
    const { rows, bytes } = this.#table.size();
    if (bytes <= this.#parts.bytesMax) return;
    const count = Math.max(DROP_MIN, Math.ceil(rows * DROP_SHARE));
    const oldest = Array.from(this.#table.rowsAfter(0, count), ({ sequence }) => sequence);
    const alreadyGoing = new Set(this.#deletes);
    const dropped = oldest.filter((sequence) => !alreadyGoing.has(sequence));
    this.#deletes.push(...dropped);
    this.#tellDropped(dropped.length);
  }

  #tellDropped(count: number): void {
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
