/** SQL by which incidents are folded into one. The caller holds the lock of the team's incidents. */
import type { AlertInstanceId, AlertRuleId, ChannelId, LocationId, Severity, TeamId } from "@svc/contract";
import type { Knex } from "knex";
import type { AlertExcerpt } from "../../outbox/payload.ts";
import { queryRows } from "../../platform/db/rows.ts";
import type { StoredProfile } from "./stored-profile.ts";

/** An active incident all of whose members fail at one location only. */
export interface FoldableIncident {
  key: number;
  state: "open" | "acknowledged";
  locationId: LocationId;
}

/** The team, the locations, and the instant since which a member must have begun. */
export interface FoldableInput {
  teamId: TeamId;
  locationIds: readonly LocationId[];
  /** Unix ms. */
  sinceMs: number;
  /** Error categories that every member must have failed with at the location; absent: any. */
  categories?: readonly string[];
  /** Since when the location's alerts are held back, Unix ms: no member began later, or was held back and let go; absent: any. */
  heldBackSinceMs?: number;
}

/**
 * Returns the foldable incidents of these locations that have an open member, and one that began since an instant. The own incident of a
 * location whose outage lasts is none of them.
 */
export function readFoldable(
  db: Knex,
  { teamId, locationIds, sinceMs, categories, heldBackSinceMs }: FoldableInput,
): Promise<FoldableIncident[]> {
  return queryRows(
    db,
    `SELECT i.key, i.state, min(l.ids[1]) AS location_id FROM incidents i
     JOIN incident_members m ON m.incident_key = i.key
     CROSS JOIN LATERAL (
       -- location:<id> and location+error_category:<id>+<category>
       SELECT coalesce(array_agg(DISTINCT split_part(split_part(d, ':', 2), '+', 1)), '{}') AS ids
       FROM unnest(m.dimensions) AS d WHERE split_part(d, ':', 1) IN ('location', 'location+error_category')) l
     WHERE i.team_id = :teamId AND i.state IN ('open', 'acknowledged') AND i.open_member_count > 0
       AND NOT EXISTS (SELECT FROM location_outages o WHERE o.incident_key = i.key AND o.ended_at IS NULL)
     GROUP BY i.key, i.state
     HAVING count(DISTINCT l.ids) = 1 AND max(cardinality(l.ids)) = 1 AND min(l.ids[1]) = ANY(CAST(:locationIds AS text[]))
       AND max(m.started_at) >= :since
       ${categories === undefined ? "" : FAILED_IN_CATEGORIES}
       ${heldBackSinceMs === undefined ? "" : WERE_TOO_EARLY}
     ORDER BY i.key`,
    {
      teamId,
      locationIds: [...locationIds],
      since: new Date(sinceMs),
      ...(categories !== undefined && { categories: [...categories] }),
      ...(heldBackSinceMs !== undefined && { heldBackSince: new Date(heldBackSinceMs) }),
    },
  );
}

const FAILED_IN_CATEGORIES = `AND bool_and(EXISTS (
  SELECT FROM jsonb_array_elements(m.facts -> 'places') AS n (place)
  WHERE place ->> 'locationId' = l.ids[1] AND place ->> 'errorCategory' = ANY(CAST(:categories AS text[]))))`;

const WERE_TOO_EARLY = `AND max(m.started_at) <= :heldBackSince
  AND NOT bool_or(EXISTS (SELECT FROM alert_events e WHERE e.instance_id = m.instance_id AND e.type = 'released'))`;

/** A member that is in another incident now. */
export interface MovedMember {
  fromKey: number;
  channelIds: ChannelId[];
  alert: AlertExcerpt;
}

interface MovedRow {
  fromKey: number;
  channelIds: ChannelId[];
  instanceId: AlertInstanceId;
  startedAt: string;
  ruleId: AlertRuleId;
  ruleName: string | null;
  severity: Severity;
  facts: StoredProfile;
}

/** The incidents whose members move to the target incident, and the location that all of them fail at. */
export interface MoveMembersInput {
  targetKey: number;
  foldedKeys: readonly number[];
  locationId: LocationId;
}

/**
 * Gives the members of all these incidents the location as a dimension, and makes those of the folded incidents members
 * of the target.
 * @returns the members that moved, oldest first
 */
export async function moveMembers(
  trx: Knex,
  { targetKey, foldedKeys, locationId }: MoveMembersInput,
): Promise<MovedMember[]> {
  await trx.raw(
    `UPDATE incident_members SET dimensions = dimensions || CAST(:dimension AS text)
     WHERE incident_key = ANY(:keys) AND NOT dimensions @> ARRAY[CAST(:dimension AS text)]`,
    { dimension: `location:${locationId}`, keys: [targetKey, ...foldedKeys] },
  );
  if (foldedKeys.length === 0) return [];
  const rows = await queryRows<MovedRow>(
    trx,
    `WITH moving AS (
       SELECT instance_id, incident_key, row_number() OVER (ORDER BY started_at, instance_id)
         + (SELECT coalesce(max(position), 0) FROM incident_members WHERE incident_key = :targetKey) AS position
       FROM incident_members WHERE incident_key = ANY(:foldedKeys)
     ), moved AS (
       UPDATE incident_members m SET incident_key = :targetKey, position = moving.position
       FROM moving WHERE m.instance_id = moving.instance_id RETURNING m.*, moving.incident_key AS from_key
     )
     SELECT m.from_key, m.channel_ids, m.instance_id, m.rule_id, r.name AS rule_name, m.severity, m.started_at, m.facts
     FROM moved m LEFT JOIN alert_rules r ON r.id = m.rule_id ORDER BY m.position`,
    { targetKey, foldedKeys: [...foldedKeys] },
  );
  return rows.map(movedFromRow);
}

function movedFromRow({ fromKey, channelIds, ruleId, ruleName, facts, ...row }: MovedRow): MovedMember {
  return {
    fromKey,
    channelIds,
    alert: {
      instanceId: row.instanceId,
      severity: row.severity,
      startedAt: row.startedAt,
      rule: { id: ruleId, name: ruleName },
      check:
        facts.checkId === null || facts.checkType === null
          ? null
          : { id: facts.checkId, name: facts.checkName, type: facts.checkType },
      summary: `${facts.checkName}: ${facts.summary}`,
      targetUrl: null,
      locations: facts.locations,
      traceId: null,
    },
  };
}
