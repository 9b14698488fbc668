/** SQL of credentials: whose a key or session is, by the SHA-256 of its token. */
import type {
  ApiKeyId,
  DisplayLinkId,
  KeyRole,
  RunnerKeyId,
  SessionId,
  TeamId,
  TeamRole,
  UserId,
} from "@svc/contract";
import type { Knex } from "knex";
import { queryRows } from "../../platform/db/rows.ts";
import { hashToken, keyPrefixOf } from "./tokens.ts";

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

/** The fields of a display link that authentication needs. */
export interface DisplayLinkRow {
  id: DisplayLinkId;
  teamId: TeamId;
  lastUsedAt: string | null;
  lastUsedAddress: string | null;
}

/** Returns the display link whose secret has this hash and that has not expired, or undefined. */
export async function findDisplayLinkByHash(
  db: Knex,
  { secretHash, now }: { secretHash: Buffer; now: Date },
): Promise<DisplayLinkRow | undefined> {
  return db("displayLinks")
    .where({ secretHash })
    .where("expiresAt", ">", now)
    .first("id", "teamId", "lastUsedAt", "lastUsedAddress");
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

/** A key by which agents serve the hosted locations. */
export interface HostedKeyInput {
  id: RunnerKeyId;
  name: string;
  /** The key itself, of which only the hash is stored. */
  secret: string;
  createdAtMs: number;
}

/** Stores a key of the hosted pool, unless it is known already. */
export async function storeHostedKey(
  db: Knex,
  { secret, createdAtMs, ...key }: HostedKeyInput,
): Promise<void> {
  await db("runnerKeys")
    .insert({
      ...key,
      locationKey: null,
      keyPrefix: keyPrefixOf(secret),
      keyHash: hashToken(secret),
      createdAt: new Date(createdAtMs),
    })
    .onConflict("keyHash")
    .ignore();
}

/** A use of an API key or a display link, and the address that it came from. */
type AddressedUse<Id> = Omit<LastUseInput, "id"> & { id: Id; address: string };

/** Records when and from where an API key was used, unless another request has just done so. */
export function recordApiKeyUse(db: Knex, use: AddressedUse<ApiKeyId>): Promise<void> {
  return recordAddressedUse(db, "apiKeys", use);
}

/** Records when and from where a display link was used, unless another request has just done so. */
export function recordDisplayUse(db: Knex, use: AddressedUse<DisplayLinkId>): Promise<void> {
  return recordAddressedUse(db, "displayLinks", use);
}

async function recordAddressedUse(
  db: Knex,
  table: "apiKeys" | "displayLinks",
  { id, usedAtMs, staleBeforeMs, address }: AddressedUse<string>,
): Promise<void> {
  await db(table)
    .where({ id })
    .where((query: Knex.QueryBuilder) =>
      query
        .whereNull("lastUsedAt")
        .orWhere("lastUsedAt", "<=", new Date(staleBeforeMs))
        .orWhereRaw("last_used_address IS DISTINCT FROM ?", [address]),
    )
    .update({ lastUsedAt: new Date(usedAtMs), lastUsedAddress: address });
}

/** Addresses that are kept of one key or display link. */
const ADDRESSES_MAX = 100;

/** Where the addresses of each kind of credential are kept. */
const ADDRESS_TABLES = {
  api_key: { owners: "api_keys", addresses: "api_key_addresses", owner: "api_key_id" },
  display: { owners: "display_links", addresses: "display_link_addresses", owner: "display_link_id" },
} as const;

/**
 * Stores that a key or a display link was used from an address.
 * @returns false when that was known, the credential has its most addresses already, or it was revoked just now
 */
export async function insertAddress(
  trx: Knex,
  {
    kind,
    id,
    address,
    firstUsedAt,
  }: { kind: keyof typeof ADDRESS_TABLES; id: string; address: string; firstUsedAt: Date },
): Promise<boolean> {
  const { owners, addresses, owner } = ADDRESS_TABLES[kind];
  const inserted = await queryRows(
    trx,
    `INSERT INTO ${addresses} (${owner}, address, first_used_at)
     SELECT id, :address, :firstUsedAt FROM ${owners}
     WHERE id = :id
       AND (SELECT count(*) FROM ${addresses} WHERE ${owner} = :id) < ${ADDRESSES_MAX}
     FOR KEY SHARE
     ON CONFLICT DO NOTHING RETURNING 1`,
    { id, address, firstUsedAt },
  );
  return inserted.length > 0;
}

/** Credentials of callers that were let in some time ago: sessions, API keys and display links. */
export interface HeldCredentials {
  teamId: TeamId;
  ids: readonly string[];
}

/**
 * Returns the ids of those credentials that would still be let in to the team: not revoked, not expired, and a session's person a
 * member.
 */
export async function findHeldCredentials(
  db: Knex,
  { teamId, ids }: HeldCredentials,
  now: Date,
): Promise<ReadonlySet<string>> {
  const rows = await queryRows<{ id: string }>(
    db,
    `SELECT s.id FROM sessions s JOIN memberships m ON m.team_id = s.team_id AND m.user_id = s.user_id
     WHERE s.id = ANY(:ids) AND s.team_id = :teamId AND s.expires_at > :now
     UNION ALL
     SELECT id FROM api_keys WHERE id = ANY(:ids) AND team_id = :teamId
       AND (expires_at IS NULL OR expires_at > :now)
     UNION ALL
     SELECT id FROM display_links WHERE id = ANY(:ids) AND team_id = :teamId AND expires_at > :now`,
    { teamId, ids: [...ids], now },
  );
  return new Set(rows.map(({ id }) => id));
}
