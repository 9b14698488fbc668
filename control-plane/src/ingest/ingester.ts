/**
 * Ingest of one replica: batches from all streams and from REST, merged for a few milliseconds and written in one
 * transaction. A batch is answered only after the commit. While the database is away groups are tried again and nothing
 * is answered; the senders keep their spool. Values that the database refuses cost their own row only: a refused group
 * is halved until the row is found.
 */
import { setTimeout as sleep } from "node:timers/promises";
import { RESULT_STATUSES } from "@svc/contract";
import type { Knex } from "knex";
import type { Logger } from "pino";
import { dayOf, KnownPartitions } from "../retention/partitions.ts";
import { bucketOf } from "../rollups/buckets.ts";
import type { FleetState } from "../scheduling/fleet-state.ts";
import { appendRows, emptyColumns, type ResultColumns } from "./columns.ts";
import { isDataError, isMissingPartition } from "./database-errors.ts";
import { parseDetail, parseTlsFacts } from "./evidence.ts";
import { type IngestSource, type JudgeContext, judgeRow, type Verdict } from "./judge.ts";
import type { IngestMetrics } from "./metrics.ts";
import { findManualRuns } from "./store.ts";
import { type ResultGroup, writeGroup } from "./write-group.ts";

/** Rows in one transaction, and how long the first of them waits for company. */
const GROUP_ROWS_MAX = 5_000;
const GROUP_EVIDENCE_BYTES_MAX = 16 * 1024 * 1024;
const LINGER_MS = 5;
/** Two, so that one fills while the other commits. */
const TRANSACTIONS_AT_ONCE = 2;
/** One stored result in so many is looked at for the lateness histogram. */
const LATENESS_SAMPLE = 8;
const RETRY_MS_MIN = 100;
const RETRY_MS_MAX = 3_000;

/** Results of one sender. */
export interface IngestBatch {
  columns: ResultColumns;
  details: readonly { index: number; json: string }[];
  facts: readonly { index: number; kind: string; json: string }[];
}

export interface RowRejection {
  index: number;
  reason: string;
}

/** What became of a batch. A row whose evidence was refused is stored and has a rejection too. */
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
  /** Looks at the database for changes of the fleet; rejects while it is away. */
  refreshFleet: () => Promise<void>;
}

interface Submission {
  /** Where its rows lie in the group. */
  start: number;
  /** Index in its batch of each row in the group. */
  indexes: number[];
  rejections: RowRejection[];
  resolve: (outcome: IngestOutcome) => void;
  reject: (error: unknown) => void;
}

interface PendingGroup extends ResultGroup {
  submissions: Submission[];
  evidenceBytes: number;
}

export class Ingester {
  readonly #options: IngesterOptions;
  readonly #partitions: KnownPartitions;
  readonly #abort = new AbortController();
  #groups: PendingGroup[] = [];
  #writing = 0;
  #pendingRows = 0;
  #lingerTimer: NodeJS.Timeout | undefined;

  constructor(options: IngesterOptions) {
    this.#options = options;
    this.#partitions = new KnownPartitions(options.knex);
  }

  /** Results received and not committed yet. */
  get pendingRows(): number {
    return this.#pendingRows;
  }

  /** The partitions were changed by someone else. */
  forgetPartitions(): void {
    this.#partitions.forget();
  }

  /**
   * Stores what can be stored. Resolves after the commit, however long the database is away.
   * @throws Error when the ingester is closed before that; nothing may be acknowledged then
   */
  async submit(batch: IngestBatch, source: IngestSource): Promise<IngestOutcome> {
    const rejections: RowRejection[] = [];
    const accepted = await this.#judge(batch.columns, source, rejections);
    const outcome = accepted.length > 0 ? await this.#enqueue(batch, accepted, rejections) : undefined;
    this.#count(batch, outcome, rejections);
    return outcome ?? { stored: 0, duplicates: 0, rejections };
  }

