/** SQL of members: the alert instances of incidents, with the facts that were read when they began. */
import type { Severity, TeamId } from "@svc/contract";
import { INCIDENT_MEMBERS_LISTED } from "@svc/contract";
import type { Knex } from "knex";
import { queryRows } from "../../platform/db/rows.ts";
import type { ActiveIncident, AlertToPlace } from "./correlate.ts";
import { CORRELATION_WINDOW_MS } from "./correlate.ts";
import { type Dimension, suffices } from "./dimensions.ts";
import type { MemberFacts } from "./facts.ts";

export interface MemberRow {
  instanceId: string;
  incidentKey: number;
  /** Among its incident's members, from 1. */
  position: number;
  ruleId: string;
  checkId: string;
  severity: Severity;
  startedAt: string;
  acknowledgedAt: string | null;
  endedAt: string | null;
  channelIds: string[];
  dimensions: Dimension[];
  facts: MemberFacts;
}

const RECORD = `"instanceId" text, "incidentKey" bigint, position integer, "ruleId" text, "checkId" text, severity text,
  "startedAt" timestamptz, "acknowledgedAt" timestamptz, "endedAt" timestamptz, "channelIds" jsonb, dimensions jsonb,
  facts jsonb`;

export async function insertMembers(trx: Knex, rows: readonly MemberRow[]): Promise<void> {
  if (rows.length === 0) return;
  await trx.raw(
    `INSERT INTO incident_members (instance_id, incident_key, position, rule_id, check_id, severity, started_at,
       acknowledged_at, ended_at, channel_ids, dimensions, facts)
     SELECT "instanceId", "incidentKey", position, "ruleId", "checkId", severity, "startedAt", "acknowledgedAt", "endedAt",
       ARRAY(SELECT jsonb_array_elements_text("channelIds")), ARRAY(SELECT jsonb_array_elements_text(dimensions)), facts
     FROM json_to_recordset(?::json) AS u (${RECORD})`,
    [JSON.stringify(rows)],
  );
}

/** A member as changes of its alert need it. */
export type MemberState = Omit<MemberRow, "position" | "dimensions" | "facts">;

/** By instance. */
export async function readMembers(
  db: Knex,
  instanceIds: readonly string[],
): Promise<Map<string, MemberState>> {
  const rows = await queryRows<MemberState>(
    db,
    `SELECT instance_id AS "instanceId", incident_key AS "incidentKey", rule_id AS "ruleId", check_id AS "checkId", severity,
       started_at AS "startedAt", acknowledged_at AS "acknowledgedAt", ended_at AS "endedAt", channel_ids AS "channelIds"
     FROM incident_members WHERE instance_id = ANY(?)`,
    [[...instanceIds]],
  );
  return new Map(rows.map((row) => [row.instanceId, row]));
}

export async function updateMembers(trx: Knex, rows: readonly MemberState[]): Promise<void> {
  if (rows.length === 0) return;
  await trx.raw(
    `UPDATE incident_members m SET severity = u.severity, acknowledged_at = u."acknowledgedAt", ended_at = u."endedAt"
     FROM json_to_recordset(?::json) AS u (${RECORD}) WHERE m.instance_id = u."instanceId"`,
    [JSON.stringify(rows)],
  );
}

/** The active incidents of a team that these alerts could join, as far as they could. */
export async function readActiveIncidents(
  db: Knex,
  teamId: TeamId,
  alerts: readonly Pick<AlertToPlace, "ruleId" | "startedAtMs" | "dimensions">[],
): Promise<ActiveIncident[]> {
  const starts = alerts.map(({ startedAtMs }) => startedAtMs);
  const bindings = {
    teamId,
    dimensions: [...new Set(alerts.flatMap(({ dimensions }) => dimensions.filter(suffices)))],
    ruleIds: [...new Set(alerts.map(({ ruleId }) => ruleId))],
    from: new Date(Math.min(...starts) - CORRELATION_WINDOW_MS),
    until: new Date(Math.max(...starts) + CORRELATION_WINDOW_MS),
  };
  const spans = await queryRows<{ key: number; dimension: string; firstMs: number; lastMs: number }>(
    db,
    `SELECT i.key, d.dimension, (extract(epoch FROM min(m.started_at)) * 1000)::bigint AS "firstMs",
       (extract(epoch FROM max(m.started_at)) * 1000)::bigint AS "lastMs"
     FROM incidents i JOIN incident_members m ON m.incident_key = i.key
     CROSS JOIN LATERAL unnest(m.dimensions) AS d (dimension)
     WHERE i.team_id = :teamId AND i.state IN ('open', 'acknowledged') AND m.started_at BETWEEN :from AND :until
       AND d.dimension = ANY(CAST(:dimensions AS text[]))
     GROUP BY i.key, d.dimension`,
    bindings,
  );
  const rules = await queryRows<{ key: number; ruleId: string }>(
    db,
    `SELECT DISTINCT i.key, m.rule_id AS "ruleId" FROM incidents i JOIN incident_members m ON m.incident_key = i.key
     WHERE i.team_id = :teamId AND i.state IN ('open', 'acknowledged') AND m.rule_id = ANY(CAST(:ruleIds AS text[]))
     ORDER BY i.key`,
    bindings,
  );
  const active = new Map<number, ActiveIncident>();
  const incident = (key: number) => {
    const known = active.get(key) ?? { key, spans: new Map(), ruleIds: new Set<string>() };
    active.set(key, known);
    return known;
  };
  for (const { key, dimension, firstMs, lastMs } of spans)
    incident(key).spans.set(dimension, { firstMs, lastMs });
  for (const { key, ruleId } of rules) incident(key).ruleIds.add(ruleId);
  return [...active.values()];
}

