/** The stored form of a result in the spool: a JSON array that begins with its format version. */
import { RESULT_COLUMNS } from "@svc/contract";
import type { ResultRecord } from "../model/result-record.ts";

/**
 * Version of the format: this number, a value for each of RESULT_COLUMNS, then detail and facts when there are any. A spool
 * outlives an update of the agent, so another format needs another number, and code that still reads this one.
 */
const FORMAT_VERSION = 1;

const COLUMN_NAMES = RESULT_COLUMNS.map(({ name }) => name);
const DETAIL_INDEX = 1 + COLUMN_NAMES.length;

/** Returns the bytes to store. */
export function encodeRecord(record: ResultRecord): Buffer {
  const row: unknown[] = [FORMAT_VERSION];
  for (const name of COLUMN_NAMES) row.push(record[name]);
  if (record.detailJson !== "" || record.facts.length > 0) row.push(record.detailJson, record.facts);
  return Buffer.from(JSON.stringify(row));
}

/**
 * Returns the result that the bytes hold.
 * @throws Error when they are not a result in a known format
 */
export function decodeRecord(bytes: Uint8Array): ResultRecord {
  const row: unknown = JSON.parse(Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength).toString());
  if (!Array.isArray(row) || row[0] !== FORMAT_VERSION) throw new Error("not a spooled result");
  const record = {} as Record<keyof ResultRecord, unknown>;
  let index = 1;
  for (const name of COLUMN_NAMES) record[name] = row[index++];
  record.detailJson = row[DETAIL_INDEX] ?? "";
  record.facts = row[DETAIL_INDEX + 1] ?? [];
  return record as ResultRecord;
}
