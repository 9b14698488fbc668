/** SQL of correlations: failing runs whose results list requests, and the dependencies that checks fail on together. */
import { type CheckId, checkTypes, type LocationId, STATUS_CODES, type TeamId, wholeMs } from "@svc/contract";
import type { Knex } from "knex";
import { targetSql } from "../../checks/target-sql.ts";
import { engineOf } from "../../platform/db/engine.ts";
import { perRow } from "../../platform/db/engine-sql.ts";
import { queryRows } from "../../platform/db/rows.ts";
import { newestToMs } from "../../platform/db/slot-bindings.ts";
import { TRACE_COLUMNS, TYPED_TRACE_COLUMNS, traceIdSql } from "../../platform/db/trace-id-sql.ts";

/** A failing run as it is stored. */
export interface FailingRunRow {
  teamId: TeamId;
  checkId: CheckId;
  checkName: string;
  checkKey: number;
  locationKey: number;
  url: string | null;
  locationId: LocationId;
  locationName: string;
  slotMs: number;
  status: number;
  traceId: string | null;
  atMs: number;
  requests: unknown;
}

const RUNS_MAX = 2_000;
/** Newest runs of one team among them. */
const TEAM_RUNS_MAX = 300;
/**
 * Bytes of JSON of the lists that are read together, of one team and of all teams. Those beyond are left out, each team's oldest
 * first, so that nobody's lists take all memory. Not as they are stored: compressed, lists may be a hundredth of their size.
 */
const TEAM_BYTES_MAX = 4 * 1024 * 1024;
const ALL_BYTES_MAX = 32 * 1024 * 1024;
/** Stored bytes of a team's details that are looked at to measure their lists. */
const TEAM_STORED_BYTES_MAX = 2 * 1024 * 1024;

const TYPES_WITH_REQUESTS = checkTypes.members
  .filter(({ listsRequests }) => listsRequests)
  .map(({ type }) => type);

const FAILED_COLUMNS = `check_key bigint, location_key integer, slot_ms bigint, status smallint, start_delay_ms integer,
  elapsed_us integer, ${TYPED_TRACE_COLUMNS}, created_at timestamptz`;

/** Joins the details `d` of the rows of results before it; the condition may go on. */
function detailsOf(db: Knex, rows: string): string {
  if (engineOf(db) === "postgres")
    return `JOIN result_details d ON d.check_key = ${rows}.check_key AND d.location_key = ${rows}.location_key
      AND d.slot_ms = ${rows}.slot_ms AND d.slot_ms BETWEEN :slotFromMs AND :slotToMs`;
  return `JOIN LATERAL ${perRow(db, {
    as: "d",
    columns: "detail jsonb",
    select: `SELECT detail FROM result_details WHERE check_key = {${rows}.check_key}
      AND location_key = {${rows}.location_key} AND slot_ms = {${rows}.slot_ms}`,
  })} ON true`;
}

/** The slots that are read: from one on, up to the newest. */
interface SlotsToRead {
  /** Unix ms. */
  fromMs: number;
  /** Unix ms. */
  nowMs: number;
}

function bindingsOf({ fromMs, nowMs }: SlotsToRead) {
  return { slotFromMs: wholeMs(fromMs), slotToMs: newestToMs(nowMs) };
}

/** Reads failing runs that were stored since, of teams that export; only those whose results list requests. */
export function readFailingRuns(db: Knex, since: Date, slots: SlotsToRead): Promise<FailingRunRow[]> {
  return queryRows(
    db,
    `WITH runs AS (SELECT c.team_id, c.id AS check_id, c.name AS check_name, c.key AS check_key, l.key AS location_key,
       ${targetSql("c")} AS url, l.id AS location_id, l.name AS location_name, r.slot_ms, r.status,
       ${traceIdSql({ result: "r", checkId: "c.id", locationId: "l.id" })} AS trace_id,
       (r.slot_ms + r.start_delay_ms + r.elapsed_us / 1000)::bigint AS at_ms, d.detail, r.created_at,
       row_number() OVER team AS nth_of_team, sum(pg_column_size(d.detail)) OVER team AS stored_bytes_of_team
     FROM telemetry_settings s
     JOIN checks c ON c.team_id = s.id AND c.type = ANY(:types)
     CROSS JOIN LATERAL ${perRow(db, {
       as: "r",
       columns: FAILED_COLUMNS,
       select: `SELECT check_key, location_key, slot_ms, status, start_delay_ms, elapsed_us, ${TRACE_COLUMNS}, created_at
         FROM results r WHERE r.check_key = {c.key} AND r.status <> ${STATUS_CODES.success}
           AND r.created_at >= to_timestamp({:sinceMs} / 1000.0)
           AND r.slot_ms BETWEEN {:slotFromMs} AND {:slotToMs} ORDER BY r.created_at DESC LIMIT 100`,
     })}
     ${detailsOf(db, "r")}
     JOIN locations l ON l.key = r.location_key
     WHERE s.enabled
     WINDOW team AS (PARTITION BY c.team_id ORDER BY r.created_at DESC ROWS UNBOUNDED PRECEDING)),
     measured AS (SELECT *, sum(octet_length((detail -> 'networkRequestsJson')::text))
         OVER (PARTITION BY team_id ORDER BY created_at DESC ROWS UNBOUNDED PRECEDING) AS list_bytes_of_team
       FROM runs WHERE nth_of_team <= ${TEAM_RUNS_MAX} AND stored_bytes_of_team <= ${TEAM_STORED_BYTES_MAX}
         AND detail \\? 'networkRequestsJson')
     SELECT team_id, check_id, check_name, check_key, location_key, url, location_id, location_name, slot_ms, status, trace_id, at_ms,
       detail -> 'networkRequestsJson' AS requests
     FROM (SELECT *, sum(octet_length((detail -> 'networkRequestsJson')::text))
         OVER (ORDER BY list_bytes_of_team ROWS UNBOUNDED PRECEDING) AS list_bytes
       FROM measured WHERE list_bytes_of_team <= ${TEAM_BYTES_MAX}) AS kept
     WHERE list_bytes <= ${ALL_BYTES_MAX} ORDER BY created_at DESC LIMIT ${RUNS_MAX}`,
    { sinceMs: wholeMs(since.getTime()), ...bindingsOf(slots), types: TYPES_WITH_REQUESTS },
  );
}

