/**
 * SQL of API specs, and of the checks that use one. Every read by a caller is scoped by the team, so that another
 * team's spec does not exist. A spec that an assertion begins to use is locked against deletion.
 */
import { type CheckId, isId, type SpecId, type TeamId } from "@svc/contract";
import type { CompiledSpec } from "@svc/openapi";
import type { Knex } from "knex";
import { queryRows } from "../../platform/db/rows.ts";
import type { ListPart } from "../../platform/http/record-list.ts";
import type { SpecRow } from "./row.ts";

const COLUMNS = [
  "id",
  "teamId",
  "name",
  "sourceType",
  "sourceUrl",
  "sourceUrlSealed",
  "title",
  "version",
  "openapiVersion",
  "operationCount",
  "contentSha256",
  "createdAt",
  "updatedAt",
] as const;

function specsOfTeam(db: Knex, teamId: TeamId) {
  return db("apiSpecs").where({ teamId });
}

/** Returns the team's specs, newest first. */
export async function listSpecRows(
  db: Knex,
  teamId: TeamId,
  { after, rowsMax, offset }: ListPart,
): Promise<SpecRow[]> {
  const query = specsOfTeam(db, teamId).limit(rowsMax).offset(offset);
  if (after) void query.whereRaw("(created_at, id) < (CAST(? AS timestamptz), ?)", [...after]);
  return query.orderBy("createdAt", "desc").orderBy("id", "desc").select(COLUMNS);
}

/** Returns an API spec of the team; undefined when the team has none with this id. */
export async function findSpecRow(db: Knex, teamId: TeamId, id: SpecId): Promise<SpecRow | undefined> {
  return isId("spec", id) ? specsOfTeam(db, teamId).where({ id }).first(COLUMNS) : undefined;
}

/** Returns a spec, locked until the transaction ends: one caller at a time changes it, deletes it or generates from it. */
export async function lockSpecRow(trx: Knex, teamId: TeamId, id: SpecId): Promise<SpecRow | undefined> {
  return isId("spec", id) ? specsOfTeam(trx, teamId).where({ id }).forUpdate().first(COLUMNS) : undefined;
}

/** Returns an API spec of the team by its name; undefined when there is none. */
export async function findSpecByName(db: Knex, teamId: TeamId, name: string): Promise<SpecRow | undefined> {
  return specsOfTeam(db, teamId).where({ name }).first(COLUMNS);
}

/**
 * Returns the specs whose URL is shown as this one, or was stored as this one before URLs were sealed, oldest first.
 * @param sourceUrls a URL as it is given and as it is shown
 */
export async function findSpecsByUrl(
  db: Knex,
  teamId: TeamId,
  sourceUrls: readonly string[],
): Promise<SpecRow[]> {
  return specsOfTeam(db, teamId)
    .whereIn("sourceUrl", sourceUrls)
    .orderBy("createdAt")
    .orderBy("id")
    .select(COLUMNS);
}

/** Returns the operations of a spec as JSON, in the document's order. */
export async function readOperationsText(db: Knex, id: SpecId): Promise<string> {
  const [row] = await queryRows<{ text: string }>(
    db,
    "SELECT operations::text AS text FROM api_specs WHERE id = ?",
    [id],
  );
  return row?.text ?? "[]";
}

/** Returns the operations of a team's spec as JSON, with the hash of the document that they are of. */
export async function findOperations(
  db: Knex,
  teamId: TeamId,
  id: SpecId,
): Promise<{ operationsText: string; contentSha256: string } | undefined> {
  if (!isId("spec", id)) return undefined;
  return specsOfTeam(db, teamId)
    .where({ id })
    .first("contentSha256", db.raw("operations::text AS operations_text"));
}

/** Returns the columns of a row that hold the document and its summary. */
export function contentColumns(spec: CompiledSpec): Record<string, unknown> {
  return {
    ...spec.summary,
    operationCount: spec.operationCount,
    operations: spec.operationsJson,
    content: Buffer.from(spec.contentGzip.buffer, spec.contentGzip.byteOffset, spec.contentGzip.byteLength),
    contentSha256: spec.contentSha256,
  };
}

/** Stores a new API spec, and returns it with its defaults. */
export async function insertSpecRow(db: Knex, row: Record<string, unknown>): Promise<SpecRow> {
  const [inserted] = await db("apiSpecs")
    .insert(row)
    .returning([...COLUMNS]);
  return inserted;
}

/** Updates the given columns of an API spec, and returns its new row. */
export async function patchSpecRow(db: Knex, id: SpecId, patch: Record<string, unknown>): Promise<SpecRow> {
  const [updated] = await db("apiSpecs")
    .where({ id })
    .update(patch)
    .returning([...COLUMNS]);
  return updated;
}

/** Deletes an API spec. */
export async function deleteSpecRow(db: Knex, id: SpecId): Promise<void> {
  await db("apiSpecs").where({ id }).delete();
}

