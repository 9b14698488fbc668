/** SQL of credentials: whose a key or session is, by the SHA-256 of its token. */
import type { ApiKeyId, KeyRole, RunnerKeyId, SessionId, TeamId, TeamRole, UserId } from "@svc/contract";
import type { Knex } from "knex";
import { queryRows } from "../../platform/db/rows.ts";

/** The fields of a valid key that authentication needs. */
export interface ApiKeyRow {
  id: ApiKeyId;
  teamId: TeamId;
  role: KeyRole;
  lastUsedAt: string | null;
  lastUsedAddress: string | null;
}

/** Returns the API key with this hash that has not expired, or undefined. */
export async function findApiKeyByHash(
  db: Knex,
  { keyHash, now }: { keyHash: Buffer; now: Date },
): Promise<ApiKeyRow | undefined> {
  return db("apiKeys")
    .where({ keyHash })
    .where((query) => query.whereNull("expiresAt").orWhere("expiresAt", ">", now))
    .first("id", "teamId", "role", "lastUsedAt", "lastUsedAddress");
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

/** A session as a credential, with the role that its person has at the moment. */
export interface SignInSessionRow {
  id: SessionId;
  userId: UserId;
  teamId: TeamId;
  role: TeamRole;
  lastSeenAt: string | null;
}

/** Returns the session with this hash that has not expired and whose person is still in its team, or undefined. */
export async function findSignInSession(
  db: Knex,
  { tokenHash, now }: { tokenHash: Buffer; now: Date },
): Promise<SignInSessionRow | undefined> {
  return db("sessions")
    .join("memberships", (on) =>
      on.on("memberships.teamId", "sessions.teamId").on("memberships.userId", "sessions.userId"),
    )
    .where({ tokenHash })
    .where("expiresAt", ">", now)
    .first("sessions.id", "sessions.userId", "sessions.teamId", "memberships.role", "sessions.lastSeenAt");
}

/** Records when and from where a session was used, with its person and in its team. */
export async function recordSessionUse(
  db: Knex,
  { id, userId, teamId }: Pick<SignInSessionRow, "id" | "userId" | "teamId">,
  { usedAtMs, address, userAgent }: { usedAtMs: number; address: string; userAgent: string | undefined },
): Promise<void> {
  const lastSeenAt = new Date(usedAtMs);
  await db("sessions")
    .where({ id })
    .update({ lastSeenAt, address, userAgent: userAgent ?? null });
  await db("memberships").where({ userId, teamId }).update({ lastSeenAt });
}

/** A use of a runner key. */
export interface LastUseInput {
  id: RunnerKeyId;
  usedAtMs: number;
  /** A use that was recorded later than this is recent enough. */
  staleBeforeMs: number;
}

/** Records a runner key's last use, unless another request has just done so. */
export async function recordRunnerKeyUse(
  db: Knex,
  { id, usedAtMs, staleBeforeMs }: LastUseInput,
): Promise<void> {
  await db("runnerKeys")
    .where({ id })
    .where((query: Knex.QueryBuilder) =>
      query.whereNull("lastUsedAt").orWhere("lastUsedAt", "<=", new Date(staleBeforeMs)),
    )
    .update({ lastUsedAt: new Date(usedAtMs) });
}

/** Records when and from where an API key was used, unless another request has just done so. */
export async function recordApiKeyUse(
  db: Knex,
  { id, usedAtMs, staleBeforeMs, address }: Omit<LastUseInput, "id"> & { id: ApiKeyId; address: string },
): Promise<void> {
  await db("apiKeys")
    .where({ id })
    .where((query: Knex.QueryBuilder) =>
      query
        .whereNull("lastUsedAt")
        .orWhere("lastUsedAt", "<=", new Date(staleBeforeMs))
        .orWhereRaw("last_used_address IS DISTINCT FROM ?", [address]),
    )
    .update({ lastUsedAt: new Date(usedAtMs), lastUsedAddress: address });
}

/** Addresses that are kept of one key. */
const KEY_ADDRESSES_MAX = 100;

/**
 * Stores that a key was used from an address.
 * @returns false when that was known, the key has its most addresses already, or it was revoked just now
 */
export async function insertKeyAddress(
  trx: Knex,
  { apiKeyId, address, firstUsedAt }: { apiKeyId: ApiKeyId; address: string; firstUsedAt: Date },
): Promise<boolean> {
  const inserted = await queryRows(
    trx,
    `INSERT INTO api_key_addresses (api_key_id, address, first_used_at)
     SELECT id, :address, :firstUsedAt FROM api_keys
     WHERE id = :apiKeyId
       AND (SELECT count(*) FROM api_key_addresses WHERE api_key_id = :apiKeyId) < ${KEY_ADDRESSES_MAX}
     FOR KEY SHARE
     ON CONFLICT DO NOTHING RETURNING 1`,
    { apiKeyId, address, firstUsedAt },
  );
  return inserted.length > 0;
}

/** Credentials of callers that were let in some time ago. */
export interface HeldCredentials {
  teamId: TeamId;
  sessionIds: readonly SessionId[];
  apiKeyIds: readonly ApiKeyId[];
}

/**
 * Returns the ids of those sessions and keys that would still be let in to the team: not revoked, not expired, and the session's
 * person a member.
 */
export async function findHeldCredentials(
  db: Knex,
  { teamId, sessionIds, apiKeyIds }: HeldCredentials,
  now: Date,
): Promise<Set<SessionId | ApiKeyId>> {
  const rows = await queryRows<{ id: SessionId | ApiKeyId }>(
    db,
    `SELECT s.id FROM sessions s JOIN memberships m ON m.team_id = s.team_id AND m.user_id = s.user_id
     WHERE s.id = ANY(:sessionIds) AND s.team_id = :teamId AND s.expires_at > :now
     UNION ALL
     SELECT id FROM api_keys WHERE id = ANY(:apiKeyIds) AND team_id = :teamId
       AND (expires_at IS NULL OR expires_at > :now)`,
    { teamId, sessionIds: [...sessionIds], apiKeyIds: [...apiKeyIds], now },
  );
  return new Set(rows.map(({ id }) => id));
}
