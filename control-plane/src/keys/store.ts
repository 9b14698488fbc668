/** API keys in the database. Every statement names the team. */
import type { ApiKey } from "@svc/contract";
import type { Knex } from "knex";

const COLUMNS = ["id", "name", "keyPrefix", "source", "lastUsedAt", "createdAt"] as const;

/** Newest first. */
export async function selectApiKeys(knex: Knex, teamId: string): Promise<ApiKey[]> {
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
  row: Omit<ApiKey, "lastUsedAt" | "createdAt"> & { teamId: string; keyHash: Buffer; createdAt: Date },
): Promise<ApiKey> {
  const [inserted] = await knex("api_keys").insert(row).returning(COLUMNS);
  return inserted;
}

/** @returns false when the team has no such key */
export async function deleteApiKey(knex: Knex, teamId: string, id: string): Promise<boolean> {
  return (await knex("api_keys").where({ teamId, id }).delete()) > 0;
}
