/**
 * All SQL of team secrets, and of the checks that refer to one. Every read by a caller is restricted to the team. A
 * check that begins to refer to a secret locks it against deletion until its transaction ends.
 */
import { isId, type Secret, type SecretId, type TeamId } from "@svc/contract";
import type { Knex } from "knex";
import { queryRows } from "../../platform/db/rows.ts";
import { nextRevision } from "../store.ts";

const COLUMNS = ["id", "name", "createdAt", "updatedAt"] as const;

/** Returns the team's secrets, by name. */
export async function listSecretRows(db: Knex, teamId: TeamId): Promise<Secret[]> {
  return db("teamSecrets").where({ teamId }).orderByRaw('name COLLATE "C"').select(COLUMNS);
}

/** A secret as it is stored for the first time. */
export interface NewSecret {
  id: SecretId;
  teamId: TeamId;
  name: string;
  /** The value, sealed for the row. */
  value: Buffer;
  createdAt: string;
}

/** Inserts a secret under the next revision, and returns the secret without its value. */
export async function insertSecretRow(trx: Knex, row: NewSecret): Promise<Secret> {
  const [inserted] = await trx("teamSecrets")
    .insert({ ...row, revision: await nextRevision(trx) })
    .returning([...COLUMNS]);
  return inserted;
}

/**
 * Returns a secret of the team, locked until the transaction ends against deletion and against checks that begin to use
 * it.
 */
export async function lockSecretRow(trx: Knex, teamId: TeamId, id: SecretId): Promise<Secret | undefined> {
  return isId("secret", id)
    ? trx("teamSecrets")
        .where({ teamId, id })
        .forUpdate()
        .first(...COLUMNS)
    : undefined;
}

/**
 * Gives a secret another value, and a revision by which replicas find the checks that refer to it. The checks
 * themselves stay untouched.
 * @returns undefined when the team has no such secret
 */
export async function replaceSecretValue(
  trx: Knex,
  teamId: TeamId,
  { id, value, updatedAt }: { id: SecretId; value: Buffer; updatedAt: string },
): Promise<Secret | undefined> {
  if (!isId("secret", id)) return undefined;
  const [updated] = await trx("teamSecrets")
    .where({ teamId, id })
    .update({
      value,
      updatedAt,
      revision: await nextRevision(trx),
      changedXid: trx.raw("pg_current_xact_id()"),
    })
    .returning([...COLUMNS]);
  return updated;
}

/** Deletes a secret. The caller has locked the row and found it to be the team's. */
export async function deleteSecretRow(trx: Knex, id: SecretId): Promise<void> {
  await trx("teamSecrets").where({ id }).delete();
}

/** A secret with its sealed value. */
export interface SealedSecret {
  id: SecretId;
  name: string;
  value: Buffer;
}

/** Returns which secrets of these names the team has, and keeps them from being deleted until the transaction ends. */
export async function holdSecrets(
  trx: Knex,
  teamId: TeamId,
  names: readonly string[],
): Promise<SealedSecret[]> {
  return trx("teamSecrets")
    .where({ teamId })
    .whereIn("name", names)
    .orderBy("id")
    .forKeyShare()
    .select("id", "name", "value");
}

/** Returns the team's secrets of up to so many bytes as they are sealed. */
export async function listSealedSecrets(db: Knex, teamId: TeamId, bytesMax: number): Promise<SealedSecret[]> {
  return db("teamSecrets")
    .where({ teamId })
    .whereRaw("octet_length(value) <= ?", [bytesMax])
    .select("id", "name", "value");
}

/** Returns the names of the team's checks that refer to the secret, oldest first, and their number. */
export async function findChecksUsingSecret(
  db: Knex,
  teamId: TeamId,
  { name, namesMax }: { name: string; namesMax: number },
): Promise<{ names: string[]; count: number }> {
  const rows = await queryRows<{ name: string; count: number }>(
    db,
    `SELECT name, (count(*) OVER ())::integer AS count FROM checks
     WHERE team_id = :teamId AND vault_names @> ARRAY[CAST(:name AS text)] AND vault_names <> '{}'
     ORDER BY key LIMIT :namesMax`,
    { teamId, name, namesMax },
  );
  return { names: rows.map((row) => row.name), count: rows[0]?.count ?? 0 };
}
