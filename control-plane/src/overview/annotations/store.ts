/**
 * SQL of annotations: one part for each kind, which reads the newest entries of a range by an index of its own. All parts run as
 * one statement.
 */
import { ANNOTATIONS_MAX, type Annotation, type AnnotationKind, type TeamId, wholeMs } from "@svc/contract";
import type { Knex } from "knex";
import { perRow } from "../../platform/db/engine-sql.ts";
import { queryRows } from "../../platform/db/rows.ts";

/** Characters of a title. */
const TITLE_LENGTH_MAX = 300;
/** Time before the range in which something may have begun that lasted into it. */
const LASTED = "interval '30 days'";
const NEWEST_FIRST = "ORDER BY at DESC LIMIT :limit";

/** End of what is of an instant. */
const NO_END = "CAST(NULL AS timestamptz)";

/** SQL of a kind of annotations; `ofCheck` is true when the annotations of the check `:checkKey`, `:checkId` are wanted. */
type Part = (ofCheck: boolean, db: Knex) => string;

/** Each selects `at`, `until`, `title` and `subject_id`, at most `:limit` rows. */
const PARTS: Record<AnnotationKind, Part> = {
  deployment: () =>
    `SELECT created_at AS at, ${NO_END} AS until, id AS subject_id,
       service || ' ' || version || coalesce(' in ' || environment, '') AS title
     FROM deployments WHERE team_id = :teamId AND created_at >= :from AND created_at < :to ${NEWEST_FIRST}`,
  config_change: (ofCheck) =>
    `SELECT at, ${NO_END}, subject_id, name || ' ' || action || CASE WHEN fields = '' THEN '' ELSE ': ' || fields END
     FROM (
       SELECT created_at AS at, resource_id AS subject_id, action,
         replace(type, '_', ' ') || ' ' || coalesce(name, resource_id) AS name,
         array_to_string(ARRAY(SELECT f ->> 'field' FROM jsonb_array_elements(changed_fields) f LIMIT 8), ', ') AS fields
       FROM changes
       WHERE team_id = :teamId AND created_at >= :from AND created_at < :to ${ofCheck ? "AND resource_id = :checkId" : ""}
       ${NEWEST_FIRST}) c`,
  maintenance: (ofCheck) =>
    `SELECT o.starts_at AS at, o.ends_at, CASE WHEN w.deleted_at IS NULL THEN w.id END,
       w.name || CASE w.mode WHEN 'pause' THEN ': checks paused' ELSE ': alerts muted' END
     FROM maintenance_windows w JOIN maintenance_occurrences o ON o.window_key = w.key
     WHERE w.team_id = :teamId AND o.starts_at < :to AND o.ends_at > :from AND o.ends_at > o.starts_at
     ${ofCheck ? "AND (w.is_for_all_checks OR EXISTS (SELECT FROM maintenance_window_checks m WHERE m.window_key = w.key AND m.check_key = :checkKey))" : ""}
     ${NEWEST_FIRST}`,
  alert: (ofCheck) =>
    `SELECT i.started_at AS at, coalesce(i.recovered_at, i.resolved_at), i.id,
       coalesce(c.name || ': ', '') || coalesce(nullif(i.context ->> 'summary', ''), r.name)
     FROM alert_instances i LEFT JOIN checks c ON c.key = i.check_key JOIN alert_rules r ON r.key = i.rule_key
     WHERE i.team_id = :teamId ${ofCheck ? "AND i.check_key = :checkKey" : ""}
       AND i.started_at < :to AND i.started_at >= CAST(:from AS timestamptz) - ${LASTED}
       AND (i.started_at >= :from OR coalesce(i.recovered_at, i.resolved_at) IS NULL
            OR coalesce(i.recovered_at, i.resolved_at) > :from)
     ${NEWEST_FIRST}`,
  incident: (ofCheck) =>
    `SELECT n.opened_at AS at, coalesce(n.resolved_at, n.closed_at), n.id, n.title FROM incidents n
     WHERE n.team_id = :teamId AND n.opened_at < :to AND n.opened_at >= CAST(:from AS timestamptz) - ${LASTED}
       AND (n.opened_at >= :from OR coalesce(n.resolved_at, n.closed_at) IS NULL
            OR coalesce(n.resolved_at, n.closed_at) > :from)
       ${ofCheck ? "AND EXISTS (SELECT FROM incident_members m WHERE m.incident_key = n.key AND m.check_id = :checkId)" : ""}
     ${NEWEST_FIRST}`,
  // Several locations see a new certificate one after the other, which is one change.
  certificate_change: (ofCheck, db) =>
    `SELECT to_timestamp(min(o.first_slot_ms) / 1000.0) AS at, ${NO_END}, c.id,
       c.name || ': another certificate of ' || (min(o.facts ->> 'host')) || ', valid until ' || left(min(o.facts ->> 'validTo'), 10)
     FROM checks c JOIN locations l ON l.id = ANY (c.location_ids)
     CROSS JOIN LATERAL ${perRow(db, {
       as: "o",
       columns: "first_slot_ms bigint, fingerprint_sha256 text, facts jsonb",
       select: `SELECT first_slot_ms, fingerprint_sha256, facts FROM tls_observations
         WHERE check_key = {c.key} AND location_key = {l.key}
           AND first_slot_ms >= CAST({:fromMs} AS bigint) AND first_slot_ms < CAST({:toMs} AS bigint)
         ORDER BY first_slot_ms DESC LIMIT {:limit}`,
     })}
     CROSS JOIN LATERAL ${perRow(db, {
       as: "before",
       columns: "fingerprint_sha256 text",
       select: `SELECT fingerprint_sha256 FROM tls_observations
         WHERE check_key = {c.key} AND location_key = {l.key} AND first_slot_ms < {o.first_slot_ms}
         ORDER BY first_slot_ms DESC LIMIT 1`,
     })}
     WHERE c.team_id = :teamId ${ofCheck ? "AND c.key = :checkKey" : ""}
       AND o.fingerprint_sha256 <> before.fingerprint_sha256
     GROUP BY c.id, c.name, o.fingerprint_sha256 ${NEWEST_FIRST}`,
  schema_drift: (ofCheck, db) =>
    `SELECT to_timestamp(d.slot_ms / 1000.0) AS at, ${NO_END}, c.id, c.name || ': the MCP server changed'
     FROM checks c JOIN mcp_baselines b ON b.check_key = c.key
     JOIN LATERAL ${perRow(db, {
       as: "d",
       columns: "slot_ms bigint",
       select: `SELECT slot_ms FROM result_details WHERE check_key = {c.key}
         AND slot_ms >= CAST({:fromMs} AS bigint) AND slot_ms < CAST({:toMs} AS bigint)
         AND (detail -> 'mcpSchemaDrift') IS NOT NULL`,
     })} ON true
     WHERE c.team_id = :teamId ${ofCheck ? "AND c.key = :checkKey" : ""}
     ${NEWEST_FIRST}`,
};

/** Which annotations are read. Unix ms; `check`: only those of this one. */
interface AnnotationsInput {
  fromMs: number;
  toMs: number;
  check: { key: number; id: string } | undefined;
}

/** Reads the team's annotations that overlap a range, newest first, at most {@link ANNOTATIONS_MAX}. */
export function readAnnotations(
  db: Knex,
  teamId: TeamId,
  { fromMs, toMs, check }: AnnotationsInput,
): Promise<Annotation[]> {
  const parts = Object.entries(PARTS).map(
    ([kind, part]) => `(SELECT '${kind}' AS kind, p.* FROM (${part(check !== undefined, db)}) p)`,
  );
  return queryRows(
    db,
    `SELECT kind, at, until, left(title, ${TITLE_LENGTH_MAX}) AS title, subject_id
     FROM (${parts.join("\nUNION ALL\n")}) a (kind, at, until, subject_id, title) ORDER BY at DESC, kind, subject_id LIMIT :limit`,
    {
      teamId,
      fromMs: wholeMs(fromMs),
      toMs: wholeMs(toMs),
      from: new Date(fromMs),
      to: new Date(toMs),
      limit: ANNOTATIONS_MAX,
      ...(check && { checkKey: check.key, checkId: check.id }),
    },
  );
}
