/**
 * Ingest of one replica. Batches from all streams and from REST are merged for a few milliseconds and written in one transaction,
 * two transactions at a time. A batch is answered only after its commit: while the database is away there are no answers, and
 * the senders keep their results.
 */

import { setTimeout as sleep } from "node:timers/promises";
import { MINUTE_MS, RESULT_STATUSES } from "@svc/contract";
import type { Knex } from "knex";
import type { Logger } from "pino";
import { staggerOf } from "../../fleet/fleet-check.ts";
import type { FleetState } from "../../fleet/fleet-state.ts";
import { monotonicMs } from "../../platform/clock.ts";
import { beganWork } from "../../platform/loop-watch.ts";
import { retainedFrom } from "../retention/retain.ts";
import { appendRows, emptyColumns, type ResultColumns } from "./columns.ts";
import { GroupWriter, type WrittenGroup } from "./group-writer.ts";
import type { IngestSource } from "./judge.ts";
import { judgeBatch, type RowRejection } from "./judge-batch.ts";
import type { IngestMetrics } from "./metrics.ts";
import { parseDetail, parseFact } from "./parse-evidence.ts";
import type { Patience } from "./until-database-answers.ts";
import type { ResultConsumer, ResultGroup } from "./write-group.ts";

/** Most rows in one transaction, and how long the first of them waits for others. */
const GROUP_ROWS_MAX = 5_000;
const GROUP_EVIDENCE_BYTES_MAX = 16 * 1024 * 1024;
const LINGER_MS = 5;
/** Two, so that one group fills while the other commits. */
const TRANSACTIONS_AT_ONCE = 2;
const REJECTIONS_LOG_INTERVAL_MS = MINUTE_MS;
/** One stored result of this many goes into the lateness histogram. */
const LATENESS_SAMPLE = 8;

/** Results of one sender. */
export interface IngestBatch {
  columns: ResultColumns;
  details: readonly { index: number; json: string }[];
  facts: readonly { index: number; kind: string; json: string }[];
}

/** The fate of a batch. A row whose evidence was refused is stored, and has a rejection too. */
export interface IngestOutcome {
  stored: number;
  duplicates: number;
  rejections: RowRejection[];
}

export interface IngesterOptions {
  knex: Knex;
  log: Logger;
  state: FleetState;
  nowMs: () => number;
  retentionDays: number;
  metrics: IngestMetrics;
  /** Reads changes of the fleet from the database; rejects while it is away. */
  refreshFleet: () => Promise<void>;
  /** Called in each transaction once its results are stored. */
  consume?: ResultConsumer;
}

/** A batch's rows in the group that carries them. */
interface Submission {
  start: number;
  /** Index in the batch of each of its rows. */
  indexes: readonly number[];
  rejections: RowRejection[];
  resolve: (outcome: IngestOutcome) => void;
  reject: (error: unknown) => void;
}

interface PendingGroup extends ResultGroup {
  submissions: Submission[];
  evidenceBytes: number;
}

/** See the head of this file. */
export class Ingester {
  readonly #options: IngesterOptions;
  readonly #abort = new AbortController();
  readonly #patience: Patience;
  readonly #writer: GroupWriter;
  readonly #groups: PendingGroup[] = [];
  #writing = 0;
  #pendingRows = 0;
  #lingerTimer: NodeJS.Timeout | undefined;
  #unloggedRejections = 0;
  #logFromMs = 0;

  constructor(options: IngesterOptions) {
    this.#options = options;
    this.#patience = { log: options.log, metrics: options.metrics, signal: this.#abort.signal };
    this.#writer = new GroupWriter(options.knex, this.#patience, options.consume);
  }

  /**
   * Stores the results that can be stored. Resolves after the commit, however long the database is away, and rejects when the
   * ingester is closed before that: then nothing may be acknowledged. Results that were stored before are harmless.
   */
  async submit(batch: IngestBatch, source: IngestSource): Promise<IngestOutcome> {
    const { knex, refreshFleet, metrics } = this.#options;
    const { accepted, rejections } = await judgeBatch(batch.columns, source, {
      knex,
      patience: this.#patience,
      context: () => this.#judgeContext(),
      refreshFleet,
    });
    const outcome =
      accepted.length > 0
        ? await this.#enqueue(batch, accepted, rejections)
        : { stored: 0, duplicates: 0, rejections };
    metrics.batches.inc();
    metrics.duplicates.inc(outcome.duplicates);
    metrics.rejections.inc(rejections.length);
    if (rejections.length > 0) this.#logRejected(rejections, source);
    return outcome;
  }