/** The requests of the last success of a check at a location. */
export interface UsualRequestsRow {
  checkKey: number;
  locationKey: number;
  requests: unknown;
}

/** Reads the requests of the last success of each check location since an instant, within the bounds on failing runs. */
export function readUsualRequests(
  db: Knex,
  checkLocations: readonly { teamId: TeamId; checkKey: number; locationKey: number }[],
  slots: SlotsToRead,
): Promise<UsualRequestsRow[]> {
  if (checkLocations.length === 0) return Promise.resolve([]);
  return queryRows(
    db,
    `SELECT check_key, location_key, detail -> 'networkRequestsJson' AS requests
     FROM (SELECT *, sum(octet_length((detail -> 'networkRequestsJson')::text))
         OVER (ORDER BY list_bytes_of_team ROWS UNBOUNDED PRECEDING) AS list_bytes
       FROM (SELECT k.*, d.detail, sum(octet_length((d.detail -> 'networkRequestsJson')::text))
         OVER (PARTITION BY k.team_id ORDER BY k.check_key, k.location_key ROWS UNBOUNDED PRECEDING) AS list_bytes_of_team
       FROM (SELECT DISTINCT t, c, l
         FROM unnest(CAST(:teamIds AS text[]), CAST(:checkKeys AS bigint[]), CAST(:locationKeys AS integer[])) AS u (t, c, l))
         AS k (team_id, check_key, location_key)
       CROSS JOIN LATERAL ${perRow(db, {
         as: "s",
         columns: "check_key bigint, location_key integer, slot_ms bigint",
         select: `SELECT check_key, location_key, slot_ms FROM results
           WHERE check_key = {k.check_key} AND location_key = {k.location_key}
             AND status = ${STATUS_CODES.success} AND slot_ms BETWEEN {:slotFromMs} AND {:slotToMs}
           ORDER BY slot_ms DESC LIMIT 1`,
       })}
       ${detailsOf(db, "s")} AND d.detail \\? 'networkRequestsJson') AS found
       WHERE list_bytes_of_team <= ${TEAM_BYTES_MAX}) AS kept
     WHERE list_bytes <= ${ALL_BYTES_MAX}`,
    {
      teamIds: checkLocations.map(({ teamId }) => teamId),
      checkKeys: checkLocations.map(({ checkKey }) => checkKey),
      locationKeys: checkLocations.map(({ locationKey }) => locationKey),
      ...bindingsOf(slots),
    },
  );
}

/**
 * Records that several checks fail on a dependency now.
 * @param quietMs time without a failure after which an episode is over
 * @returns whether an episode begins; when replicas record one at once, only one of them gets true
 */
export async function noteFailure(
  trx: Knex,
  { teamId, dependency, atMs }: { teamId: TeamId; dependency: string; atMs: number },
  quietMs: number,
): Promise<boolean> {
  const at = new Date(atMs);
  const inserted = await queryRows(
    trx,
    `INSERT INTO correlated_dependencies (team_id, dependency, last_seen_at) VALUES (?, ?, ?)
     ON CONFLICT DO NOTHING RETURNING 1`,
    [teamId, dependency, at],
  );
  if (inserted.length > 0) return true;
  const known = await trx("correlatedDependencies")
    .where({ teamId, dependency })
    .forUpdate()
    .first("lastSeenAt");
  const lastSeenMs = known ? Date.parse(known.lastSeenAt) : atMs;
  if (atMs > lastSeenMs)
    await trx("correlatedDependencies").where({ teamId, dependency }).update({ lastSeenAt: at });
  return lastSeenMs < atMs - quietMs;
}

/** Forgets episodes that are long over. */
export async function purgeEpisodes(db: Knex, before: Date): Promise<void> {
  await db("correlatedDependencies").where("lastSeenAt", "<", before).delete();
}