  /** Writes what is pending for at most `timeoutMs`, then gives up on the rest. */
  async close(timeoutMs: number): Promise<void> {
    const deadline = performance.now() + timeoutMs;
    while (this.#pendingRows > 0 && performance.now() < deadline) await sleep(10);
    this.#abort.abort(new Error("the control plane is shutting down"));
    clearTimeout(this.#lingerTimer);
    for (const group of this.#groups.splice(0)) this.#fail(group, this.#abort.signal.reason);
  }

  /** Indexes of the rows to store. Looks at the database again before it rejects what may only be news to this replica. */
  async #judge(columns: ResultColumns, source: IngestSource, rejections: RowRejection[]): Promise<number[]> {
    const accepted: number[] = [];
    const unsure: number[] = [];
    const context = this.#judgeContext();
    for (let i = 0; i < columns.checkKeys.length; i++) {
      const verdict = judgeRow(columns, i, source, context);
      if (verdict.kind === "accepted") accepted.push(i);
      else if (verdict.kind === "unsure") unsure.push(i);
      else rejections.push({ index: i, reason: verdict.reason });
    }
    if (unsure.length === 0) return accepted;
    for (const { index, verdict } of await this.#judgeAgain(columns, unsure, source)) {
      if (verdict.kind === "accepted") accepted.push(index);
      else rejections.push({ index, reason: verdict.reason });
    }
    return accepted;
  }

  async #judgeAgain(
    columns: ResultColumns,
    indexes: readonly number[],
    source: IngestSource,
  ): Promise<{ index: number; verdict: Verdict }[]> {
    await this.#untilDatabaseAnswers(() => this.#options.refreshFleet());
    const context = this.#judgeContext();
    const verdicts = indexes.map((index) => ({ index, verdict: judgeRow(columns, index, source, context) }));
    const rows = verdicts
      .filter(({ verdict }) => verdict.kind === "unsure" && verdict.about !== "check")
      .map((entry) => ({
        entry,
        checkKey: columns.checkKeys[entry.index] as number,
        locationKey: columns.locationKeys[entry.index] as number,
        slotMs: columns.slotsMs[entry.index] as number,
      }));
    if (rows.length === 0) return verdicts;
    const manual = await this.#untilDatabaseAnswers(() => findManualRuns(this.#options.knex, rows));
    for (const [i, row] of rows.entries()) if (manual.has(i)) row.entry.verdict = { kind: "accepted" };
    return verdicts;
  }

  #judgeContext(): JudgeContext {
    const { state, nowMs, retentionDays } = this.#options;
    const now = nowMs();
    return { state, nowMs: now, retainedFromMs: dayOf(now) - retentionDays * 86_400_000 };
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
    this.#appendEvidence(group, batch, start, accepted, rejections);
    this.#pendingRows += accepted.length;
    this.#options.metrics.pendingResults.set(this.#pendingRows);
    const outcome = new Promise<IngestOutcome>((resolve, reject) => {
      group.submissions.push({ start, indexes: [...accepted], rejections, resolve, reject });
    });
    this.#pump();
    return outcome;
  }

