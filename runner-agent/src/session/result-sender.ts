/**
 * Sends the spool's results in batches, several of them at a time without waiting for their acknowledgement (the window). A
 * batch keeps its number and content until it is acknowledged, over as many streams as that takes. Only then are its results
 * deleted.
 */
import type { ResultBatch } from "@svc/proto/svc/runner/v1/runner_pb";
import type { ResultRecord } from "../model/result-record.ts";
import { resultBatchOf } from "./result-batch.ts";

/** The spool as the sender needs it. */
export interface ResultQueue {
  /** Returns results after `sequence`, oldest first: at most `limit`, and about `bytesMax` bytes. */
  read(sequence: number, limit: number, bytesMax: number): { sequence: number; record: ResultRecord }[];
  /** Deletes results that the control plane has, or refused for good. */
  remove(sequences: readonly number[]): void;
}

/** A result that the control plane refused for good. */
export interface RejectedResult {
  record: ResultRecord;
  reason: string;
}

interface SentBatch {
  message: ResultBatch;
  sequences: number[];
  records: ResultRecord[];
}

/** Most results of one batch. */
export const BATCH_RESULTS_MAX = 500;
const BATCH_BYTES_MAX = 1024 * 1024;
const WINDOW_BATCHES = 8;

/** The window of sent batches. Lives as long as the session, over all of its streams. */
export class ResultSender {
  readonly #queue: ResultQueue;
  readonly #unacknowledged = new Map<number, SentBatch>();
  /** Numbers to send again over this stream, in order. */
  #toResend: number[] = [];
  #nextSeq = 1;
  #readUpTo = 0;

  constructor(queue: ResultQueue) {
    this.#queue = queue;
  }

  /** Batches sent and not acknowledged. */
  get unacknowledgedBatches(): number {
    return this.#unacknowledged.size;
  }

  /** True when no further batch may be sent before an acknowledgement. */
  get isWindowFull(): boolean {
    return this.#unacknowledged.size >= WINDOW_BATCHES;
  }

  /** Begins a stream: all unacknowledged batches go first, under their old numbers. */
  startStream(): void {
    this.#toResend = [...this.#unacknowledged.keys()];
  }

  /** Returns the next batch to send, or undefined when there is none or the window is full. */
  next(): ResultBatch | undefined {
    for (let seq = this.#toResend.shift(); seq !== undefined; seq = this.#toResend.shift()) {
      const sent = this.#unacknowledged.get(seq);
      if (sent !== undefined) return sent.message;
    }
    if (this.isWindowFull) return undefined;
    const found = this.#queue.read(this.#readUpTo, BATCH_RESULTS_MAX, BATCH_BYTES_MAX);
    const last = found.at(-1);
    if (last === undefined) return undefined;
    this.#readUpTo = last.sequence;
    const seq = this.#nextSeq++;
    const records = found.map(({ record }) => record);
    const message = resultBatchOf(seq, records);
    this.#unacknowledged.set(seq, { message, records, sequences: found.map(({ sequence }) => sequence) });
    return message;
  }

  /**
   * Deletes the results of a batch that the control plane committed. Does nothing for a number that is not open.
   * @returns the results that the control plane refused for good
   */
  acknowledge(seq: number, rejections: readonly { index: number; reason: string }[]): RejectedResult[] {
    const sent = this.#unacknowledged.get(seq);
    if (sent === undefined) return [];
    this.#unacknowledged.delete(seq);
    this.#queue.remove(sent.sequences);
    return rejections.flatMap(({ index, reason }) => {
      const record = sent.records[index];
      return record === undefined ? [] : [{ record, reason }];
    });
  }
}
