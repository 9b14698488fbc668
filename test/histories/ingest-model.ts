/** The model of the tables of results as ingest writes them, with the alerts that are judged in the same transaction. */
import type { IngestStore } from "../../control-plane/src/results/ingest/ingest-store.ts";
import type { ResultGroup, StoredRows } from "../../control-plane/src/results/ingest/write-group.ts";
import type { Database } from "./database.ts";
import type { SimulatedProcess } from "./simulated-process.ts";
import { type ResultRow, slotName, type Tables } from "./tables.ts";

/** The database and the tables, and who uses the results in the transaction that stores them. */
export interface IngestModelParts {
  database: Database;
  tables: Tables;
  process: SimulatedProcess;
  /** Called at the commit with the rows of the group that are new. */
  consume?: (group: ResultGroup, newRows: readonly number[]) => void;
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
      const writing = database.write(process, (xid) => store(parts, group, xid));
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

function store({ tables, consume, onStored }: IngestModelParts, group: ResultGroup, xid: number): StoredRows {
  const { columns } = group;
  const newRows: number[] = [];
  const stored: ResultRow[] = [];
  for (let row = 0; row < columns.checkKeys.length; row++) {
    const key = {
      checkKey: columns.checkKeys[row] as number,
      locationKey: columns.locationKeys[row] as number,
      slotMs: columns.slotsMs[row] as number,
    };
    if (tables.results.has(slotName(key))) continue;
    const result: ResultRow = {
      ...key,
      startDelayMs: columns.startDelaysMs[row] as number,
      status: columns.statuses[row] as number,
      runnerKey: columns.runnerKeys[row] as number,
      responseTimeUs: columns.responseTimeUs[row] as number,
      xid,
      isCheckOn: tables.checks.get(key.checkKey)?.enabled ?? false,
      ordinal: tables.results.size,
    };
    tables.results.set(slotName(key), result);
    newRows.push(row);
    stored.push(result);
  }
  if (newRows.length > 0) consume?.(group, newRows);
  onStored?.(stored);
  return newRows.length === columns.checkKeys.length ? "all" : new Set(newRows);
}