/** All members of an incident together. */
export interface MemberTotals {
  incidentKey: number;
  memberCount: number;
  openCount: number;
  unacknowledgedCount: number;
  checkCount: number;
  firstStartedAt: string;
  openSeverities: Severity[];
  /** The oldest ones. */
  instanceIds: string[];
  channelIds: string[];
  /** How many have each dimension. */
  dimensionCounts: Map<Dimension, number>;
  /** A sample, open ones first. */
  sample: { facts: MemberFacts; startedAtMs: number }[];
}

const SAMPLE_MAX = 100;

/** By incident. @param withSample false: facts and dimensions stay empty */
export async function readTotals(
  db: Knex,
  incidentKeys: readonly number[],
  withSample = true,
): Promise<Map<number, MemberTotals>> {
  const keys = [...incidentKeys];
  if (keys.length === 0) return new Map();
  const totals = await queryRows<Omit<MemberTotals, "dimensionCounts" | "sample">>(
    db,
    `SELECT m.incident_key AS "incidentKey", count(*)::integer AS "memberCount",
       count(*) FILTER (WHERE ended_at IS NULL)::integer AS "openCount",
       count(*) FILTER (WHERE ended_at IS NULL AND acknowledged_at IS NULL)::integer AS "unacknowledgedCount",
       count(DISTINCT check_id)::integer AS "checkCount", min(started_at) AS "firstStartedAt",
       coalesce(array_agg(DISTINCT severity) FILTER (WHERE ended_at IS NULL), '{}') AS "openSeverities",
       array_agg(instance_id ORDER BY position) FILTER (WHERE position <= ${INCIDENT_MEMBERS_LISTED}) AS "instanceIds",
       (SELECT coalesce(array_agg(DISTINCT c), '{}') FROM incident_members o CROSS JOIN unnest(o.channel_ids) AS c
          WHERE o.incident_key = m.incident_key) AS "channelIds"
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
    byKey.get(incidentKey)?.sample.push({ facts, startedAtMs: Date.parse(startedAt) });
  return byKey;
}

function readDimensionCounts(
  db: Knex,
  keys: readonly number[],
): Promise<{ incidentKey: number; dimension: string; count: number }[]> {
  // What a single one of many has is shared with nobody.
  return queryRows(
    db,
    `SELECT m.incident_key AS "incidentKey", d AS dimension, count(*)::integer AS count
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
): Promise<{ incidentKey: number; facts: MemberFacts; startedAt: string }[]> {
  return queryRows(
    db,
    `SELECT s.incident_key AS "incidentKey", s.facts, s.started_at AS "startedAt"
     FROM unnest(?::bigint[]) AS k (key)
     CROSS JOIN LATERAL (SELECT * FROM incident_members m WHERE m.incident_key = k.key
       ORDER BY (m.ended_at IS NOT NULL), m.position LIMIT ${SAMPLE_MAX}) s
     ORDER BY s.incident_key, s.position`,
    [[...keys]],
  );
}

/** The oldest members' instances. */
export async function readMemberIds(db: Knex, incidentKey: number): Promise<string[]> {
  const rows = await queryRows<{ instanceId: string }>(
    db,
    `SELECT instance_id AS "instanceId" FROM incident_members WHERE incident_key = ? ORDER BY position LIMIT ?`,
    [incidentKey, INCIDENT_MEMBERS_LISTED],
  );
  return rows.map(({ instanceId }) => instanceId);
}
