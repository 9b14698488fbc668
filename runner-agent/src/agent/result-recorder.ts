/**
 * Records results: the measured values of a run go to the spool, with the facts that changed. A fact whose result was
 * dropped or refused was not delivered, so that the next run reports it again.
 */
import type { RunResult } from "@svc/probes";
import type { Logger } from "pino";
import type { setTimer } from "../base/timer.ts";
import type { Metrics } from "../health/metrics.ts";
import type { CheckLocation } from "../model/assignment.ts";
import { recordOf } from "../model/result-record.ts";
import type { RejectedResult } from "../session/result-sender.ts";
import type { DueSlot } from "../slots/slot-schedule.ts";
import { FactFilter } from "../spool/fact-filter.ts";
import type { ResultTable } from "../spool/result-table.ts";
import { Spool } from "../spool/spool.ts";

/** The storage and the size of the spool, and the callback for new results. */
export interface ResultRecorderParts {
  log: Logger;
  metrics: Pick<Metrics, "runEnded" | "resultRejected" | "resultsDropped">;
  table: ResultTable;
  /** Largest size of the results on disk. */
  spoolBytesMax: number;
  /** Monotonic clock, ms. */
  monotonicMs: () => number;
  setTimer: typeof setTimer;
  /** Called when about `count` more results can be sent. */
  onReadable: (count: number) => void;
}

/** Records the results of runs in the spool. */
export class ResultRecorder {
  readonly spool: Spool;
  readonly #parts: ResultRecorderParts;
  readonly #facts = new FactFilter();
  #hasDroppedResults = false;
  #spoolError: string | undefined;

  constructor(parts: ResultRecorderParts) {
    this.#parts = parts;
    this.spool = new Spool({
      table: parts.table,
      bytesMax: parts.spoolBytesMax,
      setTimer: parts.setTimer,
      onReadable: parts.onReadable,
      onDropped: (count) => this.#handleDropped(count),
      onHealth: (error) => this.#handleHealth(error),
    });
  }

  /** The reason why results can't be written to the disk; undefined while they can. */
  get trouble(): string | undefined {
    return this.#spoolError;
  }

  /** Records the result of a run. */
  record({ check: { checkKey }, locationKey, slotMs }: DueSlot, result: RunResult): void {
    const facts = this.#facts.selectChanged(
      { checkKey, locationKey },
      result.facts,
      this.#parts.monotonicMs(),
    );
    this.spool.append(recordOf({ checkKey, locationKey, slotMs }, result, facts));
    this.#parts.metrics.runEnded(result.status);
  }

  /** Forgets the facts of check locations that other runners report for from now on. */
  forget(checkLocations: readonly CheckLocation[]): void {
    for (const checkLocation of checkLocations) this.#facts.forgetCheckLocation(checkLocation);
  }

  /** Counts and logs a result that the control plane refused for good. */
  handleRejected({ record, reason }: RejectedResult): void {
    const { checkKey, slotMs } = record;
    this.#parts.metrics.resultRejected();
    this.#facts.forget(record);
    this.#parts.log.warn({ checkKey, slotMs }, `a result was not stored: ${reason}`);
  }

  /** Begins a session. After results were dropped it is unknown which facts arrived, so every fact is reported again. */
  sessionBegan(): void {
    if (this.#hasDroppedResults) this.#facts.clear();
    this.#hasDroppedResults = false;
  }

  #handleDropped(count: number): void {
    this.#parts.metrics.resultsDropped(count);
    this.#hasDroppedResults = true;
    this.#parts.log.error({ count }, "the spool is full: the oldest results were dropped");
  }

  #handleHealth(error: string | undefined): void {
    this.#spoolError = error;
    if (error === undefined) this.#parts.log.info("the spool can be written again");
    else this.#parts.log.error(`${error}; results are kept in memory and sent from there`);
  }
}
