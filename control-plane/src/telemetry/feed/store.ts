/** SQL of the feed: the team's checks, events of alerts and locations, and the rows of the results on a page. */
import {
  type AlertEventType,
  type AlertInstanceId,
  type AlertRuleId,
  type AlertState,
  type CheckId,
  type CheckType,
  type LocationId,
  type ResultDetail,
  SEVERITIES,
  type Severity,
  type TeamId,
  type TelemetryEventName,
} from "@svc/contract";
import type { Knex } from "knex";
import { DELETED_RESULTS_KEPT, KNOWN_CHECKS } from "../../checks/deleted-check-store.ts";
import type { CheckLocationSlot } from "../../platform/check-location.ts";
import { perRow } from "../../platform/db/engine-sql.ts";
import { queryRows } from "../../platform/db/rows.ts";
import { slotBindings } from "../../platform/db/slot-bindings.ts";
import { traceIdSql } from "../../platform/db/trace-id-sql.ts";
import { DETAIL_OF_KEY, RESULT_OF_KEY } from "../../results/row-parts-store.ts";
import type { EventAttributes } from "../derived-events/store.ts";
import type { FeedCheck, FeedRequest } from "./request.ts";

/** Deleted checks whose last results the feed of a team shows: the newest ones. */
const DELETED_CHECKS_MAX = 1_000;

/** Reads the team's checks, or the one with this id; deleted ones as well while their results are there. */
export async function readFeedChecks(
  db: Knex,
  teamId: TeamId,
  checkId: CheckId | undefined,
): Promise<FeedCheck[]> {
  return queryRows(
    db,
    `(SELECT key, location_keys, frequency_seconds_max::bigint * 1000 AS period_ms_max, 0::float8 AS slots_per_second
      FROM deleted_checks WHERE team_id = :teamId
        AND ${checkId === undefined ? `deleted_at > now() - interval '${DELETED_RESULTS_KEPT}'` : "id = :checkId"}
      ORDER BY deleted_at DESC LIMIT ${DELETED_CHECKS_MAX})
     UNION ALL
     SELECT c.key, s.location_keys, s.period_ms_max,
       CASE WHEN c.enabled THEN cardinality(c.location_ids)::float8 / c.frequency_seconds ELSE 0 END AS slots_per_second
     FROM checks c CROSS JOIN LATERAL (
       SELECT array_agg(DISTINCT l) AS location_keys, max(frequency_seconds)::bigint * 1000 AS period_ms_max
       FROM check_revisions r CROSS JOIN unnest(r.location_keys) AS l WHERE r.check_key = c.key) s
     WHERE c.team_id = :teamId ${checkId === undefined ? "" : "AND c.id = :checkId"} AND s.location_keys IS NOT NULL`,
    checkId === undefined ? { teamId } : { teamId, checkId },
  );
}

/** The columns of a result on the page that its event shows. */
export interface FeedResultRow extends CheckLocationSlot {
  createdAtMs: number;
  status: number;
  traceId: string | null;
  responseTimeUs: number;
  httpStatusCode: number | null;
  errorMessage: string | null;
  drift: ResultDetail["mcpSchemaDrift"] | null;
  checkId: CheckId;
  checkName: string;
  checkType: CheckType;
  locationId: LocationId;
  locationName: string;
}

/** Reads the rows of these results, in no particular order. */
export function readFeedResultRows(
  db: Knex,
  results: readonly CheckLocationSlot[],
): Promise<FeedResultRow[]> {
  if (results.length === 0) return Promise.resolve([]);
  return queryRows(
    db,
    `SELECT r.check_key, r.location_key, r.slot_ms,
       (extract(epoch FROM r.created_at) * 1000)::bigint AS created_at_ms, r.status,
       ${traceIdSql({ result: "r", checkId: "c.id", locationId: "l.id" })} AS trace_id, r.response_time_us,
       r.http_status_code, d.detail ->> 'errorMessage' AS error_message,
       d.detail -> 'mcpSchemaDrift' AS drift, c.id AS check_id, c.name AS check_name, c.type AS check_type,
       l.id AS location_id, l.name AS location_name
     FROM unnest(CAST(:checkKeys AS bigint[]), CAST(:locationKeys AS integer[]), CAST(:slots AS bigint[]))
       AS k (check_key, location_key, slot_ms)
     CROSS JOIN LATERAL ${perRow(db, RESULT_OF_KEY)}
     JOIN ${KNOWN_CHECKS} c ON c.key = r.check_key
     JOIN locations l ON l.key = r.location_key
     LEFT JOIN LATERAL ${perRow(db, DETAIL_OF_KEY)} ON true`,
    {
      checkKeys: results.map(({ checkKey }) => checkKey),
      locationKeys: results.map(({ locationKey }) => locationKey),
      ...slotBindings(results),
    },
  );
}

