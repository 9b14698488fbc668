/**
 * What of the spool is on its way: a window of batches that are sent and not acknowledged. A batch keeps its number and
 * its content until it is acknowledged, over as many streams as that takes; results are deleted only then.
 */
import type { ResultBatch } from "@svc/proto/svc/runner/v1/runner_pb";
import type { ResultRecord } from "../model/result-record.ts";
import { resultBatchOf } from "./result-batch.ts";

/** The spool, as the sender sees it. */
export interface ResultQueue {
  /** Results after `sequence`, oldest first. */
  read(sequence: number, limit: number, bytesMax: number): { sequence: number; record: ResultRecord }[];
  /** The control plane has these, or never will. */
  remove(sequences: readonly number[]): void;
}

export interface RejectedResult {
  record: ResultRecord;
  reason: string;
}

interface SentBatch {
  message: ResultBatch;
  sequences: number[];
  records: ResultRecord[];
}

export const BATCH_RESULTS_MAX = 500;
const BATCH_BYTES_MAX = 1024 * 1024;
const WINDOW_BATCHES = 8;

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

  get isWindowFull(): boolean {
    return this.#unacknowledged.size >= WINDOW_BATCHES;
  }

  /** A new stream: everything unacknowledged goes first, under its old numbers. */
  startStream(): void {
    this.#toResend = [...this.#unacknowledged.keys()];
  }

  /** The next batch to send, or undefined when there is none or the window is full. */
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

  /** The batch is committed: its results are deleted. A number that is not open is passed over.
   *  @returns those that the control plane refused for good */
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
