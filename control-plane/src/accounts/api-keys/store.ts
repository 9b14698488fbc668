/** SQL of API keys. Every statement names the team. */
import type { ApiKey, ApiKeyId, TeamId } from "@svc/contract";
import type { Knex } from "knex";
import type { ListPart } from "../../platform/http/record-list.ts";

const COLUMNS = [
  "id",
  "name",
  "keyPrefix",
  "source",
  "role",
  "expiresAt",
  "lastUsedAt",
  "lastUsedAddress",
  "createdAt",
  "createdBy",
  "expiryWarnedAt",
] as const;

/** Returns a part of the list of the team's keys, the newest first. */
export async function listApiKeyRows(
  db: Knex,
  teamId: TeamId,
  { after, rowsMax, offset }: ListPart,
): Promise<ApiKey[]> {
  const query = db("apiKeys").where({ teamId }).limit(rowsMax).offset(offset);
  if (after) void query.whereRaw("(created_at, id) < (CAST(? AS timestamptz), ?)", [...after]);
  return query
    .orderBy([
      { column: "createdAt", order: "desc" },
      { column: "id", order: "desc" },
    ])
    .select(COLUMNS)
    .select({ createdByName: db("users").whereRaw("users.id = api_keys.created_by").select("email") });
}

/** A key as it is stored for the first time. */
export interface NewApiKey extends Pick<ApiKey, "name" | "keyPrefix" | "source" | "role"> {
  id: ApiKeyId;
  teamId: TeamId;
  keyHash: Buffer;
  expiresAt: Date | null;
  /** Person who made the key; null: the operator. */
  createdBy: string | null;
  createdAt: Date;
}

/** A key as its row has it. */
type StoredApiKey = Omit<ApiKey, "createdByName">;

/** Stores a key and returns it. */
export async function insertApiKey(trx: Knex, row: NewApiKey): Promise<StoredApiKey> {
  const [inserted] = await trx("apiKeys").insert(row).returning(COLUMNS);
  return inserted;
}

/** Deletes a key of the team and keeps its name. Returns the deleted key; undefined when there was none. */
export async function deleteApiKeyRow(
  trx: Knex,
  { teamId, id }: { teamId: TeamId; id: ApiKeyId },
): Promise<StoredApiKey | undefined> {
  const [deleted] = await trx("apiKeys").where({ teamId, id }).delete().returning(COLUMNS);
  if (deleted) await trx("formerActors").insert({ id, teamId, name: deleted.name }).onConflict("id").ignore();
  return deleted;
}
