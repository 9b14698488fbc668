/** SQL of the results by which a location's own reachability is judged. */
import { STATUS_CODES, type TeamId, wholeMs } from "@svc/contract";
import type { Knex } from "knex";
import { longestRunSql } from "../../checks/longest-run-sql.ts";
import { firstHopSql, targetSql } from "../../checks/target-sql.ts";
import { perRow } from "../../platform/db/engine-sql.ts";
import { queryRows } from "../../platform/db/rows.ts";
import { slotBindings } from "../../platform/db/slot-bindings.ts";
import { DETAIL_OF_KEY } from "../../results/row-parts-store.ts";
import { UNKNOWN_MS_MAX } from "./reach.ts";

/** A location as one team's checks see it, at an instant in Unix ms. */
export interface TeamLocation {
  teamId: TeamId;
  locationKey: number;
  atMs: number;
}

/** A result of a check that runs at the location, there or elsewhere. */
export interface ReachRow {
  /** Index of the location that was asked about. */
  asked: number;
  checkKey: number;
  target: string | null;
  /** See {@link firstHopSql}. */
  firstHop: string | null;
  frequencySeconds: number;
  /** Time limit of a run with its retries. */
  longestRunMs: number;
  isHere: boolean;
  locationKey: number;
  slotMs: number;
  status: number;
}

/** Most checks by which a location is judged. */
const CHECKS_MAX = 200;
/** Newest results at the location that are read, to find out since when it fails. */
const RESULTS_HERE = 3;

/** Finds the host of a URL, or of a host with or without a port. */
const HOST_PATTERN = "^(?:[a-zA-Z][a-zA-Z0-9+.-]*://)?(?:[^/?#@]*@)?([^/:?#]+)";
/** Finds the last two labels of a host. They stand for its domain only where it matters little which checks are looked at. */
const DOMAIN_PATTERN = "[^.]*\\.?[^.]+$";

/**
 * Returns the results of the last hour of the team's checks at each location that have a target and run elsewhere, too: the newest first. Of more than
 * 200 checks those are looked at that have the most domains: one of each, then a second of each, and so on, always the same.
 */
export function readReach(db: Knex, asked: readonly TeamLocation[]): Promise<ReachRow[]> {
  if (asked.length === 0) return Promise.resolve([]);
  const ats = asked.map(({ atMs }) => wholeMs(atMs));
  return queryRows(
    db,
    `SELECT w.asked, s.key AS check_key, s.target, s.first_hop, s.frequency_seconds, s.longest_run_ms,
       p.location_key = w.key AS is_here, p.location_key, n.slot_ms, n.status
     FROM (SELECT team_id, key, at_ms, ordinality - 1 AS asked
       FROM unnest(CAST(:teamIds AS text[]), CAST(:locationKeys AS integer[]), CAST(:ats AS bigint[]))
         WITH ORDINALITY AS u (team_id, key, at_ms, ordinality)
       WHERE EXISTS (SELECT FROM locations l WHERE l.key = u.key AND l.is_guarded)) w
     CROSS JOIN LATERAL (
       SELECT c.key, c.location_keys, c.target, c.first_hop, c.frequency_seconds, c.longest_run_ms
       FROM (
         SELECT b.*, row_number() OVER (
           PARTITION BY substring(substring(coalesce(b.first_hop, b.target) FROM CAST(:hostPattern AS text)) FROM CAST(:domainPattern AS text))
           ORDER BY hashint8(b.key)) AS rank
         FROM (
           SELECT c.key, c.frequency_seconds, v.location_keys, ${targetSql("c")} AS target, ${firstHopSql("c")} AS first_hop,
             ${longestRunSql("c")} AS longest_run_ms
           FROM checks c JOIN check_revisions v ON v.check_key = c.key AND v.effective_until_ms IS NULL
           WHERE c.team_id = w.team_id AND c.enabled AND NOT c.paused AND w.key = ANY(v.location_keys)
             AND cardinality(v.location_keys) > 1) b
         WHERE b.target IS NOT NULL) c
       ORDER BY c.rank, c.key LIMIT ${CHECKS_MAX}) s
     CROSS JOIN LATERAL (SELECT key AS location_key, CASE WHEN key = w.key THEN ${RESULTS_HERE} ELSE 1 END AS row_limit
       FROM unnest(s.location_keys) AS l (key)) p
     CROSS JOIN LATERAL ${perRow(db, {
       as: "n",
       columns: "slot_ms bigint, status smallint",
       select: `SELECT slot_ms, status FROM results WHERE check_key = {s.key} AND location_key = {p.location_key}
         AND slot_ms >= {w.at_ms} - ${UNKNOWN_MS_MAX} AND slot_ms <= {w.at_ms} AND slot_ms BETWEEN {:minFrom} AND {:maxAt}
         ORDER BY slot_ms DESC LIMIT {p.row_limit}`,
     })}
     ORDER BY w.asked, s.key, n.slot_ms DESC`,
    {
      teamIds: asked.map(({ teamId }) => teamId),
      locationKeys: asked.map(({ locationKey }) => locationKey),
      ats,
      hostPattern: HOST_PATTERN,
      domainPattern: DOMAIN_PATTERN,
      minFrom: wholeMs(Math.min(...ats) - UNKNOWN_MS_MAX),
      maxAt: wholeMs(Math.max(...ats)),
    },
  );
}

/** Returns the error categories of these results; those without one are left out. */
export async function readErrorCategories(
  db: Knex,
  results: readonly { checkKey: number; locationKey: number; slotMs: number }[],
): Promise<{ checkKey: number; locationKey: number; slotMs: number; category: string }[]> {
  if (results.length === 0) return [];
  return queryRows(
    db,
    `SELECT k.check_key, k.location_key, k.slot_ms, d.detail ->> 'errorCategory' AS category
     FROM unnest(CAST(:checkKeys AS bigint[]), CAST(:locationKeys AS integer[]), CAST(:slots AS bigint[]))
       AS k (check_key, location_key, slot_ms)
     CROSS JOIN LATERAL ${perRow(db, DETAIL_OF_KEY)} WHERE d.detail ->> 'errorCategory' IS NOT NULL`,
    {
      checkKeys: results.map(({ checkKey }) => checkKey),
      locationKeys: results.map(({ locationKey }) => locationKey),
      ...slotBindings(results),
    },
  );
}

/** True for a status that says nothing about the category of the error. */
export function hasCategoryInDetail(status: number): boolean {
  return status === STATUS_CODES.error || status === STATUS_CODES.timeout;
}
