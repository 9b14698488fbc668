/** Groups of results that wait for their transaction: which batches they carry, and when they are full. No I/O. */
import { appendRows, emptyColumns, type ResultColumns } from "./columns.ts";
import type { BatchEvidence, ReadEvidence } from "./evidence-reader.ts";
import type { RowRejection } from "./judge-batch.ts";
import type { ResultGroup } from "./write-group.ts";

/** Most rows in one transaction. */
const GROUP_ROWS_MAX = 5_000;
/** Bytes of evidence from which on a group takes no further batch. */
const GROUP_EVIDENCE_BYTES_MAX = 16 * 1024 * 1024;

/** Results of one sender. */
export interface IngestBatch extends BatchEvidence {
  columns: ResultColumns;
}

/** The fate of a batch. A row whose evidence was refused is stored, and has a rejection too. */
export interface IngestOutcome {
  stored: number;
  duplicates: number;
  rejections: RowRejection[];
}

/** A batch's rows in the group that carries them. */
export interface Submission {
  start: number;
  /** Index in the batch of each of its rows. */
  indexes: readonly number[];
  rejections: RowRejection[];
  resolve: (outcome: IngestOutcome) => void;
  reject: (error: unknown) => void;
}

/** A group of results with the senders that wait for its commit. */
export interface PendingGroup extends ResultGroup {
  submissions: Submission[];
  evidenceBytes: number;
}

/** The rows of a batch that may be stored: their indexes in the batch, and their evidence. */
interface AcceptedRows {
  columns: ResultColumns;
  accepted: readonly number[];
  evidence: ReadEvidence | undefined;
}

/** Returns an empty group. */
export function newGroup(): PendingGroup {
  return { columns: emptyColumns(), details: [], facts: [], submissions: [], evidenceBytes: 0 };
}

/** True when the group has as many rows as a transaction may write. */
export function hasAllRows({ columns }: PendingGroup): boolean {
  return columns.checkKeys.length >= GROUP_ROWS_MAX;
}

/** True when the group may carry another batch. */
export function fitsMore(group: PendingGroup): boolean {
  return !hasAllRows(group) && group.evidenceBytes < GROUP_EVIDENCE_BYTES_MAX;
}

/**
 * Appends the accepted rows of a batch to a group, with their evidence.
 * @returns the first row in the group, and the index in the batch of each row from there on
 */
export function appendAccepted(
  group: PendingGroup,
  { columns, accepted, evidence }: AcceptedRows,
): Pick<Submission, "start" | "indexes"> {
  const start = group.columns.checkKeys.length;
  const isWhole = accepted.length === columns.checkKeys.length;
  appendRows(group.columns, columns, isWhole ? undefined : accepted);
  const indexes = isWhole ? accepted.toSorted((a, b) => a - b) : accepted;
  if (evidence) appendEvidence(group, evidence, new Map(indexes.map((index, at) => [index, start + at])));
  return { start, indexes };
}

/** Rejects all submissions of a group that was not written. */
export function rejectGroup(group: PendingGroup, error: unknown): void {
  for (const submission of group.submissions) submission.reject(error);
}

/** Adds evidence to the group. @param rowOf row in the group by index in the batch */
function appendEvidence(
  group: PendingGroup,
  { details, facts, bytes }: ReadEvidence,
  rowOf: ReadonlyMap<number, number>,
): void {
  for (const { index, json } of details) group.details.push({ row: rowOf.get(index) as number, json });
  for (const { index, kind, value, json } of facts)
    group.facts.push({ row: rowOf.get(index) as number, kind, value, json });
  group.evidenceBytes += bytes;
}
