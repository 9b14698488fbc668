/** SQL of what a language model says of the hypotheses of incidents. */
import type { Hypothesis, HypothesisWording, Severity, TeamId } from "@svc/contract";
import type { Knex } from "knex";
import { queryRows } from "../../platform/db/rows.ts";

/** Tries per incident: its hypothesis changes as alerts join. */
const TRIES_MAX = 5;
/** Shortest time between two tries at an incident. */
const PAUSE = "interval '5 minutes'";
/** Tries of a team in a day. */
const TRIES_OF_TEAM_MAX = 50;

/** An incident whose hypothesis has not been worded. */
export interface UnwordedIncident {
  key: number;
  teamId: TeamId;
  title: string;
  severity: Severity;
  hypothesis: Hypothesis;
}

/**
 * Returns open incidents whose hypothesis the model has not worded, the newest of each team, so that none of them holds up the others.
 * @param rowsMax how many teams
 */
export function readUnwordedIncidents(
  db: Knex,
  { nowMs, rowsMax }: { nowMs: number; rowsMax: number },
): Promise<UnwordedIncident[]> {
  return queryRows(
    db,
    `SELECT * FROM (
       SELECT DISTINCT ON (i.team_id) i.key, i.team_id, i.title, i.severity, i.hypothesis, i.opened_at
       FROM incidents i LEFT JOIN hypothesis_wordings w ON w.incident_key = i.key
       WHERE i.state IN ('open', 'acknowledged')
         AND (w.incident_key IS NULL
           OR (w.hypothesis <> i.hypothesis OR w.model = '') AND w.tries < ${TRIES_MAX}
             AND w.tried_at < CAST(:now AS timestamptz) - ${PAUSE})
         AND (SELECT coalesce(sum(o.tries), 0) FROM hypothesis_wordings o
              WHERE o.team_id = i.team_id AND o.tried_at > CAST(:now AS timestamptz) - interval '1 day') < ${TRIES_OF_TEAM_MAX}
       ORDER BY i.team_id, i.opened_at DESC, i.key DESC) newest
     ORDER BY opened_at DESC LIMIT :rowsMax`,
    { now: new Date(nowMs), rowsMax },
  );
}

/**
 * A try at an incident's hypothesis. Without claims the model said nothing usable; without a model's name, too, it did not answer, and is
 * asked again after a pause.
 */
export interface WordingTry extends Pick<HypothesisWording, "claims" | "facts" | "model"> {
  incident: UnwordedIncident;
  nowMs: number;
}

/** Stores a try in the stead of the one before; does nothing once the incident is gone. */
export async function saveWording(
  db: Knex,
  { incident, claims, facts, model, nowMs }: WordingTry,
): Promise<void> {
  await db.raw(
    `INSERT INTO hypothesis_wordings AS w (incident_key, team_id, hypothesis, facts, claims, model, tries, tried_at)
     SELECT key, team_id, CAST(:hypothesis AS jsonb), :facts, CAST(:claims AS jsonb), :model, 1, :at
     FROM incidents WHERE key = :key
     ON CONFLICT (incident_key) DO UPDATE SET hypothesis = excluded.hypothesis, facts = excluded.facts,
       claims = excluded.claims, model = excluded.model, tries = w.tries + 1, tried_at = excluded.tried_at`,
    {
      key: incident.key,
      hypothesis: JSON.stringify(incident.hypothesis),
      facts: [...facts],
      claims: JSON.stringify(claims),
      model,
      at: new Date(nowMs),
    },
  );
}

/** Returns the wording of an incident's present hypothesis; undefined when there is none. */
export async function readWording(db: Knex, incidentKey: number): Promise<HypothesisWording | undefined> {
  const [row] = await queryRows<HypothesisWording>(
    db,
    `SELECT w.claims, w.facts, w.model, w.tried_at AS generated_at
     FROM hypothesis_wordings w JOIN incidents i ON i.key = w.incident_key AND i.hypothesis = w.hypothesis
     WHERE w.incident_key = ? AND w.claims <> '[]'`,
    [incidentKey],
  );
  return row;
}
