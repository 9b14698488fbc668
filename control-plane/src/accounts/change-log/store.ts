/** SQL by which the change log is read. `changeRecord` writes its entries, which never change afterwards. */
import type { Change, ChangesQuery, TeamId } from "@svc/contract";
import type { Knex } from "knex";
import type { ListPart } from "../../platform/http/record-list.ts";

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
type ChangeRowsInput = ChangeFilter & ListPart;

/** Which entries a query asks for. */
export type ChangeFilter = Pick<ChangesQuery, "type" | "name" | "source" | "resourceId" | "from" | "to">;

/** An entry with its key, by which the log is ordered. */
export type ChangeRow = Change & { key: number };

/** Entries that are read at once. */
const ENTRIES_AT_ONCE = 50;

/** Reads some of the team's entries that the query asks for, the newest first. */
export async function listChangeRows(
  db: Knex,
  teamId: TeamId,
  { type, name, source, resourceId, from, to, after, rowsMax, offset }: ChangeRowsInput,
): Promise<ChangeRow[]> {
  const query = db("changes")
    .where({ teamId })
    .orderBy("key", "desc")
    .limit(Math.min(rowsMax, ENTRIES_AT_ONCE))
    .offset(offset);
  if (after) void query.where("key", "<", after[0] as number);
  if (type) void query.where({ type });
  if (source) void query.where({ source });
  if (resourceId) void query.where({ resourceId });
  if (from) void query.where("createdAt", ">=", from);
  if (to) void query.where("createdAt", "<", to);
  if (name) void query.whereRaw("strpos(lower(name), lower(?)) > 0", [name]);
  return query.select(
    ...COLUMNS,
    db.raw(`coalesce(actor_name, (SELECT email FROM users WHERE id = changes.actor),
      (SELECT k.name FROM api_keys k WHERE k.id = changes.actor)) AS actor_name`),
  );
}
