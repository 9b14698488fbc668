/** SQL by which the profiles of new members are read: one statement per kind for all of them, by index. */
import {
  type AlertInstanceId,
  type CheckId,
  type CheckType,
  MINUTE_MS,
  STATUS_CODES,
  type TeamId,
  wholeMs,
} from "@svc/contract";
import type { Knex } from "knex";
import { targetSql } from "../../checks/target-sql.ts";
import { perRow } from "../../platform/db/engine-sql.ts";
import { queryRows } from "../../platform/db/rows.ts";
import { newestToMs, slotBindings } from "../../platform/db/slot-bindings.ts";
import { DETAIL_OF_KEY } from "../../results/row-parts-store.ts";
import type { EvidentDetail } from "../failures/evidence.ts";
import type { TeamBatch } from "./team-batch.ts";

/** An alert instance with its rule and its check. */
export interface AlertCheckRow {
  instanceId: AlertInstanceId;
  checkKey: number;
  checkId: CheckId;
  checkName: string;
  checkType: CheckType;
  targetUrl: string | null;
  frequencySeconds: number;
  locationKeys: number[];
  labels: string[];
  conditions: string[];
}

/** Returns the alert instances with their checks; those whose check was deleted are left out. */
export function readAlertChecks(
  db: Knex,
  teamId: TeamId,
  instanceIds: readonly AlertInstanceId[],
): Promise<AlertCheckRow[]> {
  return queryRows(
    db,
    `SELECT i.id AS instance_id, c.key AS check_key, c.id AS check_id, c.name AS check_name, c.type AS check_type,
       ${targetSql("c")} AS target_url, c.frequency_seconds,
       coalesce(v.location_keys, '{}') AS location_keys,
       ARRAY(SELECT label FROM check_labels l WHERE l.check_key = c.key ORDER BY label) AS labels,
       ARRAY(SELECT DISTINCT jsonb_array_elements(r.conditions) ->> 'type') AS conditions
     FROM alert_instances i JOIN alert_rules r ON r.key = i.rule_key JOIN checks c ON c.key = i.check_key
     LEFT JOIN check_revisions v ON v.check_key = c.key AND v.effective_until_ms IS NULL
     WHERE i.team_id = ? AND i.id = ANY(?)`,
    [teamId, [...instanceIds]],
  );
}

/** Returns the host patterns of the SLOs that generated the rules of these instances, which have no check. */
export function readPatternsOfAlerts(
  db: Knex,
  teamId: TeamId,
  instanceIds: readonly AlertInstanceId[],
): Promise<{ instanceId: AlertInstanceId; hostPattern: string }[]> {
  return queryRows(
    db,
    `SELECT i.id AS instance_id, p.host_pattern
     FROM alert_instances i JOIN alert_rules r ON r.key = i.rule_key JOIN slos s ON s.key = r.slo_key
     JOIN third_party_patterns p ON p.id = s.pattern_id
     WHERE i.team_id = ? AND i.id = ANY(?) AND i.check_key IS NULL`,
    [teamId, [...instanceIds]],
  );
}

/** The stored detail of a failure. */
export interface FailureDetail {
  checkKey: number;
  locationKey: number;
  errorCategory: string | null;
  errorMessage: string | null;
  /** The parts of the detail that evidence is drawn from. */
  evident: EvidentDetail | null;
}

/** The requests and lines of a page, and the assertions, that evidence is drawn from: few, as JSON paths. */
const EVIDENT_PATHS = {
  brokenAssertions: "$[0 to 19] ? (@.passed == false)",
  notableRequests: '$[*] ? (@.resourceType == "document" || exists(@.errorText) || @.httpStatusCode >= 400)',
  firstRequests: "$[0 to 19]",
  pageErrors: '$[0 to 99] ? (@.type == "pageerror")',
};

/** Most characters of an error message that are read. */
const MESSAGE_MAX = 300;