/** An alert event with the columns of its instance that the feed shows. */
export interface FeedAlertRow {
  id: string;
  createdAtMs: number;
  type: AlertEventType;
  state: AlertState;
  severity: Severity;
  actorId: string | null;
  detail: Record<string, unknown> | null;
  instanceId: AlertInstanceId;
  context: Record<string, unknown> | null;
  triggeringTraceId: string | null;
  ruleId: AlertRuleId;
  ruleName: string | null;
  /** null, with its name and type: the alert is about no check. */
  checkId: CheckId | null;
  checkName: string | null;
  checkType: CheckType | null;
}

const NEWEST_IN_RANGE =
  "created_at >= :from AND created_at < :to ORDER BY created_at DESC, id DESC LIMIT :limit";

/**
 * Reads the events of each type and severity by the index that has them in order, so that a rare kind costs what it has,
 * not what the team has.
 */
const EVENTS_BY_KIND = `SELECT n.* FROM unnest(CAST(:types AS text[])) AS t (type)
     CROSS JOIN unnest(CAST(:severities AS text[])) AS s (severity)
     CROSS JOIN LATERAL (SELECT * FROM alert_events
       WHERE team_id = :teamId AND type = t.type AND severity = s.severity AND ${NEWEST_IN_RANGE}) n
     ORDER BY n.created_at DESC, n.id DESC LIMIT :limit`;

const EVENTS_OF_CHECK = `SELECT * FROM alert_events WHERE team_id = :teamId AND check_key = :checkKey
     AND type = ANY(:types) AND severity = ANY(:severities) AND ${NEWEST_IN_RANGE}`;

const EVENTS_OF_DELETED_CHECKS = `SELECT * FROM deleted_check_alert_events WHERE team_id = :teamId
     AND type = ANY(:types) AND severity = ANY(:severities) AND ${NEWEST_IN_RANGE}`;

const EVENTS_OF_DELETED_CHECK = `SELECT * FROM deleted_check_alert_events WHERE check_key = :checkKey
     AND type = ANY(:types) AND severity = ANY(:severities) AND ${NEWEST_IN_RANGE}`;

/** Reads the newest alert events of these types, those of deleted checks included. */
export function readFeedAlerts(
  db: Knex,
  request: FeedRequest,
  types: readonly AlertEventType[],
): Promise<FeedAlertRow[]> {
  const { teamId, checks, isForOneCheck, severity, fromMs, toMs, limit } = request;
  const checkKey = isForOneCheck ? checks[0]?.key : undefined;
  if (isForOneCheck && checkKey === undefined) return Promise.resolve([]);
  return queryRows(
    db,
    `SELECT id, (extract(epoch FROM created_at) * 1000)::bigint AS created_at_ms, type, state, severity, actor_id, detail,
       instance_id, context, triggering_trace_id, rule_id, rule_name, check_id, check_name, check_type
     FROM (
       SELECT e.id, e.created_at, e.type, e.state, e.severity, e.actor_id, e.detail, i.id AS instance_id, i.context,
         i.triggering_trace_id, r.id AS rule_id, r.name AS rule_name, c.id AS check_id, c.name AS check_name,
         c.type AS check_type
       FROM (${checkKey === undefined ? EVENTS_BY_KIND : EVENTS_OF_CHECK}) e
       JOIN alert_instances i ON i.id = e.instance_id
       JOIN alert_rules r ON r.key = i.rule_key
       LEFT JOIN checks c ON c.key = i.check_key
       UNION ALL
       SELECT e.id, e.created_at, e.type, e.state, e.severity, e.actor_id, e.detail, e.instance_id,
         coalesce(e.context, jsonb_build_object('summary', e.summary)), e.trace_id, e.rule_id, e.rule_name, c.id, c.name, c.type
       FROM (${checkKey === undefined ? EVENTS_OF_DELETED_CHECKS : EVENTS_OF_DELETED_CHECK}) e
       JOIN deleted_checks c ON c.key = e.check_key
     ) AS events
     ORDER BY created_at DESC, id DESC LIMIT :limit`,
    {
      teamId,
      types,
      limit,
      from: new Date(fromMs),
      to: new Date(toMs + 1),
      severities: severity === undefined ? SEVERITIES : [severity],
      ...(checkKey === undefined ? {} : { checkKey }),
    },
  );
}

/** A derived event of a location as the feed reads it. */
export interface FeedLocationRow {
  id: string;
  createdAtMs: number;
  name: TelemetryEventName;
  severity: Severity;
  attributes: EventAttributes;
}

/** Reads the newest events of locations with these names. */
export function readFeedLocationEvents(
  db: Knex,
  { teamId, fromMs, toMs, limit }: FeedRequest,
  names: readonly TelemetryEventName[],
): Promise<FeedLocationRow[]> {
  return queryRows(
    db,
    `SELECT id, (extract(epoch FROM created_at) * 1000)::bigint AS created_at_ms, name, severity, attributes
     FROM derived_events WHERE team_id = :teamId AND name LIKE 'synthetics.location.%' AND name = ANY(:names)
       AND ${NEWEST_IN_RANGE}`,
    { teamId, names: [...names], limit, from: new Date(fromMs), to: new Date(toMs + 1) },
  );
}