  /** Writes pending results for at most `timeoutMs`, then gives up on the rest. */
  async close(timeoutMs: number): Promise<void> {
    const deadline = monotonicMs() + timeoutMs;
    while (this.#pendingRows > 0 && monotonicMs() < deadline) await sleep(10);
    this.#abort.abort(new Error("the control plane is shutting down"));
    clearTimeout(this.#lingerTimer);
    for (const group of this.#groups.splice(0)) fail(group, this.#abort.signal.reason);
  }

  /** Logs at most one line a minute, since a sender could fill the log otherwise. The metric counts all rejections. */
  #logRejected(rejections: readonly RowRejection[], { runnerKey }: IngestSource): void {
    this.#unloggedRejections += rejections.length;
    const nowMs = this.#options.nowMs();
    if (nowMs < this.#logFromMs) return;
    const rejected = this.#unloggedRejections;
    this.#options.log.warn({ rejected, runnerKey, first: rejections[0] }, "results rejected");
    this.#unloggedRejections = 0;
    this.#logFromMs = nowMs + REJECTIONS_LOG_INTERVAL_MS;
  }

  #judgeContext() {
    const { state, nowMs, retentionDays } = this.#options;
    const now = nowMs();
    return { state, nowMs: now, retainedFromMs: retainedFrom(now, retentionDays) };
  }

  #enqueue(
    batch: IngestBatch,
    accepted: readonly number[],
    rejections: RowRejection[],
  ): Promise<IngestOutcome> {
    const group = this.#openGroup();
    const start = group.columns.checkKeys.length;
    const isWhole = accepted.length === batch.columns.checkKeys.length;
    appendRows(group.columns, batch.columns, isWhole ? undefined : accepted);
    const indexes = isWhole ? accepted.toSorted((a, b) => a - b) : accepted;
    appendEvidence(group, batch, { start, indexes, rejections });
    this.#addPending(accepted.length);
    const outcome = new Promise<IngestOutcome>((resolve, reject) => {
      group.submissions.push({ start, indexes, rejections, resolve, reject });
    });
    this.#pump();
    return outcome;
  }

  #openGroup(): PendingGroup {
    const last = this.#groups.at(-1);
    const fitsMore =
      last && last.columns.checkKeys.length < GROUP_ROWS_MAX && last.evidenceBytes < GROUP_EVIDENCE_BYTES_MAX;
    if (fitsMore) return last;
    const group: PendingGroup = {
      columns: emptyColumns(),
      details: [],
      facts: [],
      submissions: [],
      evidenceBytes: 0,
    };
    this.#groups.push(group);
    return group;
  }

  /** Starts to write a full group at once, another one when it has waited long enough. */
  #pump(hasLingered = false): void {
    while (this.#writing < TRANSACTIONS_AT_ONCE && this.#groups.length > 0) {
      const first = this.#groups[0] as PendingGroup;
      const isFull = this.#groups.length > 1 || first.columns.checkKeys.length >= GROUP_ROWS_MAX;
      if (!isFull && !hasLingered) {
        this.#lingerTimer ??= setTimeout(() => {
          this.#lingerTimer = undefined;
          this.#pump(true);
        }, LINGER_MS);
        return;
      }
      this.#groups.shift();
      this.#writing++;
      void this.#write(first).finally(() => {
        this.#writing--;
        this.#pump(true);
      });
    }
  }

  async #write(group: PendingGroup): Promise<void> {
    beganWork("ingest of results");
    try {
      const written = await this.#writer.write(group);
      for (const submission of group.submissions) this.#settle(submission, group, written);
    } catch (error) {
      fail(group, error);
    } finally {
      this.#addPending(-group.columns.checkKeys.length);
    }
  }

  #settle(submission: Submission, group: PendingGroup, written: WrittenGroup): void {
    const { start, indexes, rejections } = submission;
    const storedByStatus = RESULT_STATUSES.map(() => 0);
    let refused = 0;
    for (let position = 0; position < indexes.length; position++) {
      const row = start + position;
      const reason = written.refused.get(row);
      if (reason !== undefined) {
        refused++;
        rejections.push({ index: indexes[position] as number, reason });
      } else if (written.isInserted(row)) {
        const status = (group.columns.statuses[row] as number) - 1;
        storedByStatus[status] = (storedByStatus[status] ?? 0) + 1;
        if (row % LATENESS_SAMPLE === 0) this.#observeLateness(group.columns, row);
      }
    }
    for (const [index, status] of RESULT_STATUSES.entries())
      this.#options.metrics.results.inc({ status }, storedByStatus[index]);
    const stored = storedByStatus.reduce((a, b) => a + b, 0);
    submission.resolve({ stored, duplicates: indexes.length - stored - refused, rejections });
  }

  /** Observes how late a run began, without its location's stagger. */
  #observeLateness(columns: ResultColumns, row: number): void {
    const { state, metrics } = this.#options;
    const check = state.check(columns.checkKeys[row] as number);
    if (!check) return;
    const staggerMs = staggerOf(check, columns.locationKeys[row] as number);
    const delayMs = (columns.startDelaysMs[row] as number) - staggerMs;
    metrics.latenessSeconds.observe(Math.max(0, delayMs) / 1000);
  }

  #addPending(rows: number): void {
    this.#pendingRows += rows;
    this.#options.metrics.pendingResults.set(this.#pendingRows);
  }
}

/** Adds the batch's details and facts to the group, those of accepted rows that can be stored. */
function appendEvidence(
  group: PendingGroup,
  batch: IngestBatch,
  { start, indexes, rejections }: Pick<Submission, "start" | "indexes" | "rejections">,
): void {
  if (batch.details.length === 0 && batch.facts.length === 0) return;
  const rowOf = new Map(indexes.map((index, position) => [index, start + position]));
  for (const { index, json } of batch.details) {
    const row = rowOf.get(index);
    if (row === undefined) continue;
    const detail = parseDetail(json);
    if (detail.ok) group.details.push({ row, json: detail.json });
    else rejections.push({ index, reason: detail.reason });
    group.evidenceBytes += json.length;
  }
  for (const { index, kind, json } of batch.facts) {
    const row = rowOf.get(index);
    if (row === undefined) continue;
    const fact = parseFact(kind, json);
    if (fact.ok) group.facts.push({ row, kind, value: fact.value, json: fact.json });
    else rejections.push({ index, reason: fact.reason });
    group.evidenceBytes += json.length;
  }
}

function fail(group: PendingGroup, error: unknown): void {
  for (const submission of group.submissions) submission.reject(error);
}
