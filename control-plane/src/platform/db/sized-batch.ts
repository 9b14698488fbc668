/** SQL of a batch of rows, the newest first, that holds a bounded number of bytes. */
import type { TeamId } from "@svc/contract";
import type { Cursor } from "../http/list-answer.ts";
import type { NamedBindings } from "./rows.ts";

/** Bytes of stored records that are read at once, unless the first record alone has more. */
const BATCH_BYTES_MAX = 256 * 1024;

/** The team, and the beginning and size of the batch. */
export interface BatchInput {
  teamId: TeamId;
  /** Instant of creation and key of the row before the batch; absent: begin with the newest. */
  after: Cursor | undefined;
  rowsMax: number;
}

/**
 * Returns a query of the keys of the team's next rows, by `created_at` and `key` descending, and its bindings. The rows have
 * about 256 KiB together by their `stored_bytes`, or there is one.
 * @param table a table with the columns team_id, created_at, key and stored_bytes
 */
export function sizedBatchSql(
  table: "checks" | "notification_channels",
  { teamId, after, rowsMax }: BatchInput,
): { sql: string; bindings: NamedBindings } {
  const [createdAt, key] = after ?? [];
  const isBehind = after
    ? "AND (created_at, key) < (CAST(:createdAt AS timestamptz), CAST(:key AS bigint))"
    : "";
  return {
    sql: `SELECT key FROM (
      SELECT key, sum(stored_bytes) OVER (ORDER BY created_at DESC, key DESC) - stored_bytes AS bytes_before
      FROM (SELECT key, created_at, stored_bytes FROM ${table} WHERE team_id = :teamId ${isBehind}
        ORDER BY created_at DESC, key DESC LIMIT :rowsMax) AS next_rows
    ) AS sized WHERE bytes_before < ${BATCH_BYTES_MAX}`,
    bindings: { teamId, rowsMax, ...(after && { createdAt: createdAt as string, key: key as number }) },
  };
}
