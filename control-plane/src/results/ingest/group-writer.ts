/**
 * Writes a group of results whatever happens. While the database is away, the write is tried again. When the database
 * refuses a value, the group is halved until the one bad row is found, which costs only itself. A group that runs into
 * the time limit of a statement is halved too.
 */
import { isDataError, isMissingPartition, isStatementTimeout } from "../../platform/db/errors.ts";
import { bucketOf, hourOf } from "../rollups/buckets.ts";
import { selectRows } from "./columns.ts";
import type { IngestStore } from "./ingest-store.ts";
import { type Patience, untilDatabaseAnswers } from "./until-database-answers.ts";
import type { ResultGroup } from "./write-group.ts";

/** The fate of a group's rows. */
export interface WrittenGroup {
  /** True when the row is new; false when its result was stored before. */
  isInserted: (row: number) => boolean;
  /** The reasons why rows can't be stored, by row. */
  refused: Map<number, string>;
}

/** Writes groups, one transaction each unless a group must be halved. */
export class GroupWriter {
  readonly #store: IngestStore;
  readonly #patience: Patience;

  constructor(store: IngestStore, patience: Patience) {
    this.#store = store;
    this.#patience = patience;
  }

  /** Resolves after the commit. Rejects when the patience ends. */
  async write(group: ResultGroup): Promise<WrittenGroup> {
    const count = group.columns.checkKeys.length;
    const isTooSlow = (error: unknown) => count > 1 && isStatementTimeout(error);
    try {
      return await untilDatabaseAnswers(() => this.#writeOnce(group), this.#patience, isTooSlow);
    } catch (error) {
      if (isTooSlow(error))
        this.#patience.log.warn({ results: count }, "results take too long to store at once; storing halves");
      else if (!isDataError(error)) throw error;
      if (count > 1) return this.#writeHalves(group, count >> 1);
      this.#patience.log.error({ err: error }, "the database refuses a result");
      return { isInserted: () => false, refused: new Map([[0, "the database refuses a value of it"]]) };
    }
  }

  async #writeHalves(group: ResultGroup, middle: number): Promise<WrittenGroup> {
    const first = await this.write(sliceGroup(group, 0, middle));
    const second = await this.write(sliceGroup(group, middle, group.columns.checkKeys.length));
    const refused = new Map(first.refused);
    for (const [row, reason] of second.refused) refused.set(row + middle, reason);
    return {
      isInserted: (row) => (row < middle ? first.isInserted(row) : second.isInserted(row - middle)),
      refused,
    };
  }

  async #writeOnce(group: ResultGroup): Promise<WrittenGroup> {
    const { metrics } = this.#patience;
    const hours = new Set<number>();
    const buckets = new Set<number>();
    for (const slotMs of group.columns.slotsMs) {
      buckets.add(bucketOf(slotMs));
      hours.add(hourOf(slotMs));
    }
    await this.#store.ensureHours(hours);
    const stopTimer = metrics.commitSeconds.startTimer();
    try {
      const inserted = await this.#store.writeGroup(group, [...buckets]);
      stopTimer();
      metrics.transactions.inc();
      return { isInserted: inserted === "all" ? () => true : (row) => inserted.has(row), refused: new Map() };
    } catch (error) {
      if (isMissingPartition(error)) this.#store.forgetHours();
      throw error;
    }
  }
}

/** Returns the rows from `from` to before `to` as a group of their own. */
function sliceGroup(group: ResultGroup, from: number, to: number): ResultGroup {
  const indexes = Array.from({ length: to - from }, (_, i) => from + i);
  const within = <T extends { row: number }>(rows: readonly T[]) =>
    rows.filter(({ row }) => row >= from && row < to).map((entry) => ({ ...entry, row: entry.row - from }));
  return {
    columns: selectRows(group.columns, indexes),
    details: within(group.details),
    facts: within(group.facts),
  };
}
