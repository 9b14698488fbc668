/** SQL by which the change log is read. `changeRecord` writes its entries, which never change afterwards. */
import type { Change, ChangesQuery, TeamId } from "@svc/contract";
import type { Knex } from "knex";

const COLUMNS = [
  "key",
  "id",
  "action",
  "type",
  "resourceId",
  "name",
  "source",
  "actor",
  "changedFields",
  "createdAt",
] as const;

/** A part of the change log. */
export interface ChangeRowsInput extends Pick<ChangesQuery, "type" | "name" | "source"> {
  /** Key of the entry before the part; absent: begin with the newest. */
  beforeKey: number | undefined;
  rowsMax: number;
  /** Entries to skip. */
  offset: number;
}

/** An entry with its key, by which the log is ordered. */
export type ChangeRow = Change & { key: number };

/** Entries that are read at once. */
const ENTRIES_AT_ONCE = 50;

/** Reads some of the team's entries that the query asks for, the newest first. */
export async function listChangeRows(
  db: Knex,
  teamId: TeamId,
  { type, name, source, beforeKey, rowsMax, offset }: ChangeRowsInput,
): Promise<ChangeRow[]> {
  const query = db("changes")
    .where({ teamId })
    .orderBy("key", "desc")
    .limit(Math.min(rowsMax, ENTRIES_AT_ONCE))
    .offset(offset);
  if (beforeKey !== undefined) void query.where("key", "<", beforeKey);
  if (type) void query.where({ type });
  if (source) void query.where({ source });
  if (name) void query.whereRaw("strpos(lower(name), lower(?)) > 0", [name]);
  return query.select(COLUMNS);
}