  #openGroup(): PendingGroup {
    const last = this.#groups.at(-1);
    const hasRoom =
      last && last.columns.checkKeys.length < GROUP_ROWS_MAX && last.evidenceBytes < GROUP_EVIDENCE_BYTES_MAX;
    if (hasRoom) return last;
    const group = { columns: emptyColumns(), details: [], tlsFacts: [], submissions: [], evidenceBytes: 0 };
    this.#groups.push(group);
    return group;
  }

  #appendEvidence(
    group: PendingGroup,
    batch: IngestBatch,
    start: number,
    accepted: readonly number[],
    rejections: RowRejection[],
  ): void {
    if (batch.details.length === 0 && batch.facts.length === 0) return;
    const rowOf = new Map(accepted.map((index, position) => [index, start + position]));
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
      const facts = kind === "tls" ? parseTlsFacts(json) : undefined;
      if (facts?.ok) group.tlsFacts.push({ row, json: facts.json });
      else
        rejections.push({
          index,
          reason: facts?.reason ?? `fact not stored: unknown kind ${JSON.stringify(kind.slice(0, 64))}`,
        });
      group.evidenceBytes += json.length;
    }
  }

  /** Starts writing what is ready: a full group at once, another when it has waited its moment. */
  #pump(lingered = false): void {
    while (this.#writing < TRANSACTIONS_AT_ONCE && this.#groups.length > 0) {
      const first = this.#groups[0] as PendingGroup;
      const isFull = this.#groups.length > 1 || first.columns.checkKeys.length >= GROUP_ROWS_MAX;
      if (!isFull && !lingered) {
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
    const count = group.columns.checkKeys.length;
    try {
      const written = await this.#writeResolutely(group);
      for (const submission of group.submissions) this.#settle(submission, group, written);
    } catch (error) {
      this.#fail(group, error);
    } finally {
      this.#pendingRows -= count;
      this.#options.metrics.pendingResults.set(this.#pendingRows);
    }
  }

  /** Writes the group, halving it when a value is refused. */
  async #writeResolutely(group: ResultGroup): Promise<Written> {
    const count = group.columns.checkKeys.length;
    try {
      return await this.#untilDatabaseAnswers(() => this.#writeOnce(group));
    } catch (error) {
      if (!isDataError(error)) throw error;
      if (count === 1) {
        this.#options.log.error({ err: error }, "the database refuses a result");
        return { isInserted: () => false, refused: new Map([[0, "the database refuses a value of it"]]) };
      }
      const middle = count >> 1;
      const first = await this.#writeResolutely(sliceGroup(group, 0, middle));
      const second = await this.#writeResolutely(sliceGroup(group, middle, count));
      const shifted = [...second.refused].map(([row, reason]): [number, string] => [row + middle, reason]);
      return {
        isInserted: (row) => (row < middle ? first.isInserted(row) : second.isInserted(row - middle)),
        refused: new Map([...first.refused, ...shifted]),
      };
    }
  }

  async #writeOnce(group: ResultGroup): Promise<Written> {
    const { knex, metrics } = this.#options;
    const days = new Set<number>();
    const buckets = new Set<number>();
    for (const slotMs of group.columns.slotsMs) {
      buckets.add(bucketOf(slotMs));
      days.add(dayOf(slotMs));
    }
    await this.#partitions.ensure(days);
    const stopTimer = metrics.commitSeconds.startTimer();
    try {
      const inserted = await writeGroup(knex, group, [...buckets]);
      stopTimer();
      metrics.transactions.inc();
      return { isInserted: inserted === "all" ? () => true : (row) => inserted.has(row), refused: new Map() };
    } catch (error) {
      if (isMissingPartition(error)) this.#partitions.forget();
      throw error;
    }
  }

  /** Repeats `action` with backoff until it succeeds or fails for its own values. Rejects when the ingester closes. */
  async #untilDatabaseAnswers<T>(action: () => Promise<T>): Promise<T> {
    let hasMissedPartition = false;
    for (let waitMs = RETRY_MS_MIN; ; waitMs = Math.min(2 * waitMs, RETRY_MS_MAX)) {
      try {
        return await action();
      } catch (error) {
        const mayRetry = !isDataError(error) || (isMissingPartition(error) && !hasMissedPartition);
        if (!mayRetry) throw error;
        hasMissedPartition = isMissingPartition(error);
        if (waitMs === RETRY_MS_MIN && !hasMissedPartition)
          this.#options.log.warn({ err: error }, "results can't be stored now; trying again");
        this.#options.metrics.retries.inc();
        await sleep(waitMs, undefined, { signal: this.#abort.signal });
      }
    }
  }

  #settle(submission: Submission, group: PendingGroup, written: Written): void {
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

  /** How late the run began, the location's stagger taken off. */
  #observeLateness(columns: ResultColumns, row: number): void {
    const { state, metrics } = this.#options;
    const check = state.check(columns.checkKeys[row] as number);
    if (!check) return;
    const delayMs =
      (columns.startDelaysMs[row] as number) - state.staggerOf(check, columns.locationKeys[row] as number);
    metrics.latenessSeconds.observe(Math.max(0, delayMs) / 1000);
  }

  #fail(group: PendingGroup, error: unknown): void {
    for (const submission of group.submissions) submission.reject(error);
  }

  #count(batch: IngestBatch, outcome: IngestOutcome | undefined, rejections: readonly RowRejection[]): void {
    const { metrics, log } = this.#options;
    metrics.batches.inc();
    metrics.duplicates.inc(outcome?.duplicates ?? 0);
    metrics.rejections.inc(rejections.length);
    if (rejections.length > 0)
      log.warn(
        { rejected: rejections.length, of: batch.columns.checkKeys.length, first: rejections[0] },
        "results rejected",
      );
  }
}

/** What became of a group's rows. */
interface Written {
  isInserted: (row: number) => boolean;
  /** Why, by row. */
  refused: Map<number, string>;
}

/** Rows `from` to before `to`, as a group of their own. */
function sliceGroup(group: ResultGroup, from: number, to: number): ResultGroup {
  const columns = emptyColumns();
  const indexes = Array.from({ length: to - from }, (_, i) => from + i);
  appendRows(columns, group.columns, indexes);
  const within = <T extends { row: number }>(rows: readonly T[]) =>
    rows.filter(({ row }) => row >= from && row < to).map((entry) => ({ ...entry, row: entry.row - from }));
  return { columns, details: within(group.details), tlsFacts: within(group.tlsFacts) };
}
