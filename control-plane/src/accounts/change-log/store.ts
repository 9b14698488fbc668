/** The change log in the database: written in the transaction of the change, never changed afterwards. */
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
  /** Of an update; what is secret is masked already. */
  changedFields?: readonly ChangedField[];
  /** Unix ms. */
  atMs: number;
}

/** Writes one entry, in the transaction of the change itself. An update that changed nothing leaves none. */
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

/** Newest first. */
export async function listChangeRows(
  db: Knex,
  teamId: TeamId,
  { type, name, source, limit, offset }: ChangesQuery,
): Promise<Change[]> {
  const query = db("changes").where({ teamId }).orderBy("key", "desc").limit(limit).offset(offset);
  if (type) void query.where({ type });
  if (source) void query.where({ source });
  if (name) void query.whereRaw("strpos(lower(name), lower(?)) > 0", [name]);
  return query.select(
    ...["id", "action", "type", "resourceId", "name", "source", "actor", "changedFields", "createdAt"],
  );
}
