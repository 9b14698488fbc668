/** SQL by which the facts of new members are read: one statement per kind for all of them, by index. */
import { type CheckType, STATUS_CODES, type TeamId } from "@svc/contract";
import type { Knex } from "knex";
import { queryRows } from "../../platform/db/rows.ts";

/** An alert instance with its rule and its check. */
export interface AlertFactsRow {
  instanceId: string;
  checkKey: number;
  checkId: string;
  checkName: string;
  checkType: CheckType;
  targetUrl: string | null;
  frequencySeconds: number;
  locationKeys: number[];
  labels: string[];
  conditions: string[];
}

/** Those that are still there. */
export function readAlertFacts(
  db: Knex,
  teamId: TeamId,
  instanceIds: readonly string[],
): Promise<AlertFactsRow[]> {
  return queryRows(
    db,
    `SELECT i.id AS "instanceId", c.key AS "checkKey", c.id AS "checkId", c.name AS "checkName", c.type AS "checkType",
       coalesce(c.config ->> 'url', c.config ->> 'endpoint') AS "targetUrl", c.frequency_seconds AS "frequencySeconds",
       coalesce(v.location_keys, '{}') AS "locationKeys",
       ARRAY(SELECT label FROM check_labels l WHERE l.check_key = c.key ORDER BY label) AS labels,
       ARRAY(SELECT DISTINCT jsonb_array_elements(r.conditions) ->> 'type') AS conditions
     FROM alert_instances i JOIN alert_rules r ON r.key = i.rule_key JOIN checks c ON c.key = i.check_key
     LEFT JOIN check_revisions v ON v.check_key = c.key AND v.effective_until_ms IS NULL
     WHERE i.team_id = ? AND i.id = ANY(?)`,
    [teamId, [...instanceIds]],
  );
}

export interface FailureDetail {
  checkKey: number;
  locationKey: number;
  errorCategory: string | null;
  errorMessage: string | null;
}

const MESSAGE_MAX = 300;

/** What is stored of failures beside their rows. */
export function readFailureDetails(
  db: Knex,
  failures: readonly { checkKey: number; locationKey: number; slotMs: number }[],
): Promise<FailureDetail[]> {
  if (failures.length === 0) return Promise.resolve([]);
  const slots = failures.map(({ slotMs }) => slotMs);
  return queryRows(
    db,
    `SELECT k.check_key AS "checkKey", k.location_key AS "locationKey", d.detail ->> 'errorCategory' AS "errorCategory",
       left(d.detail ->> 'errorMessage', ${MESSAGE_MAX}) AS "errorMessage"
     FROM unnest(CAST(:checkKeys AS bigint[]), CAST(:locationKeys AS integer[]), CAST(:slots AS bigint[]))
       AS k (check_key, location_key, slot_ms)
     CROSS JOIN LATERAL (SELECT detail FROM result_details WHERE check_key = k.check_key
       AND location_key = k.location_key AND slot_ms = k.slot_ms AND slot_ms BETWEEN :minSlot AND :maxSlot OFFSET 0) d`,
    {
      checkKeys: failures.map(({ checkKey }) => checkKey),
      locationKeys: failures.map(({ locationKey }) => locationKey),
      slots,
      minSlot: Math.min(...slots),
      maxSlot: Math.max(...slots),
    },
  );
}

/** The newest result of a check at a location. */
export interface SampledPlace {
  /** The location that the check was sampled for. */
  sampledKey: number;
  checkKey: number;
  locationKey: number;
  isFailing: boolean;
}

/** Checks of a location that are looked at, to tell whether it fails as a whole. */
const SAMPLED_CHECKS = 200;
/** Results older than this say nothing of now. */
const SAMPLED_AGE_MS = 900_000;

/** The newest results, at all their locations, of up to 200 of the team's checks at each of these locations. */
export function sampleLocations(
  db: Knex,
  teamId: TeamId,
  locationKeys: readonly number[],
  nowMs: number,
): Promise<SampledPlace[]> {
  if (locationKeys.length === 0) return Promise.resolve([]);
  return queryRows(
    db,
    `SELECT w.key AS "sampledKey", s.key AS "checkKey", p.location_key AS "locationKey", n.status <> ${STATUS_CODES.success} AS "isFailing"
     FROM unnest(CAST(:locationKeys AS integer[])) AS w (key)
     CROSS JOIN LATERAL (
       SELECT c.key, v.location_keys FROM checks c
       JOIN check_revisions v ON v.check_key = c.key AND v.effective_until_ms IS NULL
       WHERE c.team_id = :teamId AND c.enabled AND NOT c.paused AND w.key = ANY(v.location_keys)
       ORDER BY c.key LIMIT ${SAMPLED_CHECKS}) s
     CROSS JOIN LATERAL unnest(s.location_keys) AS p (location_key)
     CROSS JOIN LATERAL (SELECT status FROM results WHERE check_key = s.key AND location_key = p.location_key
       AND slot_ms >= :fromMs ORDER BY slot_ms DESC LIMIT 1) n`,
    { teamId, locationKeys: [...locationKeys], fromMs: nowMs - SAMPLED_AGE_MS },
  );
}
