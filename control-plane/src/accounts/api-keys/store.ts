/** SQL of API keys. Every statement names the team. */
import type { ApiKey, ApiKeyId, TeamId } from "@svc/contract";
import type { Knex } from "knex";

const COLUMNS = ["id", "name", "keyPrefix", "source", "lastUsedAt", "createdAt"] as const;

/** Returns the team's keys, the newest first. */
export async function listApiKeyRows(db: Knex, teamId: TeamId): Promise<ApiKey[]> {
  return db("apiKeys")
    .where({ teamId })
    .orderBy([
      { column: "createdAt", order: "desc" },
      { column: "id", order: "desc" },
    ])
    .select(COLUMNS);
}

/** A key as it is stored for the first time. */
export interface NewApiKey extends Omit<ApiKey, "lastUsedAt" | "createdAt"> {
  id: ApiKeyId;
  teamId: TeamId;
  keyHash: Buffer;
  createdAt: Date;
}

/** Stores a key and returns it as the API shows it. */
export async function insertApiKey(trx: Knex, row: NewApiKey): Promise<ApiKey> {
  const [inserted] = await trx("apiKeys").insert(row).returning(COLUMNS);
  return inserted;
}

/** Deletes a key of the team. Returns the deleted key; undefined when there was none. */
export async function deleteApiKeyRow(
  trx: Knex,
  { teamId, id }: { teamId: TeamId; id: ApiKeyId },
): Promise<ApiKey | undefined> {
  const [deleted] = await trx("apiKeys").where({ teamId, id }).delete().returning(COLUMNS);
  return deleted;
}
