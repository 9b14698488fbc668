/** The model of the tables of results as ingest writes them, with the alerts that are judged in the same transaction. */
import type { IngestStore } from "../../control-plane/src/results/ingest/ingest-store.ts";
import type { ResultGroup, StoredRows } from "../../control-plane/src/results/ingest/write-group.ts";
import type { Database } from "./database.ts";
import type { SimulatedProcess } from "./simulated-process.ts";
import { type ResultRow, slotName, type Tables } from "./tables.ts";
import type { ModelTransaction } from "./transaction.ts";

/** A transaction that has stored results, which nobody else sees before its commit. */
export interface StoredInTransaction {
  trx: ModelTransaction;
  results: readonly ResultRow[];
}

/** The database and the tables, and who uses the results in the transaction that stores them. */
export interface IngestModelParts {
  database: Database;
  tables: Tables;
  process: SimulatedProcess;
  /** Uses the results in the transaction that stores them; see `ResultConsumer`. */
  consume?: (stored: StoredInTransaction, group: ResultGroup, rows: StoredRows) => Promise<void>;
  /** Called once the rows are committed. */
  onStored?: (rows: readonly ResultRow[]) => void;
  /** True: a group is confirmed when its transaction begins. A planted fault. */
  acksBeforeCommit?: boolean;
}

/** Returns the tables for one replica. */
export function modelIngestStore(parts: IngestModelParts): IngestStore {
  const { database, tables, process } = parts;
  return {
    findManualRuns: (rows) => database.read(process, () => findManualRunsIn(tables, rows)),
    ensureHours: async () => undefined,
    forgetHours: () => undefined,
    async writeGroup(group) {
      const writing = database.transaction(process, (trx) => store(parts, group, trx));
      if (!parts.acksBeforeCommit) return writing;
      writing.catch(() => undefined);
      // A moment later, so that the transaction has begun.
      await process.sleep(2);
      return "all";
    },
  };
}

/** Returns the indexes of the slots that are a manual run of the check at the location. */
export function findManualRunsIn(
  { manualRuns }: Tables,
  slots: readonly { checkKey: number; locationKey: number; slotMs: number }[],
): Set<number> {
  const isManual = ({ checkKey, locationKey, slotMs }: (typeof slots)[number]) =>
    manualRuns.some(
      (run) => run.checkKey === checkKey && run.slotMs === slotMs && run.locationKeys.includes(locationKey),
    );
  return new Set(slots.flatMap((slot, i) => (isManual(slot) ? [i] : [])));
}

async function store(
  { tables, consume, onStored }: IngestModelParts,
  group: ResultGroup,
  trx: ModelTransaction,
): Promise<StoredRows> {
  const { columns } = group;
  const keys = columns.checkKeys.map((checkKey, row) => ({
    checkKey,
    locationKey: columns.locationKeys[row] as number,
    slotMs: columns.slotsMs[row] as number,
  }));
  // Who inserts a key that another transaction has inserted waits for the end of that one.
  await trx.lock(keys.map((key) => `result ${slotName(key)}`));
  const results = new Map<string, ResultRow>();
  const newRows = new Set<number>();
  await trx.read(() => {
    for (const [row, key] of keys.entries()) {
      const name = slotName(key);
      if (tables.results.has(name) || results.has(name)) continue;
      newRows.add(row);
      results.set(name, {
        ...key,
        startDelayMs: columns.startDelaysMs[row] as number,
        status: columns.statuses[row] as number,
        runnerKey: columns.runnerKeys[row] as number,
        responseTimeUs: columns.responseTimeUs[row] as number,
        xid: trx.xid,
        isCheckOn: false,
        ruleKeys: [],
        knownResults: 0,
        ordinal: 0,
      });
    }
  });
  const stored: StoredRows = newRows.size === keys.length ? "all" : newRows;
  await trx.write(() => {
    for (const [name, result] of results)
      tables.results.set(name, Object.assign(result, { ordinal: tables.results.size }));
    onStored?.([...results.values()]);
  });
  await consume?.({ trx, results: [...results.values()] }, group, stored);
  return stored;
}