/** Returns the details that are stored of failures beside their rows. */
export function readFailureDetails(
  db: Knex,
  failures: readonly { checkKey: number; locationKey: number; slotMs: number }[],
): Promise<FailureDetail[]> {
  if (failures.length === 0) return Promise.resolve([]);
  return queryRows(
    db,
    `SELECT k.check_key, k.location_key, d.detail ->> 'errorCategory' AS error_category,
       left(d.detail ->> 'errorMessage', ${MESSAGE_MAX}) AS error_message,
       jsonb_strip_nulls(jsonb_build_object(
         'assertions', jsonb_path_query_array(d.detail -> 'assertions', CAST(:brokenAssertions AS jsonpath)),
         'networkRequestsJson', jsonb_path_query_array(
           jsonb_path_query_array(d.detail -> 'networkRequestsJson', CAST(:notableRequests AS jsonpath)),
           CAST(:firstRequests AS jsonpath)),
         'consoleLogsJson', jsonb_path_query_array(d.detail -> 'consoleLogsJson', CAST(:pageErrors AS jsonpath)),
         'response', CASE WHEN d.detail -> 'response' IS NULL THEN NULL ELSE jsonb_build_object(
           'httpStatusCode', d.detail #> '{response,httpStatusCode}',
           'headers', jsonb_build_object('retry-after', d.detail #> '{response,headers,retry-after}')) END)) AS evident
     FROM unnest(CAST(:checkKeys AS bigint[]), CAST(:locationKeys AS integer[]), CAST(:slots AS bigint[]))
       AS k (check_key, location_key, slot_ms)
     CROSS JOIN LATERAL ${perRow(db, DETAIL_OF_KEY)}`,
    {
      checkKeys: failures.map(({ checkKey }) => checkKey),
      locationKeys: failures.map(({ locationKey }) => locationKey),
      ...slotBindings(failures),
      ...EVIDENT_PATHS,
    },
  );
}

/** The newest result of a sampled check at one of its locations. */
export interface SampledResult {
  /** The location that the check was sampled for. */
  sampledKey: number;
  checkKey: number;
  locationKey: number;
  isFailing: boolean;
}

/** Most checks of a location that are sampled, to judge whether the location fails as a whole. */
const SAMPLED_CHECKS_MAX = 200;
/** Age from which on a result says nothing about now. */
const SAMPLED_AGE_MS = 15 * MINUTE_MS;

/** Returns the newest results, at all their locations, of up to 200 of the team's checks at each of these locations. */
export function sampleLocations(
  db: Knex,
  { teamId, nowMs }: TeamBatch,
  locationKeys: readonly number[],
): Promise<SampledResult[]> {
  if (locationKeys.length === 0) return Promise.resolve([]);
  return queryRows(
    db,
    `SELECT w.key AS sampled_key, s.key AS check_key, p.location_key, n.status <> ${STATUS_CODES.success} AS is_failing
     FROM unnest(CAST(:locationKeys AS integer[])) AS w (key)
     CROSS JOIN LATERAL (
       SELECT c.key, v.location_keys FROM checks c
       JOIN check_revisions v ON v.check_key = c.key AND v.effective_until_ms IS NULL
       WHERE c.team_id = :teamId AND c.enabled AND NOT c.paused AND w.key = ANY(v.location_keys)
       ORDER BY c.key LIMIT ${SAMPLED_CHECKS_MAX}) s
     CROSS JOIN LATERAL unnest(s.location_keys) AS p (location_key)
     CROSS JOIN LATERAL ${perRow(db, {
       as: "n",
       columns: "status smallint",
       select: `SELECT status FROM results WHERE check_key = {s.key} AND location_key = {p.location_key}
         AND slot_ms BETWEEN {:fromMs} AND {:newestToMs} ORDER BY slot_ms DESC LIMIT 1`,
     })}`,
    {
      teamId,
      locationKeys: [...locationKeys],
      fromMs: wholeMs(nowMs - SAMPLED_AGE_MS),
      newestToMs: newestToMs(nowMs),
    },
  );
}
