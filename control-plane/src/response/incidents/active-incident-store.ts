/** SQL by which correlation finds the incidents that alerts may join. */
import type { AlertRuleId, TeamId } from "@svc/contract";
import type { Knex } from "knex";
import { queryRows } from "../../platform/db/rows.ts";
import { type ActiveIncident, type AlertToCorrelate, CORRELATION_WINDOW_MS } from "./correlate.ts";
import { type Dimension, suffices } from "./dimensions.ts";

/**
 * Returns the active incidents of a team that share a rule, or a dimension that suffices, with these alerts. Only the shared
 * dimensions and rules are loaded.
 */
export async function readActiveIncidents(
  db: Knex,
  teamId: TeamId,
  alerts: readonly Pick<AlertToCorrelate, "ruleId" | "startedAtMs" | "dimensions">[],
): Promise<ActiveIncident[]> {
  const starts = alerts.map(({ startedAtMs }) => startedAtMs);
  const bindings = {
    teamId,
    dimensions: [...new Set(alerts.flatMap(({ dimensions }) => dimensions.filter(suffices)))],
    ruleIds: [...new Set(alerts.map(({ ruleId }) => ruleId))],
    from: new Date(Math.min(...starts) - CORRELATION_WINDOW_MS),
    until: new Date(Math.max(...starts) + CORRELATION_WINDOW_MS),
  };
  const spans = await queryRows<{ key: number; dimension: Dimension; firstMs: number; lastMs: number }>(
    db,
    `SELECT i.key, d.dimension, (extract(epoch FROM min(m.started_at)) * 1000)::bigint AS first_ms,
       (extract(epoch FROM max(m.started_at)) * 1000)::bigint AS last_ms
     FROM incidents i JOIN incident_members m ON m.incident_key = i.key
     CROSS JOIN LATERAL unnest(m.dimensions) AS d (dimension)
     WHERE i.team_id = :teamId AND i.state IN ('open', 'acknowledged') AND m.started_at BETWEEN :from AND :until
       AND d.dimension = ANY(CAST(:dimensions AS text[]))
     GROUP BY i.key, d.dimension`,
    bindings,
  );
  const rules = await queryRows<{ key: number; ruleId: AlertRuleId }>(
    db,
    `SELECT DISTINCT i.key, m.rule_id FROM incidents i JOIN incident_members m ON m.incident_key = i.key
     WHERE i.team_id = :teamId AND i.state IN ('open', 'acknowledged') AND m.rule_id = ANY(CAST(:ruleIds AS text[]))
     ORDER BY i.key`,
    bindings,
  );
  const active = new Map<number, ActiveIncident>();
  const incident = (key: number) => {
    const known = active.get(key) ?? { key, spans: new Map(), ruleIds: new Set<AlertRuleId>() };
    active.set(key, known);
    return known;
  };
  for (const { key, dimension, firstMs, lastMs } of spans)
    incident(key).spans.set(dimension, { firstMs, lastMs });
  for (const { key, ruleId } of rules) incident(key).ruleIds.add(ruleId);
  return [...active.values()];
}
