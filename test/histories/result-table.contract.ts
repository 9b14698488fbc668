/** What the spool relies on of its table. It holds for LMDB and for the model of histories, so that neither drifts. */
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import type { ResultTable } from "../../runner-agent/src/spool/result-table.ts";

/** A table, and the ways to wait for it and to lose its process. */
export interface TableStage {
  table: ResultTable;
  /** Resolves as the work does. */
  settle<T>(work: Promise<T>): Promise<T>;
  /** Ends the process without a close, and opens the table that it leaves. */
  reopen(): Promise<ResultTable>;
  close(): Promise<void>;
}

const bytesOf = (text: string) => Buffer.from(text);

/** Adds the tests of the contract. */
export function describeResultTable(name: string, open: () => Promise<TableStage>): void {
  describe(`the spool's table of ${name}`, () => {
    let stage: TableStage;
    beforeEach(async () => {
      stage = await open();
    });
    afterEach(() => stage.close());

    const write = (puts: [number, string][], deletes: number[] = []) =>
      stage.settle(
        stage.table.write(
          puts.map(([sequence, text]) => [sequence, bytesOf(text)]),
          deletes,
        ),
      );
    const read = (table: ResultTable, after = 0, limit = 100) =>
      Array.from(table.rowsAfter(after, limit), ({ sequence, bytes }) => [
        sequence,
        Buffer.from(bytes).toString(),
      ]);

    it("returns rows after a sequence, oldest first, as many as are asked for", async () => {
      await write([
        [3, "c"],
        [1, "a"],
        [2, "b"],
      ]);
      expect(read(stage.table)).toEqual([
        [1, "a"],
        [2, "b"],
        [3, "c"],
      ]);
      expect(read(stage.table, 1)).toEqual([
        [2, "b"],
        [3, "c"],
      ]);
      expect(read(stage.table, 0, 1)).toEqual([[1, "a"]]);
      expect(Array.from(stage.table.newestRows(2), ({ sequence }) => sequence)).toEqual([3, 2]);
    });

    it("puts and deletes in one write; what is gone may be deleted again", async () => {
      await write([
        [1, "a"],
        [2, "b"],
      ]);
      await write([[3, "c"]], [1, 9]);
      await write([], [1]);
      expect(read(stage.table)).toEqual([
        [2, "b"],
        [3, "c"],
      ]);
    });

    it("shows nothing of a write before it has resolved, and all of it after", async () => {
      const writing = stage.table.write([[1, bytesOf("a")]], []);
      expect(read(stage.table)).toEqual([]);
      await stage.settle(writing);
      expect(read(stage.table)).toEqual([[1, "a"]]);
    });

    it("keeps what was written when the process ends, and deletions too", async () => {
      await write([
        [1, "a"],
        [2, "b"],
      ]);
      await write([], [1]);
      expect(read(await stage.reopen())).toEqual([[2, "b"]]);
    });

    it("counts its rows, and whole pages that hold them", async () => {
      expect(stage.table.size().rows).toBe(0);
      await write([
        [1, "a".repeat(5_000)],
        [2, "b".repeat(5_000)],
      ]);
      expect(stage.table.size().rows).toBe(2);
      expect(stage.table.size().bytes).toBeGreaterThanOrEqual(10_000);
      expect(stage.table.size().bytes % 4_096).toBe(0);
    });

    it("is worth writing to while nothing has failed", () => {
      expect(stage.table.refusal()).toBeUndefined();
    });
  });
}
