/** SQL by which the change log is read. `changeRecord` writes its entries, which never change afterwards. */
import type { Change, ChangesQuery, TeamId } from "@svc/contract";
import type { Knex } from "knex";

const COLUMNS = [
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

/** Returns the team's entries that the query asks for, the newest first. */
export async function listChangeRows(
  db: Knex,
  teamId: TeamId,
  { type, name, source, limit, offset }: ChangesQuery,
): Promise<Change[]> {
  const query = db("changes").where({ teamId }).orderBy("key", "desc").limit(limit).offset(offset);
  if (type) void query.where({ type });
  if (source) void query.where({ source });
  if (name) void query.whereRaw("strpos(lower(name), lower(?)) > 0", [name]);
  return query.select(COLUMNS);
}
