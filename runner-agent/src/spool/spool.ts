/**
 * The spool: every result is committed here before it counts as done, and deleted only when the control plane has
 * committed it. Results of a few milliseconds share one synced commit. Bounded by size: when it is full the oldest are
 * dropped and counted. While the disk refuses writes, results are kept in memory (bounded too) and can still be sent.
 */
import type { ResultRecord } from "../result-record.ts";
import type { SpoolDatabase } from "./database.ts";
import { decodeRecord, encodeRecord } from "./record-codec.ts";

export interface SpooledResult {
  /** Place in the spool; grows with every append, also over restarts. */
  sequence: number;
  record: ResultRecord;
}

export interface SpoolParts {
  database: Pick<SpoolDatabase, "results">;
  /** Largest size of the results on disk. */
  bytesMax: number;
  /** One-shot timer; the returned function cancels it. */
  setTimer: (callback: () => void, delayMs: number) => () => void;
  /** So many more results can be read now. */
  onReadable: (count: number) => void;
  /** Results were dropped because there was no room for them. */
  onDropped: (count: number) => void;
  /** Writing began to fail (with the reason) or works again (undefined). */
  onHealth: (error: string | undefined) => void;
}

export interface SpoolStats {
  results: number;
  bytes: number;
  dropped: number;
  /** Why nothing can be written now, or undefined. */
  error: string | undefined;
}

/** How long a result waits for company in its commit: a sync costs the disk far more than a row. */
const COMMIT_DELAY_MS = 4;
/** Between attempts while the disk refuses writes. */
const RETRY_DELAY_MS = 5000;
/** Largest commit; while the disk refuses writes a smaller one, so that whatever fits gets in. */
const COMMIT_ROWS_MAX = 2000;
const COMMIT_ROWS_IN_TROUBLE = 50;
/** Bytes of results held in memory while the disk refuses them. */
const PENDING_BYTES_MAX = 32 * 1024 * 1024;
/** Share of the spool dropped at a time when it is full. */
const DROP_SHARE = 0.01;
const DROP_MIN = 100;

export class Spool {
  readonly #parts: SpoolParts;
  readonly #results: SpoolDatabase["results"];
  #nextSequence: number;
  /** Not yet on disk, by sequence. */
  readonly #pending = new Map<number, Buffer>();
  #pendingBytes = 0;
  /** Acknowledged while their commit was under way: to be deleted after it. */
  readonly #removedWhilePending = new Set<number>();
  #commit: Promise<void> | undefined;
  #cancelTimer: (() => void) | undefined;
  #dropped = 0;
  #error: string | undefined;
  #isClosed = false;

  constructor(parts: SpoolParts) {
    this.#parts = parts;
    this.#results = parts.database.results;
    const [last] = this.#results.getKeys({ reverse: true, limit: 1 });
    this.#nextSequence = (last ?? 0) + 1;
  }

  /** Takes in a result; it is durable after the next commit, and readable from then on. */
  append(record: ResultRecord): void {
    const bytes = encodeRecord(record);
    this.#pending.set(this.#nextSequence++, bytes);
    this.#pendingBytes += bytes.length;
    if (this.#error !== undefined) this.#parts.onReadable(1);
    this.#boundPending();
    this.#scheduleCommit(COMMIT_DELAY_MS);
  }

  /** Resolves when all that was appended is on disk, or can't be put there now. */
  async flush(): Promise<void> {
    while (this.#pending.size > 0 && this.#error === undefined) {
      this.#cancelTimer?.();
      this.#cancelTimer = undefined;
      await this.#commitPending();
    }
  }

  /** Results after `sequence`, oldest first: at most `limit`, and as many as fit in `bytesMax` (at least one). */
  read(sequence: number, limit: number, bytesMax: number): SpooledResult[] {
    const found: SpooledResult[] = [];
    let bytes = 0;
    const take = (key: number, value: Uint8Array): boolean => {
      bytes += value.length;
      if (found.length > 0 && bytes > bytesMax) return false;
      found.push({ sequence: key, record: decodeRecord(value) });
      return found.length < limit;
    };
    for (const { key, value } of this.#results.getRange({ start: sequence + 1, limit })) {
      if (!take(key, value)) return found;
    }
    // In trouble, what could not be written is sent from memory; otherwise it becomes readable by its commit.
    if (this.#error === undefined) return found;
    for (const [key, value] of this.#pending) {
      if (key > sequence && !take(key, value)) break;
    }
    return found;
  }

  /** Deletes acknowledged results. Those not there any more are passed over. */
  remove(sequences: readonly number[]): void {
    for (const sequence of sequences) {
      const pending = this.#pending.get(sequence);
      if (pending !== undefined) {
        if (this.#commit === undefined) this.#forget(sequence, pending);
        else this.#removedWhilePending.add(sequence);
      } else this.#deleteRow(sequence);
    }
  }

  /** The (check, location, slot) of the newest results held, newest first. */
  newestSlots(limit: number): { checkKey: number; locationKey: number; slotMs: number }[] {
    return [...this.#results.getRange({ reverse: true, limit })].map(({ value }) => decodeRecord(value));
  }

  stats(): SpoolStats {
    const { entryCount, bytes } = sizeOf(this.#results);
    return {
      results: entryCount + this.#pending.size,
      bytes: bytes + this.#pendingBytes,
      dropped: this.#dropped,
      error: this.#error,
    };
  }

  /** Commits what is left and takes nothing more. */
  async close(): Promise<void> {
    await this.flush();
    this.#isClosed = true;
    this.#cancelTimer?.();
  }

  #scheduleCommit(delayMs: number): void {
    if (this.#cancelTimer !== undefined || this.#commit !== undefined || this.#isClosed) return;
    this.#cancelTimer = this.#parts.setTimer(() => {
      this.#cancelTimer = undefined;
      void this.#commitPending();
    }, delayMs);
  }

  /** One commit at a time: what comes meanwhile goes into the next. */
  async #commitPending(): Promise<void> {
    this.#commit ??= this.#commitOnce().finally(() => {
      this.#commit = undefined;
      if (this.#pending.size > 0) {
        this.#scheduleCommit(this.#error === undefined ? COMMIT_DELAY_MS : RETRY_DELAY_MS);
      }
    });
    await this.#commit;
  }

