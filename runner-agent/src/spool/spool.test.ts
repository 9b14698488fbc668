import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { aRecord } from "../../test-support/builders.ts";
import { FakeTime, settle } from "../../test-support/fake-time.ts";
import { openDatabase, type SpoolDatabase } from "../disk/database.ts";
import { lmdbResultTable, type ResultTable } from "./result-table.ts";
import { Spool } from "./spool.ts";

const T0 = 1_800_000_000_000;
const MIB = 1024 * 1024;

function aSpool(table: ResultTable, bytesMax = 100 * MIB) {
  const time = new FakeTime(T0);
  const reports = { readable: 0, dropped: 0, health: [] as (string | undefined)[] };
  const spool = new Spool({
    table,
    bytesMax,
    setTimer: time.setTimer,
    onReadable: (count) => {
      reports.readable += count;
    },
    onDropped: (count) => {
      reports.dropped += count;
    },
    onHealth: (error) => reports.health.push(error),
  });
  const slotsAfter = (sequence: number) =>
    spool.read(sequence, 1000, 100 * MIB).map(({ record }) => record.slotMs);
  return { time, reports, spool, slotsAfter };
}

describe("the spool on disk", () => {
  let folder: string;
  let database: SpoolDatabase;
  const open = () =>
    openDatabase(folder, Date.now, () => {
      throw new Error("moved aside");
    });

  beforeEach(() => {
    folder = mkdtempSync(join(tmpdir(), "svc-spool-"));
    database = open();
  });
  afterEach(async () => {
    await database.root.close();
    rmSync(folder, { recursive: true });
  });

  it("shows results once they are committed, in order", async () => {
    const { spool, slotsAfter, reports } = aSpool(lmdbResultTable(database));
    for (let slot = 1; slot <= 3; slot++) spool.append(aRecord({ slotMs: slot }));
    expect(slotsAfter(0)).toEqual([]);
    await spool.flush();
    expect(reports.readable).toBe(3);
    expect(slotsAfter(0)).toEqual([1, 2, 3]);
    expect(slotsAfter(2)).toEqual([3]);
  });

  it("commits by itself a few milliseconds after an append", async () => {
    const { spool, time, reports } = aSpool(lmdbResultTable(database));
    spool.append(aRecord());
    await time.advance(50);
    while (reports.readable === 0) await settle();
    expect(spool.stats().results).toBe(1);
  });

  it("deletes removed results, and ignores those that are gone", async () => {
    const { spool, slotsAfter } = aSpool(lmdbResultTable(database));
    for (let slot = 1; slot <= 4; slot++) spool.append(aRecord({ slotMs: slot }));
    await spool.flush();
    spool.remove([1, 3, 99]);
    await spool.flush();
    expect(slotsAfter(0)).toEqual([2, 4]);
  });

  it("holds its results after it is opened again, and goes on with their numbers", async () => {
    const first = aSpool(lmdbResultTable(database));
    for (let slot = 1; slot <= 3; slot++) first.spool.append(aRecord({ slotMs: slot }));
    first.spool.remove([1]);
    await first.spool.close();
    await database.root.close();
    database = open();
    const second = aSpool(lmdbResultTable(database));
    expect(second.spool.stats().results).toBe(2);
    expect(second.spool.newestSlots(10).map(({ slotMs }) => slotMs)).toEqual([3, 2]);
    second.spool.append(aRecord({ slotMs: 4 }));
    await second.spool.flush();
    expect(second.slotsAfter(0)).toEqual([2, 3, 4]);
  });

  it("reads no more than asked for, and always at least one", async () => {
    const { spool } = aSpool(lmdbResultTable(database));
    for (let slot = 1; slot <= 5; slot++) spool.append(aRecord({ detailJson: "x".repeat(1000) }));
    await spool.flush();
    expect(spool.read(0, 2, MIB)).toHaveLength(2);
    expect(spool.read(0, 10, 2500)).toHaveLength(2);
    expect(spool.read(0, 10, 1)).toHaveLength(1);
  });

  it("drops the oldest when it is full, and counts them", async () => {
    const { spool, slotsAfter, reports } = aSpool(lmdbResultTable(database), MIB);
    for (let slot = 1; slot <= 20; slot++) {
      for (let i = 0; i < 100; i++) spool.append(aRecord({ slotMs: slot, detailJson: "x".repeat(1000) }));
      await spool.flush();
    }
    expect(spool.stats().bytes).toBeLessThan(1.3 * MIB);
    expect(reports.dropped).toBeGreaterThan(500);
    expect(spool.stats()).toMatchObject({ results: 2000 - reports.dropped, dropped: reports.dropped });
    expect(slotsAfter(0).at(-1)).toBe(20);
    expect(slotsAfter(0)[0]).toBeGreaterThan(5);
  });
});

