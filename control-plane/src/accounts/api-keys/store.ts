/** API keys in the database. Every statement names the team. */
import type { ApiKey, TeamId } from "@svc/contract";
import type { Knex } from "knex";

const COLUMNS = ["id", "name", "keyPrefix", "source", "lastUsedAt", "createdAt"] as const;

/** Newest first. */
export async function selectApiKeys(knex: Knex, teamId: TeamId): Promise<ApiKey[]> {
  return knex("api_keys")
    .where({ teamId })
    .orderBy([
      { column: "createdAt", order: "desc" },
      { column: "id", order: "desc" },
    ])
    .select(COLUMNS);
}

export async function insertApiKey(
  knex: Knex,
  row: Omit<ApiKey, "lastUsedAt" | "createdAt"> & { teamId: TeamId; keyHash: Buffer; createdAt: Date },
): Promise<ApiKey> {
  const [inserted] = await knex("api_keys").insert(row).returning(COLUMNS);
  return inserted;
}

/** @returns the key as it was, if the team had such a one */
export async function deleteApiKey(knex: Knex, teamId: TeamId, id: string): Promise<ApiKey | undefined> {
  const [deleted] = await knex("api_keys").where({ teamId, id }).delete().returning(COLUMNS);
  return deleted;
}