  async #commitOnce(): Promise<void> {
    const batch = firstOf(
      this.#pending,
      this.#error === undefined ? COMMIT_ROWS_MAX : COMMIT_ROWS_IN_TROUBLE,
    );
    const failure = await this.#write(batch);
    if (failure !== undefined) {
      this.#tellHealth(failure);
      this.#removePendingRemoved();
      return;
    }
    const wasSendable = this.#error !== undefined;
    this.#tellHealth(undefined);
    for (const [sequence, bytes] of batch) {
      if (this.#pending.has(sequence)) this.#forget(sequence, bytes);
      if (this.#removedWhilePending.delete(sequence)) this.#deleteRow(sequence);
    }
    if (!wasSendable) this.#parts.onReadable(batch.length);
    this.#boundDisk();
  }

  /** @returns why nothing was written, or undefined when all of it is on the disk */
  async #write(batch: [number, Buffer][]): Promise<unknown> {
    let lastPut: Promise<boolean> | undefined;
    const committed = this.#results.batch(() => {
      for (const [sequence, bytes] of batch) lastPut = this.#results.put(sequence, bytes);
    });
    const [, failure] = await Promise.all([
      lastPut?.catch(() => {}),
      committed.then(() => undefined, reasonOf),
    ]);
    return failure;
  }

  /** A failed commit wrote nothing, so what was acknowledged during it needs no deleting. */
  #removePendingRemoved(): void {
    for (const sequence of this.#removedWhilePending) {
      const bytes = this.#pending.get(sequence);
      if (bytes !== undefined) this.#forget(sequence, bytes);
    }
    this.#removedWhilePending.clear();
  }

  #forget(sequence: number, bytes: Buffer): void {
    this.#pending.delete(sequence);
    this.#pendingBytes -= bytes.length;
  }

  #deleteRow(sequence: number): void {
    // A failed delete leaves a result that is sent again after a restart, which the control plane passes over.
    this.#results.remove(sequence).catch(async (cause: unknown) => this.#tellHealth(await reasonOf(cause)));
  }

  #tellHealth(cause: unknown): void {
    const error = cause === undefined ? undefined : `can't write to the data folder: ${messageOf(cause)}`;
    if (error === this.#error) return;
    const isNowSendable = this.#error === undefined;
    this.#error = error;
    this.#parts.onHealth(error);
    if (error !== undefined && isNowSendable) this.#parts.onReadable(this.#pending.size);
    if (error !== undefined) this.#scheduleCommit(RETRY_DELAY_MS);
  }

  #boundPending(): void {
    let count = 0;
    for (const [sequence, bytes] of this.#pending) {
      if (this.#pendingBytes <= PENDING_BYTES_MAX) break;
      this.#forget(sequence, bytes);
      count++;
    }
    if (count > 0) this.#tellDropped(count);
  }

  #boundDisk(): void {
    const { entryCount, bytes } = sizeOf(this.#results);
    if (bytes <= this.#parts.bytesMax) return;
    const oldest = [
      ...this.#results.getKeys({ limit: Math.max(DROP_MIN, Math.ceil(entryCount * DROP_SHARE)) }),
    ];
    for (const sequence of oldest) this.#deleteRow(sequence);
    this.#tellDropped(oldest.length);
  }

  #tellDropped(count: number): void {
    this.#dropped += count;
    this.#parts.onDropped(count);
  }
}

/** What the results take on disk, whole pages. */
function sizeOf(results: SpoolDatabase["results"]): { entryCount: number; bytes: number } {
  const stats = results.getStats() as {
    pageSize: number;
    entryCount: number;
    treeBranchPageCount: number;
    treeLeafPageCount: number;
    overflowPages: number;
  };
  return {
    entryCount: stats.entryCount,
    bytes: (stats.treeBranchPageCount + stats.treeLeafPageCount + stats.overflowPages) * stats.pageSize,
  };
}

function firstOf(pending: Map<number, Buffer>, count: number): [number, Buffer][] {
  if (pending.size <= count) return [...pending];
  const found: [number, Buffer][] = [];
  for (const entry of pending) {
    if (found.length === count) break;
    found.push(entry);
  }
  return found;
}

/** LMDB's promises fail with an error whose `commitError` is a promise that fails with the real one. */
async function reasonOf(cause: unknown): Promise<unknown> {
  const { commitError } = cause as { commitError?: Promise<never> };
  return commitError === undefined ? cause : await commitError.catch((reason: unknown) => reason);
}

function messageOf(cause: unknown): string {
  return cause instanceof Error ? cause.message : String(cause);
}
