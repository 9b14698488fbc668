/**
 * Keeps the results: what a run measured goes to the spool, with the facts that changed. A fact whose result was dropped or
 * refused was not delivered, so the next run reports it again.
 */
import { performance } from "node:perf_hooks";
import type { RunResult } from "@svc/probes";
import type { Logger } from "pino";
import { setTimer } from "../base/timer.ts";
import type { SpoolDatabase } from "../disk/database.ts";
import type { Metrics } from "../health/metrics.ts";
import { recordOf } from "../model/result-record.ts";
import type { RejectedResult } from "../session/result-sender.ts";
import type { DueSlot } from "../slots/slot-schedule.ts";
import { FactFilter } from "../spool/fact-filter.ts";
import { lmdbResultTable } from "../spool/result-table.ts";
import { Spool } from "../spool/spool.ts";

export interface ResultKeeperParts {
  log: Logger;
  metrics: Metrics;
  database: SpoolDatabase;
  /** Largest size of the results on disk. */
  spoolBytesMax: number;
  /** About so many more results can be sent now. */
  onReadable: (count: number) => void;
}

export class ResultKeeper {
  readonly spool: Spool;
  readonly #parts: ResultKeeperParts;
  readonly #facts = new FactFilter();
  #haveFactsBeenDropped = false;
  #spoolError: string | undefined;

  constructor(parts: ResultKeeperParts) {
    this.#parts = parts;
    this.spool = new Spool({
      table: lmdbResultTable(parts.database),
      bytesMax: parts.spoolBytesMax,
      setTimer,
      onReadable: parts.onReadable,
      onDropped: (count) => this.#takeDropped(count),
      onHealth: (error) => this.#takeHealth(error),
    });
  }

  /** Why results can't be written to the disk, while that is so. */
  get trouble(): string | undefined {
    return this.#spoolError;
  }

  take({ check: { checkKey }, locationKey, slotMs }: DueSlot, result: RunResult): void {
    const facts = this.#facts.takeChanged(checkKey, locationKey, result.facts, performance.now());
    this.spool.append(recordOf({ checkKey, locationKey, slotMs }, result, facts));
    this.#parts.metrics.runEnded(result.status);
  }

  /** Other runners report for these from now on: should they come back, their facts are told anew. */
  takeUnassignments(places: readonly { checkKey: number; locationKey: number }[]): void {
    for (const { checkKey, locationKey } of places) this.#facts.forgetPlace(checkKey, locationKey);
  }

  /** The control plane refused a result for good. */
  takeRejected({ record, reason }: RejectedResult): void {
    const { checkKey, slotMs } = record;
    this.#parts.metrics.resultRejected();
    this.#facts.forget(record);
    this.#parts.log.warn({ checkKey, slotMs }, `a result was not stored: ${reason}`);
  }

  /** A session began: what was dropped in its absence is not known, so every fact is told again. */
  sessionBegan(): void {
    if (this.#haveFactsBeenDropped) this.#facts.clear();
    this.#haveFactsBeenDropped = false;
  }

  #takeDropped(count: number): void {
    this.#parts.metrics.resultsDropped(count);
    this.#haveFactsBeenDropped = true;
    this.#parts.log.error({ count }, "the spool is full: the oldest results were dropped");
  }

  #takeHealth(error: string | undefined): void {
    this.#spoolError = error;
    if (error === undefined) this.#parts.log.info("the spool can be written again");
    else this.#parts.log.error(`${error}; results are kept in memory and sent from there`);
  }
}
