/**
 * All SQL of third-party patterns, and of the SLOs that refer to one. Every read by a caller is restricted to the team.
 * An SLO that begins to refer to a pattern locks it against deletion until its transaction ends.
 */
import { isId, type TeamId, type ThirdPartyPattern, type ThirdPartyPatternId } from "@svc/contract";
import type { Knex } from "knex";
import type { Cursor } from "../../platform/http/list-answer.ts";

/** A row of `third_party_patterns`. Counted requests carry its `key`, the API shows its `id`. */
export interface PatternRow extends ThirdPartyPattern {
  key: number;
}

const COLUMNS = ["key", "id", "name", "hostPattern", "createdAt"] as const;

/** Reads the team's patterns behind `after` (instant of creation and key), newest first. */
export async function listPatternRows(
  db: Knex,
  teamId: TeamId,
  { after, rowsMax }: { after: Cursor | undefined; rowsMax: number },
): Promise<PatternRow[]> {
  const query = db("thirdPartyPatterns").where({ teamId });
  if (after) void query.whereRaw("(created_at, key) < (CAST(? AS timestamptz), ?)", [...after]);
  return query.orderBy("createdAt", "desc").orderBy("key", "desc").limit(rowsMax).select(COLUMNS);
}

/** A pattern as it is stored. */
export interface NewPattern extends Omit<ThirdPartyPattern, "id"> {
  id: ThirdPartyPatternId;
  teamId: TeamId;
}

/** Stores a new pattern. */
export async function insertPatternRow(trx: Knex, row: NewPattern): Promise<PatternRow> {
  const [inserted] = await trx("thirdPartyPatterns")
    .insert(row)
    .returning([...COLUMNS]);
  return inserted;
}

/** Returns a pattern of the team; undefined when the team has none with this id. */
export async function findPatternRow(
  db: Knex,
  teamId: TeamId,
  id: ThirdPartyPatternId,
): Promise<PatternRow | undefined> {
  return db("thirdPartyPatterns")
    .where({ teamId, id })
    .first(...COLUMNS);
}

/**
 * Returns a pattern of the team, locked until the transaction ends against deletion and against SLOs that begin to use
 * it.
 */
export async function lockPatternRow(
  trx: Knex,
  teamId: TeamId,
  id: ThirdPartyPatternId,
): Promise<PatternRow | undefined> {
  return isId("thirdPartyPattern", id)
    ? trx("thirdPartyPatterns")
        .where({ teamId, id })
        .forUpdate()
        .first(...COLUMNS)
    : undefined;
}

/** Returns a pattern of the team, and keeps it from being deleted until the transaction ends. */
export async function holdPatternRow(trx: Knex, teamId: TeamId, id: string): Promise<PatternRow | undefined> {
  return isId("thirdPartyPattern", id)
    ? trx("thirdPartyPatterns")
        .where({ teamId, id })
        .forKeyShare()
        .first(...COLUMNS)
    : undefined;
}

/** Deletes a pattern. The requests that were counted by it go with their time. */
export async function deletePatternRow(trx: Knex, key: number): Promise<void> {
  await trx("thirdPartyPatterns").where({ key }).delete();
}

/** Returns the name of the oldest SLO that refers to the pattern; undefined when none does. */
export async function findSloUsingPattern(db: Knex, id: ThirdPartyPatternId): Promise<string | undefined> {
  const slo = await db("slos").where({ patternId: id }).orderBy("key").first("name");
  return slo?.name;
}
