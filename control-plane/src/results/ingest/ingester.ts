/**
 * Ingest of one replica. Batches from all streams and from REST are merged for a few milliseconds and written in one
 * transaction, two transactions at a time. A batch is answered only after its commit: while the database is away there
 * are no answers, and the senders keep their results.
 */

import { MINUTE_MS, RESULT_STATUSES, type TeamId } from "@svc/contract";
import type { Logger } from "pino";
import { staggerOf } from "../../fleet/fleet-check.ts";
import type { FleetState } from "../../fleet/fleet-state.ts";
import { beganWork } from "../../platform/loop-watch.ts";
import { sleepBy, systemTiming, type Timing } from "../../platform/timing.ts";
import { TokenBuckets } from "../../platform/token-buckets.ts";
import { retainedFrom } from "../retention/retain.ts";
import type { ResultColumns } from "./columns.ts";
import { EvidenceReader, type ReadEvidence } from "./evidence-reader.ts";
import { GroupWriter, type WrittenGroup } from "./group-writer.ts";
import type { IngestStore } from "./ingest-store.ts";
import type { IngestSource } from "./judge.ts";
import { judgeBatch, type RowRejection } from "./judge-batch.ts";
import type { IngestMetrics } from "./metrics.ts";
import {
  appendAccepted,
  fitsMore,
  hasAllRows,
  type IngestBatch,
  type IngestOutcome,
  newGroup,
  type PendingGroup,
  rejectGroup,
  type Submission,
} from "./pending-group.ts";
import type { Patience } from "./until-database-answers.ts";

/** Time that the first rows of a group wait for others. */
const LINGER_MS = 5;
/** Two, so that one group fills while the other commits. */
const TRANSACTIONS_AT_ONCE = 2;
/**
 * Looks at the database for rows that this replica does not know, which a team's runners may cause at once and in a
 * second.
 */
const LOOKS_BURST = 100;
const LOOKS_PER_SECOND = 10;
const REJECTIONS_LOG_INTERVAL_MS = MINUTE_MS;
/** One stored result of this many goes into the lateness histogram. */
const LATENESS_SAMPLE = 8;

/** The tables, the known fleet, and who learns of stored results. `nowMs` returns Unix ms. */
export interface IngesterOptions {
  store: IngestStore;
  log: Logger;
  state: FleetState;
  nowMs: () => number;
  retentionDays: number;
  metrics: IngestMetrics;
  /** Reads changes of the fleet from the database; rejects while it is away. */
  refreshFleet: () => Promise<void>;
  /**
   * Called after the commit of each group with its columns and which rows are new. Senders wait for it: it must be quick, and
   * may not throw.
   */
  onStored?: ((columns: ResultColumns, isInserted: (row: number) => boolean) => void) | undefined;
  /** Default: the process's own. */
  timing?: Timing | undefined;
}

/** Stands for the team of a check that was deleted after its result was accepted. */
const NO_TEAM = "" as TeamId;

/** Stores batches of results and resolves once they are committed; a batch waits while the database is away. */
export class Ingester {
  readonly #options: IngesterOptions;
  readonly #abort = new AbortController();
  readonly #patience: Patience;
  readonly #writer: GroupWriter;
  readonly #evidence = new EvidenceReader();
  readonly #looks: TokenBuckets;
  readonly #timing: Timing;
  readonly #groups: PendingGroup[] = [];
  #writing = 0;
  #pendingRows = 0;
  #cancelLinger: (() => void) | undefined;
  #unloggedRejections = 0;
  #logFromMs = 0;