describe("the spool on a disk that refuses writes", () => {
  /** A table in memory that fails while `failure` is set. */
  function aTable() {
    const rows = new Map<number, Buffer>();
    const table = {
      failure: undefined as string | undefined,
      rows,
      async write(puts: readonly [number, Buffer][], deletes: readonly number[]) {
        if (table.failure !== undefined) throw new Error(table.failure);
        for (const [sequence, bytes] of puts) rows.set(sequence, bytes);
        for (const sequence of deletes) rows.delete(sequence);
      },
      refusal: () => table.failure,
      rowsAfter: (after: number, limit: number) =>
        [...rows]
          .flatMap(([sequence, bytes]) => (sequence > after ? [{ sequence, bytes }] : []))
          .slice(0, limit),
      newestRows: (limit: number) =>
        [...rows]
          .map(([sequence, bytes]) => ({ sequence, bytes }))
          .reverse()
          .slice(0, limit),
      size: () => ({ rows: rows.size, bytes: rows.size * 100 }),
    };
    return table;
  }

  it("keeps results readable from memory, says why once, and recovers by itself", async () => {
    const table = aTable();
    const { spool, time, slotsAfter, reports } = aSpool(table);
    spool.append(aRecord({ slotMs: 1 }));
    await time.advance(60);
    table.failure = "No space left on device";
    spool.append(aRecord({ slotMs: 2 }));
    spool.append(aRecord({ slotMs: 3 }));
    await time.advance(11_000);
    expect(reports.health).toEqual(["can't write to the data folder: No space left on device"]);
    expect(slotsAfter(0)).toEqual([1, 2, 3]);
    expect(reports.readable).toBeGreaterThanOrEqual(3);
    table.failure = undefined;
    await time.advance(6000);
    expect(reports.health.at(-1)).toBeUndefined();
    expect(table.rows.size).toBe(3);
    expect(slotsAfter(0)).toEqual([1, 2, 3]);
  });

  it("does not write results that were sent from memory and acknowledged meanwhile", async () => {
    const table = aTable();
    const { spool, time } = aSpool(table);
    table.failure = "Input/output error";
    for (let slot = 1; slot <= 3; slot++) spool.append(aRecord({ slotMs: slot }));
    await time.advance(60);
    spool.remove([1, 2]);
    expect(spool.stats().results).toBe(1);
    table.failure = undefined;
    await time.advance(11_000);
    expect([...table.rows.keys()]).toEqual([3]);
    expect(spool.stats().results).toBe(1);
  });

  it("bounds the results in memory, dropping the oldest", async () => {
    const table = aTable();
    table.failure = "No space left on device";
    const { spool, time, reports, slotsAfter } = aSpool(table);
    for (let slot = 1; slot <= 50; slot++) {
      spool.append(aRecord({ slotMs: slot, detailJson: "x".repeat(MIB) }));
      await time.advance(60);
    }
    expect(reports.dropped).toBeGreaterThanOrEqual(18);
    expect(spool.stats().bytes).toBeLessThanOrEqual(32 * MIB);
    expect(slotsAfter(0).at(-1)).toBe(50);
  });

  it("keeps results in memory while only deletions get through", async () => {
    const table = aTable();
    const { spool, time, reports } = aSpool(table);
    spool.append(aRecord({ slotMs: 1 }));
    await time.advance(60);
    table.failure = "only 31 MiB are free";
    spool.append(aRecord({ slotMs: 2 }));
    await time.advance(60);
    table.write = async (puts, deletes) => {
      if (puts.length > 0) throw new Error("only 30 MiB are free");
      for (const sequence of deletes) table.rows.delete(sequence);
    };
    spool.remove([1, 2]);
    await time.advance(30_000);
    expect(table.rows.size).toBe(0);
    expect(reports.health).toEqual(["can't write to the data folder: only 31 MiB are free"]);
    table.failure = undefined;
    await time.advance(6000);
    expect(reports.health).toHaveLength(2);
  });

  it("flush ends although nothing can be written", async () => {
    const table = aTable();
    table.failure = "No space left on device";
    const { spool } = aSpool(table);
    spool.append(aRecord());
    await spool.flush();
    expect(spool.stats().results).toBe(1);
  });
});
