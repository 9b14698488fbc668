/** One transaction of ingest. */
import { isSuccessCode, type ResultDetail } from "@svc/contract";
import type { Knex } from "knex";
import { PACKED_FIELD, packAssertions } from "../packed-assertions.ts";
import type { ResultColumns } from "./columns.ts";
import type { DetailAdditions, ResultFact, StoredFact } from "./facts/fact-store.ts";
import { storeFacts } from "./facts/registry.ts";
import { findInserted, insertDetails, insertResults, markLateBuckets, waitForStandby } from "./store.ts";

/** Results that are written together; `row` is an index into the columns. */
export interface ResultGroup {
  columns: ResultColumns;
  details: { row: number; json: string }[];
  facts: ResultFact[];
}

/** The rows of a group that were new; of equal keys the first. */
export type StoredRows = "all" | ReadonlySet<number>;

/**
 * Uses the results of a group in the transaction that stored them, for example to judge alert rules. `stored` says
 * which rows were new. When it rejects, nothing is stored.
 */
export type ResultConsumer = (trx: Knex, group: ResultGroup, stored: StoredRows) => Promise<void>;

/** The context of a transaction that stores results. */
export interface WriteGroupOptions {
  /** Starts of the 5 minute buckets of the results. */
  bucketsMs: readonly number[];
  /** Uses the results in the transaction that stores them. */
  consume?: ResultConsumer | undefined;
}

/**
 * Stores the group's results with their evidence, and marks the buckets that they come too late for.
 * @returns which rows were new; evidence is stored with those only, so that it belongs to the result that is there
 */
export async function writeGroup(
  knex: Knex,
  group: ResultGroup,
  { bucketsMs, consume }: WriteGroupOptions,
): Promise<StoredRows> {
  return knex.transaction(async (trx) => {
    const count = await insertResults(trx, group.columns);
    const stored: StoredRows =
      count === group.columns.checkKeys.length ? "all" : new Set(await findInserted(trx, group.columns));
    const additions =
      group.facts.length > 0 ? await storeFacts(trx, withKeys(group, group.facts, stored)) : [];
    const complete = { ...group, details: completeDetails(group.details, additions) };
    const details = withKeys(group, complete.details, stored);
    if (details.length > 0)
      await insertDetails(
        trx,
        details.map((detail) => withPackedAssertions(group.columns, detail)),
      );
    await consume?.(trx, complete, stored);
    if (stored !== "all") await waitForStandby(trx);
    await markLateBuckets(trx, bucketsMs);
    return stored;
  });
}

/** Returns the details with the additions of facts; a result without detail gets one. */
function completeDetails(
  details: ResultGroup["details"],
  additions: readonly DetailAdditions[],
): ResultGroup["details"] {
  if (additions.every(({ size }) => size === 0)) return details;
  const byRow = new Map(details.map(({ row, json }) => [row, json]));
  for (const [row, addition] of additions.flatMap((ofKind) => [...ofKind])) {
    const detail = JSON.parse(byRow.get(row) ?? "{}") as ResultDetail;
    byRow.set(row, JSON.stringify({ ...detail, ...addition }));
  }
  return Array.from(byRow, ([row, json]) => ({ row, json }));
}

/** Returns the detail as it is stored: that of a success holds the results of its assertions in their short form. */
function withPackedAssertions<Detail extends { row: number; json: string }>(
  columns: ResultColumns,
  detail: Detail,
): Detail {
  if (!isSuccessCode(columns.statuses[detail.row] ?? 0) || !detail.json.includes('"assertions":'))
    return detail;
  const { assertions, ...others } = JSON.parse(detail.json) as ResultDetail;
  const packed = assertions && packAssertions(assertions);
  if (packed === undefined) return detail;
  return { ...detail, json: JSON.stringify({ ...others, [PACKED_FIELD]: packed }) };
}

/** Returns the evidence of results that were new, with their keys. */
function withKeys<Evidence extends { row: number }>(
  { columns }: ResultGroup,
  evidence: readonly Evidence[],
  stored: StoredRows,
): (Evidence & Omit<StoredFact<unknown>, keyof ResultFact>)[] {
  return evidence
    .filter(({ row }) => stored === "all" || stored.has(row))
    .map((one) => {
      const slotMs = columns.slotsMs[one.row] as number;
      return {
        ...one,
        checkKey: columns.checkKeys[one.row] as number,
        locationKey: columns.locationKeys[one.row] as number,
        slotMs,
        startedAtMs: slotMs + (columns.startDelaysMs[one.row] as number),
      };
    });
}
