/** SQL of the change log. Entries are written in the transaction of the change and never changed afterwards. */
import {
  type Change,
  type ChangeAction,
  type ChangedField,
  type ChangesQuery,
  type ChangeType,
  newId,
  type TeamId,
} from "@svc/contract";
import type { Knex } from "knex";
import type { Author } from "../../platform/team-context.ts";

export interface NewChange {
  teamId: TeamId;
  author: Author;
  action: ChangeAction;
  type: ChangeType;
  resourceId: string;
  name: string | null;
  /** Fields that an update changed, secrets masked. */
  changedFields?: readonly ChangedField[];
  /** Unix ms. */
  atMs: number;
}

/** Writes one entry, in the transaction of the change itself. An update that changed nothing leaves none. Use `changeRecord`. */
export async function recordChange(trx: Knex, change: NewChange): Promise<void> {
  const { author, atMs, changedFields = [], ...entry } = change;
  if (change.action === "updated" && changedFields.length === 0) return;
  await trx("changes").insert({
    ...entry,
    ...author,
    id: newId("change"),
    changedFields: JSON.stringify(changedFields),
    createdAt: new Date(atMs),
  });
}

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
