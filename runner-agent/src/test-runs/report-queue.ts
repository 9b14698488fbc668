/**
 * Reports about test runs, in memory, until the control plane has acknowledged them: sent, sent again after a time without
 * an answer or after a broken connection, and given up once their test run has expired. What is kept is bounded by number and
 * size, the oldest go first. Where the control plane acknowledges nothing, as older ones do, each is sent once.
 */
import { MINUTE_MS, SECOND_MS } from "@svc/contract";
import { setTimer as startTimer } from "../base/timer.ts";
import type { NumberedReport, TestRunReport } from "../model/test-run-report.ts";

/** Most reports that are kept, and most bytes of what they carry. */
const KEPT_MAX = 100;
const KEPT_BYTES_MAX = 16 * 1024 * 1024;
/** Time for which a test run can be read: nobody asks for a report after it. */
const KEPT_MS = 15 * MINUTE_MS;
/** Wait for an acknowledgement: the first, which doubles with each attempt, and the longest. */
const ANSWER_WAIT_MS = { first: 5 * SECOND_MS, max: MINUTE_MS };

interface KeptReport extends NumberedReport {
  bytes: number;
  expiresMs: number;
  /** Instant from which it is sent again; undefined: it has not been sent over this connection. */
  againMs: number | undefined;
  waitMs: number;
}

/** The reports of an agent that are not acknowledged. */
export class ReportQueue {
  readonly #nowMs: () => number;
  readonly #onReport: () => void;
  readonly #setTimer: typeof startTimer;
  #kept: KeptReport[] = [];
  #lastSeq = 0;
  /** True when the control plane of the present session acknowledges reports. */
  #isAcknowledged = false;
  #cancelTimer: (() => void) | undefined;

  /**
   * @param nowMs a monotonic clock, ms
   * @param onReport called when there are reports to send
   */
  constructor(nowMs: () => number, onReport: () => void, setTimer = startTimer) {
    this.#nowMs = nowMs;
    this.#onReport = onReport;
    this.#setTimer = setTimer;
  }

  /** Adds a report. One that a test run has begun is not kept beside one that says how it ended. */
  add(report: TestRunReport): void {
    const { testRunId, locationKey, said } = report;
    if (said.kind !== "started")
      this.#kept = this.#kept.filter(
        (one) =>
          one.said.kind !== "started" || one.testRunId !== testRunId || one.locationKey !== locationKey,
      );
    this.#kept.push({
      ...report,
      seq: ++this.#lastSeq,
      bytes: bytesOf(said),
      expiresMs: this.#nowMs() + KEPT_MS,
      againMs: undefined,
      waitMs: ANSWER_WAIT_MS.first,
    });
    let bytes = this.#kept.reduce((sum, one) => sum + one.bytes, 0);
    while (this.#kept.length > KEPT_MAX || (bytes > KEPT_BYTES_MAX && this.#kept.length > 1))
      bytes -= this.#kept.shift()?.bytes ?? 0;
    this.#onReport();
  }

  /** Begins a session: whatever an earlier one left without an answer is to be sent again. */
  sessionBegan({ isAcknowledged }: { isAcknowledged: boolean }): void {
    this.#isAcknowledged = isAcknowledged;
    for (const report of this.#kept) Object.assign(report, { againMs: undefined });
  }

  /** True when nothing waits for an acknowledgement. */
  get isEmpty(): boolean {
    return this.#kept.length === 0;
  }

  /** Returns the reports that are to be sent now, oldest first. */
  claimDue(): NumberedReport[] {
    const nowMs = this.#nowMs();
    this.#kept = this.#kept.filter(({ expiresMs }) => expiresMs > nowMs);
    const due = this.#kept.filter(({ againMs = 0 }) => againMs <= nowMs);
    if (!this.#isAcknowledged) {
      this.#kept = [];
      return due.map(({ testRunId, locationKey, said }) => ({ testRunId, locationKey, said, seq: 0 }));
    }
    for (const report of due) {
      report.againMs = nowMs + report.waitMs;
      report.waitMs = Math.min(ANSWER_WAIT_MS.max, 2 * report.waitMs);
    }
    this.#awaitAnswers();
    return due.map(({ testRunId, locationKey, said, seq }) => ({ testRunId, locationKey, said, seq }));
  }

  /** Forgets a report that the control plane has stored. Doing it twice does nothing. */
  acknowledge(seq: number): void {
    this.#kept = this.#kept.filter((one) => one.seq !== seq);
    this.#awaitAnswers();
  }

  /** Ends the wait for answers. */
  close(): void {
    this.#cancelTimer?.();
    this.#kept = [];
  }

  #awaitAnswers(): void {
    this.#cancelTimer?.();
    this.#cancelTimer = undefined;
    const againMs = Math.min(...this.#kept.map((one) => one.againMs ?? Number.POSITIVE_INFINITY));
    if (!Number.isFinite(againMs)) return;
    const delayMs = Math.max(0, againMs - this.#nowMs());
    this.#cancelTimer = this.#setTimer(() => this.#onReport(), delayMs);
  }
}

function bytesOf(said: TestRunReport["said"]): number {
  if (said.kind !== "result") return 0;
  return said.pictures.reduce((sum, { jpeg }) => sum + jpeg.length, said.record.detailJson.length);
}
