/**
 * SQL of artifacts. A content is stored once per team and used by any number of runs. It becomes garbage an hour after its
 * last use, once no run has it any more. A new use of a stored content marks it first (`useBlob`), which prevents its
 * removal.
 */
import { type ArtifactId, newId, type TeamId, wholeMs } from "@svc/contract";
import type { Knex } from "knex";
import type { CheckLocationSlot } from "../../platform/check-location.ts";
import { queryRows } from "../../platform/db/rows.ts";
import type { ArtifactType } from "./content-type.ts";

/** A run of a team's check at a location. */
export interface RunOfTeam extends CheckLocationSlot {
  teamId: TeamId;
}

/** A content that a team stores for the first time. */
export interface NewBlob {
  key: string;
  teamId: TeamId;
  sha256: Buffer;
  bytes: number;
  contentType: ArtifactType;
}

/** Contents that were not used for this time may be removed. An upload takes at most a minute. */
const UNUSED_FOR = "1 hour";

/** Reads the number and the bytes of the run's files. */
export async function readRunUse(db: Knex, run: RunOfTeam): Promise<{ files: number; bytes: number }> {
  const [row] = await queryRows<{ files: number; bytes: number }>(
    db,
    `SELECT count(*)::integer AS files, coalesce(sum(b.bytes), 0)::float8 AS bytes
     FROM artifacts a JOIN artifact_blobs b ON b.key = a.blob_key
     WHERE a.team_id = :teamId AND a.check_key = :checkKey AND a.slot_ms = :slotMs AND a.location_key = :locationKey`,
    { ...run, slotMs: wholeMs(run.slotMs) },
  );
  return row ?? { files: 0, bytes: 0 };
}

/** Reads the bytes of all contents of the team. */
export async function readTeamBytes(db: Knex, teamId: TeamId): Promise<number> {
  const [row] = await queryRows<{ bytes: number }>(
    db,
    "SELECT coalesce(sum(bytes), 0)::float8 AS bytes FROM artifact_blobs WHERE team_id = ? AND state = 'stored'",
    [teamId],
  );
  return row?.bytes ?? 0;
}

/** Returns the key of the team's stored content with this hash, which stays for the next hour; undefined: there is none. */
export async function useBlob(trx: Knex, teamId: TeamId, sha256: Buffer): Promise<string | undefined> {
  const [row] = await queryRows<{ key: string }>(
    trx,
    `UPDATE artifact_blobs SET used_at = clock_timestamp()
     WHERE team_id = ? AND sha256 = ? AND state = 'stored' RETURNING key`,
    [teamId, sha256],
  );
  return row?.key;
}

/** Records a content before it is written, so that it can be removed if its writer is killed. */
export async function insertPendingBlob(db: Knex, blob: NewBlob): Promise<void> {
  await db.raw(
    `INSERT INTO artifact_blobs (key, team_id, sha256, bytes, content_type, state)
     VALUES (:key, :teamId, :sha256, :bytes, :contentType, 'pending')`,
    { ...blob },
  );
}

/**
 * Marks a pending content as stored.
 * @returns false when it became garbage meanwhile
 * @throws a unique violation when an equal content was stored meanwhile
 */
export async function markStored(trx: Knex, key: string): Promise<boolean> {
  const rows = await queryRows(
    trx,
    `UPDATE artifact_blobs SET state = 'stored', used_at = clock_timestamp()
     WHERE key = ? AND state = 'pending' RETURNING 1`,
    [key],
  );
  return rows.length > 0;
}

/** Adds the content to the run. Harmless to repeat. */
export async function insertArtifact(trx: Knex, run: RunOfTeam, blobKey: string): Promise<void> {
  await trx.raw(
    `INSERT INTO artifacts (id, team_id, check_key, location_key, slot_ms, blob_key)
     VALUES (:id, :teamId, :checkKey, :locationKey, :slotMs, :blobKey) ON CONFLICT DO NOTHING`,
    { ...run, id: newId("artifact"), blobKey },
  );
}

/** A file of a run, identified as in its result. */
export interface RunArtifactRow {
  id: ArtifactId;
  locationKey: number;
  slotMs: number;
  sha256: string;
}

/** Reads the files of runs of a check. */
export function readArtifactsOfRuns(
  db: Knex,
  checkKey: number,
  runs: readonly { locationKey: number; slotMs: number }[],
): Promise<RunArtifactRow[]> {
  return queryRows(
    db,
    `SELECT a.id, a.location_key, a.slot_ms, encode(b.sha256, 'hex') AS sha256
     FROM unnest(CAST(:locationKeys AS integer[]), CAST(:slots AS bigint[])) AS k (location_key, slot_ms)
     JOIN artifacts a ON a.check_key = :checkKey AND a.slot_ms = k.slot_ms AND a.location_key = k.location_key
     JOIN artifact_blobs b ON b.key = a.blob_key`,
    {
      checkKey,
      locationKeys: runs.map(({ locationKey }) => locationKey),
      slots: runs.map(({ slotMs }) => wholeMs(slotMs)),
    },
  );
}

/** An artifact as its link finds it. `sha256`: hexadecimal. */
export interface StoredArtifact {
  blobKey: string;
  contentType: ArtifactType;
  bytes: number;
  sha256: string;
}

/** Reads a file by its id, while its check exists. Not scoped by team, since the caller has a signed link to the file. */
export async function findArtifact(db: Knex, id: ArtifactId): Promise<StoredArtifact | undefined> {
  const [row] = await queryRows<StoredArtifact>(
    db,
    `SELECT b.key AS blob_key, b.content_type, b.bytes, encode(b.sha256, 'hex') AS sha256
     FROM artifacts a JOIN artifact_blobs b ON b.key = a.blob_key
     JOIN checks c ON c.key = a.check_key AND c.team_id = a.team_id
     WHERE a.id = ?`,
    [id],
  );
  return row;
}

/**
 * Marks contents as garbage that no run has, and those whose writer was killed.
 * @returns their number, at most `limit`
 */
export async function markGarbage(db: Knex, limit: number): Promise<number> {
  const isUnused = `b.used_at < clock_timestamp() - interval '${UNUSED_FOR}' AND b.state IN ('pending', 'stored')`;
  // The condition is repeated outside: it is evaluated again when a run gets the content at this moment.
  const rows = await queryRows(
    db,
    `UPDATE artifact_blobs b SET state = 'garbage'
     WHERE ${isUnused} AND b.key IN (SELECT b.key FROM artifact_blobs b
       WHERE ${isUnused} AND NOT EXISTS (SELECT FROM artifacts a WHERE a.blob_key = b.key) LIMIT ?)
     RETURNING 1`,
    [limit],
  );
  return rows.length;
}

/** Returns keys of blobs that nothing refers to any more, `limit` at most. */
export async function readGarbage(db: Knex, limit: number): Promise<string[]> {
  const rows = await queryRows<{ key: string }>(
    db,
    "SELECT key FROM artifact_blobs WHERE state = 'garbage' LIMIT ?",
    [limit],
  );
  return rows.map(({ key }) => key);
}

/** Deletes the rows of contents that were removed from the blob store. */
export async function deleteBlobs(db: Knex, keys: readonly string[]): Promise<void> {
  await db.raw("DELETE FROM artifact_blobs WHERE state = 'garbage' AND key = ANY(CAST(? AS uuid[]))", [
    [...keys],
  ]);
}
