/**
 * SQL of the records that the live stream tells of beside results: events of alerts, of incidents, of locations and of
 * deployments, and the change log. Transactions commit in another order than they begin, so a look reads again whatever may have
 * committed since the last one, and the cursor leaves out what was reported.
 */
import type { LiveEvent, TeamId } from "@svc/contract";
import type { Knex } from "knex";
import { queryRows } from "../platform/db/rows.ts";
import { ATTR } from "../telemetry/records/attributes.ts";

/** Records of one kind that a look reads at most; when there are more, the client reads everything anew. */
const RECORDS_MAX = 500;

/** A record that the stream tells of, with the event. */
export interface LiveRecord {
  /** Unique over all kinds. */
  id: string;
  event: LiveEvent;
}

/** The records since a position. */
export interface RecordsRead {
  records: LiveRecord[];
  /** Where the next look begins. */
  position: RecordPosition;
  /** True when there may be more than were read. */
  isCut: boolean;
}

/** How far the records were read. */
export interface RecordPosition {
  /** Oldest transaction that had not ended. */
  xid: string;
  /** Newest entry of the change log that is older than any that may still commit. */
  changeKey: number;
}

/** Time after which no transaction that wrote into the change log is open any more. */
const CHANGE_COMMIT_MS_MAX = 30_000;

/** Returns the position from which on records are new. */
export async function readRecordPosition(db: Knex, teamId: TeamId): Promise<RecordPosition> {
  const [position] = await queryRows<RecordPosition>(
    db,
    `SELECT pg_snapshot_xmin(pg_current_snapshot())::text AS xid,
       coalesce((SELECT max(key) FROM changes WHERE team_id = ?), 0) AS change_key`,
    [teamId],
  );
  return position as RecordPosition;
}

const { incidentId, incidentTitle, incidentSeverity, incidentState } = ATTR;
const { locationId, locationHealth, locationStatus } = ATTR;
const { deploymentId, deploymentService, deploymentVersion } = ATTR;

const RECORDS = `
  SELECT 'alert' AS name, a.id, a.data FROM (
    SELECT e.id, jsonb_build_object('alertId', e.instance_id, 'checkId', c.id, 'type', e.type, 'state', e.state,
      'severity', e.severity) AS data
    FROM alert_events e LEFT JOIN checks c ON c.key = e.check_key
    WHERE e.team_id = :teamId AND e.xid >= CAST(CAST(:xid AS text) AS xid8) ORDER BY e.xid, e.id LIMIT ${RECORDS_MAX}) a
  UNION ALL
  SELECT split_part(d.name, '.', 2), d.id, CASE split_part(d.name, '.', 2)
      WHEN 'incident' THEN jsonb_build_object('incidentId', d.attributes -> '${incidentId}', 'type', split_part(d.name, '.', 3),
        'state', d.attributes -> '${incidentState}', 'severity', d.attributes -> '${incidentSeverity}',
        'title', d.attributes -> '${incidentTitle}')
      WHEN 'location' THEN jsonb_strip_nulls(jsonb_build_object('locationId', d.attributes -> '${locationId}',
        'health', d.attributes -> '${locationHealth}', 'status', d.attributes -> '${locationStatus}'))
      ELSE jsonb_build_object('deploymentId', d.attributes -> '${deploymentId}',
        'service', d.attributes -> '${deploymentService}', 'version', d.attributes -> '${deploymentVersion}')
    END
  FROM (SELECT id, name, attributes FROM derived_events
    WHERE team_id = :teamId AND xid >= CAST(CAST(:xid AS text) AS xid8)
      AND (name LIKE 'synthetics.incident.%' OR name LIKE 'synthetics.location.%' OR name = 'synthetics.deployment.created')
    ORDER BY xid, id LIMIT ${RECORDS_MAX}) d
  UNION ALL
  SELECT 'change', k.id, jsonb_build_object('key', k.key, 'createdAtMs', k.created_at_ms, 'type', k.type, 'action', k.action,
    'resourceId', k.resource_id)
  FROM (SELECT key, id, type, action, resource_id, (extract(epoch FROM created_at) * 1000)::bigint AS created_at_ms
    FROM changes WHERE team_id = :teamId AND key > :changeKey ORDER BY key LIMIT ${RECORDS_MAX}) k`;

interface RecordRow {
  name: LiveEvent["name"] | null;
  id: string;
  data: Record<string, unknown>;
  xid: string;
}

/** Reads the team's records since the position. Those that were read before may be among them. */
export async function readRecords(
  db: Knex,
  { teamId, position, nowMs }: { teamId: TeamId; position: RecordPosition; nowMs: number },
): Promise<RecordsRead> {
  const rows = await queryRows<RecordRow>(
    db,
    `SELECT r.*, x.xid FROM (SELECT pg_snapshot_xmin(pg_current_snapshot())::text AS xid) x LEFT JOIN (${RECORDS}) r ON true`,
    { teamId, ...position },
  );
  let { changeKey } = position;
  const counts = new Map<string, number>();
  const records = rows.flatMap(({ name, id, data }): LiveRecord[] => {
    if (name === null) return [];
    counts.set(name, (counts.get(name) ?? 0) + 1);
    if (name !== "change") return [{ id, event: { name, data } as unknown as LiveEvent }];
    const { key, createdAtMs, ...change } = data;
    if (nowMs - Number(createdAtMs) > CHANGE_COMMIT_MS_MAX) changeKey = Math.max(changeKey, Number(key));
    return [{ id, event: { name, data: change } as unknown as LiveEvent }];
  });
  const isCut = [...counts.values()].some((count) => count >= RECORDS_MAX);
  return { records, position: { xid: rows[0]?.xid ?? position.xid, changeKey }, isCut };
}