/** Returns which of these ids are specs of the team, and keeps those from being deleted until the transaction ends. */
export async function holdSpecs(trx: Knex, teamId: TeamId, ids: readonly string[]): Promise<Set<string>> {
  const rows: { id: string }[] = await specsOfTeam(trx, teamId)
    .whereIn("id", ids)
    .orderBy("id")
    .forKeyShare()
    .select("id");
  return new Set(rows.map(({ id }) => id));
}

/** Returns the forms in JSON of which a configuration with an assertion on this spec contains one, for jsonb's `@>`. */
function usingSpec(specId: SpecId): string[] {
  const holder = { assertions: [{ type: "openapi_conformance", specId }] };
  return [holder, { steps: [holder] }].map((form) => JSON.stringify(form));
}

/** Returns the name of a check that uses the spec; undefined when none does. */
export async function findCheckUsingSpec(
  db: Knex,
  teamId: TeamId,
  specId: SpecId,
): Promise<string | undefined> {
  const [row] = await queryRows<{ name: string }>(
    db,
    "SELECT name FROM checks WHERE team_id = ? AND config @> ANY(?::jsonb[]) ORDER BY key LIMIT 1",
    [teamId, usingSpec(specId)],
  );
  return row?.name;
}

/** Returns the operations (`METHOD /path/template`) that checks of the team compare with the spec, with the check's id. */
export async function checkedOperations(
  db: Knex,
  teamId: TeamId,
  specId: SpecId,
): Promise<Map<string, CheckId>> {
  const rows = await queryRows<{ id: CheckId; operationPath: string }>(
    db,
    `SELECT c.id, a ->> 'operationPath' AS operation_path
     FROM checks c, jsonb_array_elements(c.config -> 'assertions') a
     WHERE c.team_id = ? AND c.config @> ANY(?::jsonb[])
       AND a ->> 'type' = 'openapi_conformance' AND a ->> 'specId' = ? AND a ->> 'operationPath' IS NOT NULL
     ORDER BY c.key DESC`,
    [teamId, usingSpec(specId), specId],
  );
  return new Map(rows.map(({ id, operationPath }) => [operationPath, id]));
}

/** Gives every check that uses the spec a new revision under its old schedule. Returns the number of these checks. */
export async function reviseChecksUsingSpec(trx: Knex, teamId: TeamId, specId: SpecId): Promise<number> {
  const rows = await queryRows(
    trx,
    `UPDATE checks SET revision = nextval('check_revisions_seq'), changed_xid = pg_current_xact_id()
     WHERE key IN (SELECT key FROM checks WHERE team_id = ? AND config @> ANY(?::jsonb[]) ORDER BY key FOR UPDATE)
     RETURNING key`,
    [teamId, usingSpec(specId)],
  );
  return rows.length;
}

/** The content that a runner asks for, and the location that decides whether it may have it. */
export interface ContentForRunnerInput {
  specId: SpecId;
  contentSha256: string;
  /** Location that the runner serves; null: every hosted location. */
  locationKey: number | null;
}

/** Returns the compressed document with this hash when a check at a location that the runner serves uses the spec. */
export async function findContentForRunner(
  db: Knex,
  { specId, contentSha256, locationKey }: ContentForRunnerInput,
): Promise<Buffer | undefined> {
  const [row] = await queryRows<{ content: Buffer }>(
    db,
    `SELECT s.content FROM api_specs s
     WHERE s.id = ? AND s.content_sha256 = ? AND EXISTS (
       SELECT FROM checks c JOIN locations l ON l.id = ANY(c.location_ids)
       WHERE c.team_id = s.team_id AND c.config @> ANY(?::jsonb[])
         AND (l.team_id IS NULL OR l.team_id = c.team_id)
         AND CASE WHEN ?::integer IS NULL THEN l.type = 'hosted' ELSE l.key = ? END
       UNION ALL
       SELECT FROM test_runs t JOIN test_run_locations o ON o.test_run_key = t.key JOIN locations l ON l.key = o.location_key
       WHERE t.team_id = s.team_id AND t.config @> ANY(?::jsonb[])
         AND CASE WHEN ?::integer IS NULL THEN l.type = 'hosted' ELSE l.key = ? END
     )`,
    [
      specId,
      contentSha256,
      ...[usingSpec(specId), locationKey, locationKey],
      ...[usingSpec(specId), locationKey, locationKey],
    ],
  );
  return row?.content;
}

/** Returns the hashes of the documents that these specs have now, by spec id. */
export async function contentHashes(db: Knex, specIds: readonly string[]): Promise<Map<string, string>> {
  if (specIds.length === 0) return new Map();
  const rows: { id: string; contentSha256: string }[] = await db("apiSpecs")
    .whereIn("id", specIds)
    .select("id", "contentSha256");
  return new Map(rows.map(({ id, contentSha256 }) => [id, contentSha256]));
}
