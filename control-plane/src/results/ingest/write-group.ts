/** One transaction of ingest. */
import type { McpSurface, ResultDetail } from "@svc/contract";
import type { Knex } from "knex";
import { detectDrift } from "../mcp-drift/detect-drift.ts";
import type { ResultColumns } from "./columns.ts";
import {
  type EvidenceRow,
  findInserted,
  insertDetails,
  insertResults,
  insertTlsObservations,
  markLateBuckets,
} from "./store.ts";

/** Results that are written together; `row` is an index into the columns. */
export interface ResultGroup {
  columns: ResultColumns;
  details: { row: number; json: string }[];
  tlsFacts: { row: number; json: string }[];
  /** What MCP servers offer; absent: nobody reported. */
  mcpSurfaces?: { row: number; surface: McpSurface }[];
}

/** Which rows of a group were new; the first one of equals. */
export type StoredRows = "all" | ReadonlySet<number>;

/** What else happens in the transaction once its results are stored, e.g. judging alert rules. */
export type AfterStore = (trx: Knex, group: ResultGroup, stored: StoredRows) => Promise<void>;

/**
 * Stores the group's results with their evidence, and marks the buckets that they come late for.
 * @param bucketsMs the 5 minute buckets of the results
 * @returns which rows were new; evidence is stored with those only, so that it belongs to the result that is there
 */
export async function writeGroup(
  knex: Knex,
  group: ResultGroup,
  bucketsMs: readonly number[],
  afterStore?: AfterStore,
): Promise<StoredRows> {
  return knex.transaction(async (trx) => {
    const count = await insertResults(trx, group.columns);
    const inserted =
      count === group.columns.checkKeys.length ? "all" : new Set(await findInserted(trx, group.columns));
    const judged = await withDrift(trx, group, inserted);
    const details = evidenceRows(group.columns, judged.details, inserted);
    if (details.length > 0) await insertDetails(trx, details);
    const tlsFacts = evidenceRows(group.columns, group.tlsFacts, inserted);
    if (tlsFacts.length > 0) await insertTlsObservations(trx, tlsFacts);
    await afterStore?.(trx, judged, inserted);
    await markLateBuckets(trx, bucketsMs);
    return inserted;
  });
}

/** The group, with what changed at MCP servers in the details of the results that report it. */
async function withDrift(trx: Knex, group: ResultGroup, inserted: StoredRows): Promise<ResultGroup> {
  const { columns, mcpSurfaces = [] } = group;
  const seen = mcpSurfaces
    .filter(({ row }) => inserted === "all" || inserted.has(row))
    .map(({ row, surface }) => ({
      row,
      checkKey: columns.checkKeys[row] as number,
      observedAtMs: (columns.slotsMs[row] as number) + (columns.startDelaysMs[row] as number),
      surface,
    }));
  const drifts = await detectDrift(trx, seen);
  if (drifts.size === 0) return group;
  const details = new Map(group.details.map(({ row, json }) => [row, json]));
  for (const [row, mcpSchemaDrift] of drifts) {
    const detail = JSON.parse(details.get(row) ?? "{}") as ResultDetail;
    details.set(row, JSON.stringify({ ...detail, mcpSchemaDrift }));
  }
  return { ...group, details: [...details].map(([row, json]) => ({ row, json })) };
}

function evidenceRows(
  columns: ResultColumns,
  evidence: readonly { row: number; json: string }[],
  inserted: StoredRows,
): EvidenceRow[] {
  return evidence
    .filter(({ row }) => inserted === "all" || inserted.has(row))
    .map(({ row, json }) => ({
      checkKey: columns.checkKeys[row] as number,
      locationKey: columns.locationKeys[row] as number,
      slotMs: columns.slotsMs[row] as number,
      json,
    }));
}