  constructor(options: IngesterOptions) {
    const { log, metrics, timing = systemTiming } = options;
    this.#options = options;
    this.#timing = timing;
    this.#looks = new TokenBuckets({
      burst: LOOKS_BURST,
      perSecond: LOOKS_PER_SECOND,
      clockMs: timing.monotonicMs,
    });
    this.#patience = { log, metrics, signal: this.#abort.signal, timing };
    this.#writer = new GroupWriter(options.store, this.#patience);
  }

  /**
   * Stores the results that can be stored. Resolves after the commit, however long the database is away, and rejects
   * when the ingester is closed before that: then nothing may be acknowledged. Results that were stored before are
   * harmless.
   */
  async submit(batch: IngestBatch, source: IngestSource): Promise<IngestOutcome> {
    const { store, metrics } = this.#options;
    const { accepted, rejections } = await judgeBatch(batch.columns, source, {
      store,
      patience: this.#patience,
      context: () => this.#judgeContext(),
      refreshFleet: () => this.#look(source),
    });
    const outcome =
      accepted.length > 0
        ? await this.#store(batch, accepted, rejections)
        : { stored: 0, duplicates: 0, rejections };
    metrics.batches.inc();
    metrics.duplicates.inc(outcome.duplicates);
    metrics.rejections.inc(rejections.length);
    if (rejections.length > 0) this.#logRejected(rejections, source);
    return outcome;
  }

  /** Writes pending results for at most `timeoutMs`, then gives up on the rest. */
  async close(timeoutMs: number): Promise<void> {
    const { monotonicMs } = this.#timing;
    const deadline = monotonicMs() + timeoutMs;
    while (this.#pendingRows > 0 && monotonicMs() < deadline) await sleepBy(this.#timing, 10);
    this.#abort.abort(new Error("the control plane is shutting down"));
    this.#cancelLinger?.();
    for (const group of this.#groups.splice(0)) rejectGroup(group, this.#abort.signal.reason);
    await this.#evidence.close();
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

  /** Reads the fleet anew. A team whose runners send ever more unknown rows waits for that; the hosted fleet does not. */
  async #look({ locationKeys }: IngestSource): Promise<void> {
    const { state, refreshFleet } = this.#options;
    const [locationKey] = locationKeys ?? [];
    const teamId = locationKey === undefined ? undefined : state.location(locationKey)?.teamId;
    const waitMs = teamId ? this.#looks.spend(teamId, 1) : 0;
    if (waitMs > 0) await sleepBy(this.#timing, waitMs, this.#abort.signal);
    await refreshFleet();
  }

  #judgeContext() {
    const { state, nowMs, retentionDays } = this.#options;
    const now = nowMs();
    return { state, nowMs: now, retainedFromMs: retainedFrom(now, retentionDays) };
  }

  /** Reads the evidence of the accepted rows and stores all of it with them. */
  async #store(
    batch: IngestBatch,
    accepted: readonly number[],
    rejections: RowRejection[],
  ): Promise<IngestOutcome> {
    if (batch.details.length === 0 && batch.facts.length === 0)
      return this.#enqueue(batch, accepted, { rejections });
    const { state } = this.#options;
    const isAccepted = new Set(accepted);
    const evidence = await this.#evidence.read(batch, (index) =>
      isAccepted.has(index)
        ? (state.check(batch.columns.checkKeys[index] as number)?.teamId ?? NO_TEAM)
        : undefined,
    );
    rejections.push(...evidence.refused);
    return this.#enqueue(batch, accepted, { rejections, evidence });
  }

  #enqueue(
    batch: IngestBatch,
    accepted: readonly number[],
    { rejections, evidence }: { rejections: RowRejection[]; evidence?: ReadEvidence },
  ): Promise<IngestOutcome> {
    const group = this.#openGroup();
    const { start, indexes } = appendAccepted(group, { columns: batch.columns, accepted, evidence });
    this.#addPending(accepted.length);
    const outcome = new Promise<IngestOutcome>((resolve, reject) => {
      group.submissions.push({ start, indexes, rejections, resolve, reject });
    });
    this.#pump("full");
    return outcome;
  }

  #openGroup(): PendingGroup {
    const last = this.#groups.at(-1);
    if (last && fitsMore(last)) return last;
    const group = newGroup();
    this.#groups.push(group);
    return group;
  }

  /**
   * Starts to write groups while a transaction is free.
   * @param of `full`: a group that isn't full waits a while for more rows; `any`: the oldest group has waited long enough
   */
  #pump(of: "full" | "any"): void {
    while (this.#writing < TRANSACTIONS_AT_ONCE && this.#groups.length > 0) {
      const first = this.#groups[0] as PendingGroup;
      const isFull = this.#groups.length > 1 || hasAllRows(first);
      if (!isFull && of === "full") {
        this.#cancelLinger ??= this.#timing.setTimer(() => {
          this.#cancelLinger = undefined;
          this.#pump("any");
        }, LINGER_MS);
        return;
      }
      this.#groups.shift();
      this.#writing++;
      void this.#write(first).finally(() => {
        this.#writing--;
        this.#pump("any");
      });
    }
  }

  async #write(group: PendingGroup): Promise<void> {
    beganWork("ingest of results");
    try {
      const written = await this.#writer.write(group);
      this.#options.onStored?.(group.columns, written.isInserted);
      for (const submission of group.submissions) this.#settle(submission, group, written);
    } catch (error) {
      rejectGroup(group, error);
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
