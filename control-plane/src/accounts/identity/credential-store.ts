/** SQL of credentials: whose a key or session is, by the SHA-256 of its token. */
import type { ApiKeyId, RunnerKeyId, TeamId, UserId } from "@svc/contract";
import type { Knex } from "knex";

export interface ApiKeyRow {
  id: ApiKeyId;
  teamId: TeamId;
  lastUsedAt: string | null;
}

/** Returns the API key with this hash, or undefined. */
export async function findApiKeyByHash(db: Knex, keyHash: Buffer): Promise<ApiKeyRow | undefined> {
  return db("apiKeys").where({ keyHash }).first("id", "teamId", "lastUsedAt");
}

/** A runner key as a credential. */
export interface RunnerKeyRow {
  id: RunnerKeyId;
  /** null: the key belongs to the hosted pool. */
  locationKey: number | null;
  lastUsedAt: string | null;
}

/** Returns the runner key with this hash, or undefined. */
export async function findRunnerKeyByHash(db: Knex, keyHash: Buffer): Promise<RunnerKeyRow | undefined> {
  return db("runnerKeys").where({ keyHash }).first("id", "locationKey", "lastUsedAt");
}

/** Returns the session with this hash that has not expired, or undefined. */
export async function findLiveSession(
  db: Knex,
  { tokenHash, now }: { tokenHash: Buffer; now: Date },
): Promise<{ userId: UserId; teamId: TeamId } | undefined> {
  return db("sessions").where({ tokenHash }).where("expiresAt", ">", now).first("userId", "teamId");
}

export interface LastUseInput {
  table: "apiKeys" | "runnerKeys";
  id: ApiKeyId | RunnerKeyId;
  usedAtMs: number;
  /** A use that was recorded later than this is recent enough. */
  staleBeforeMs: number;
}

/** Records a key's last use, unless another request has just done so. */
export async function recordLastUse(
  db: Knex,
  { table, id, usedAtMs, staleBeforeMs }: LastUseInput,
): Promise<void> {
  await db(table)
    .where({ id })
    .where((query: Knex.QueryBuilder) =>
      query.whereNull("lastUsedAt").orWhere("lastUsedAt", "<=", new Date(staleBeforeMs)),
    )
    .update({ lastUsedAt: new Date(usedAtMs) });
}
