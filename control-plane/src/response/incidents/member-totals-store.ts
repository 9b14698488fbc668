/** SQL of the totals of an incident's members. */
import { type AlertInstanceId, type ChannelId, INCIDENT_MEMBERS_LISTED, type Severity } from "@svc/contract";
import type { Knex } from "knex";
import { queryRows } from "../../platform/db/rows.ts";
import type { Dimension } from "./dimensions.ts";
import type { MemberProfile } from "./member-profile.ts";
import { profileFromStored, type StoredProfile } from "./stored-profile.ts";

/** All members of an incident together. */
export interface MemberTotals {
  incidentKey: number;
  memberCount: number;
  openCount: number;
  unacknowledgedCount: number;
  checkCount: number;
  /** ISO 8601. */
  firstStartedAt: string;
  openSeverities: Severity[];
  /** Instances of the oldest members. */
  instanceIds: AlertInstanceId[];
  /** Channels that any member's rule names. */
  channelIds: ChannelId[];
  /** Number of members with each dimension. */
  dimensionCounts: Map<Dimension, number>;
  /** A sample of the members, open ones first. */
  sample: { profile: MemberProfile; startedAtMs: number }[];
}

/** Most members of one sample. */
const SAMPLE_MAX = 100;

/**
 * Returns the totals of incidents, by incident key.
 * @param options.withSample false leaves `dimensionCounts` and `sample` empty, and saves their two statements. Default true
 */
export async function readTotals(
  db: Knex,
  incidentKeys: readonly number[],
  { withSample = true }: { withSample?: boolean } = {},
): Promise<Map<number, MemberTotals>> {
  const keys = [...incidentKeys];
  if (keys.length === 0) return new Map();
  const totals = await queryRows<Omit<MemberTotals, "dimensionCounts" | "sample">>(
    db,
    `SELECT m.incident_key, count(*)::integer AS member_count,
       count(*) FILTER (WHERE ended_at IS NULL)::integer AS open_count,
       count(*) FILTER (WHERE ended_at IS NULL AND acknowledged_at IS NULL)::integer AS unacknowledged_count,
       count(DISTINCT check_id)::integer AS check_count, min(started_at) AS first_started_at,
       coalesce(array_agg(DISTINCT severity) FILTER (WHERE ended_at IS NULL), '{}') AS open_severities,
       array_agg(instance_id ORDER BY position) FILTER (WHERE position <= ${INCIDENT_MEMBERS_LISTED}) AS instance_ids,
       (SELECT coalesce(array_agg(DISTINCT c), '{}') FROM incident_members o CROSS JOIN unnest(o.channel_ids) AS c
          WHERE o.incident_key = m.incident_key) AS channel_ids
     FROM incident_members m WHERE m.incident_key = ANY(?) GROUP BY m.incident_key`,
    [keys],
  );
  const dimensions = withSample ? await readDimensionCounts(db, keys) : [];
  const samples = withSample ? await readSamples(db, keys) : [];
  const byKey = new Map<number, MemberTotals>(
    totals.map((row) => [row.incidentKey, { ...row, dimensionCounts: new Map(), sample: [] }]),
  );
  for (const { incidentKey, dimension, count } of dimensions)
    byKey.get(incidentKey)?.dimensionCounts.set(dimension, count);
  for (const { incidentKey, facts, startedAt } of samples)
    byKey
      .get(incidentKey)
      ?.sample.push({ profile: profileFromStored(facts), startedAtMs: Date.parse(startedAt) });
  return byKey;
}

/**
 * Returns how many members of each incident have each dimension. In an incident of several members, a dimension that
 * only one has is left out, because no other member shares it.
 */
function readDimensionCounts(
  db: Knex,
  keys: readonly number[],
): Promise<{ incidentKey: number; dimension: Dimension; count: number }[]> {
  return queryRows(
    db,
    `SELECT m.incident_key, d AS dimension, count(*)::integer AS count
     FROM incident_members m CROSS JOIN LATERAL unnest(m.dimensions) AS d
     JOIN (SELECT incident_key, count(*) AS members FROM incident_members WHERE incident_key = ANY(:keys)
           GROUP BY incident_key) t ON t.incident_key = m.incident_key
     WHERE m.incident_key = ANY(:keys) GROUP BY m.incident_key, d HAVING count(*) >= least(2, min(t.members))`,
    { keys },
  );
}

function readSamples(
  db: Knex,
  keys: readonly number[],
): Promise<{ incidentKey: number; facts: StoredProfile; startedAt: string }[]> {
  return queryRows(
    db,
    `SELECT s.incident_key, s.facts, s.started_at
     FROM unnest(?::bigint[]) AS k (key)
     CROSS JOIN LATERAL (SELECT * FROM incident_members m WHERE m.incident_key = k.key
       ORDER BY (m.ended_at IS NOT NULL), m.position LIMIT ${SAMPLE_MAX}) s
     ORDER BY s.incident_key, s.position`,
    [[...keys]],
  );
}
