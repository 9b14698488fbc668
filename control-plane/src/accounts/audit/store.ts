/** SQL of the audit log. */
import type { AuditEntry, AuditQuery, TeamId } from "@svc/contract";
import type { Knex } from "knex";
import type { ListPart } from "../../platform/http/record-list.ts";

const COLUMNS = [
  "key",
  "id",
  "action",
  "actor",
  "actorKind",
  "actorName",
  "via",
  "address",
  "userAgent",
  "resourceId",
  "resourceName",
  "detail",
  "createdAt",
] as const;

/** An entry with its key, by which the log is ordered. */
export type AuditRow = AuditEntry & { key: number };

/** An entry as it is stored for the first time. */
export interface NewAuditEntry extends Omit<AuditEntry, "createdAt"> {
  /** null: the entry concerns no one team. */
  teamId: TeamId | null;
  onceKey: string | undefined;
  createdAt: Date;
}

/**
 * Returns the name of an actor: the email address of a user, the name of an API key or a display link.
 * @returns null when there is no such record any more
 */
export async function findActorName(db: Knex, actor: string): Promise<string | null> {
  const user = await db("users").where({ id: actor }).first("email");
  if (user) return user.email;
  const key = await db("apiKeys").where({ id: actor }).first("name");
  if (key) return key.name;
  return (await db("displayLinks").where({ id: actor }).first("name"))?.name ?? null;
}

/**
 * Adds an entry.
 * @returns false when there is one with its `onceKey`
 */
export async function insertAuditEntry(trx: Knex, { detail, ...entry }: NewAuditEntry): Promise<boolean> {
  const inserted = await trx("auditEntries")
    .insert({ ...entry, onceKey: entry.onceKey ?? null, detail: JSON.stringify(detail) })
    .onConflict("onceKey")
    .ignore()
    .returning("id");
  return inserted.length > 0;
}

/** A part of the audit log. */
type AuditRowsInput = Pick<AuditQuery, "actor" | "action" | "from" | "to"> & ListPart;

/** Reads some of the entries that the query asks for, the newest first. Those of no team are read by `null`. */
export async function listAuditRows(
  db: Knex,
  teamId: TeamId | null,
  { actor, action, from, to, after, rowsMax, offset }: AuditRowsInput,
): Promise<AuditRow[]> {
  const query = db("auditEntries").where({ teamId }).orderBy("key", "desc").limit(rowsMax).offset(offset);
  if (after) void query.where("key", "<", after[0] as number);
  if (actor) void query.whereRaw("(actor = ? OR lower(actor_name) = lower(?))", [actor, actor]);
  if (action) void query.where({ action });
  if (from) void query.where("createdAt", ">=", from);
  if (to) void query.where("createdAt", "<", to);
  return query.select(COLUMNS);
}
