/**
 * SQL of the exports: one row per team and signal holds its position and its status. The replica that exports a signal
 * holds a lease on the row, so that only one does. Every change names the lease, so that an expired one changes nothing.
 */
import {
  type ExportStatus,
  type OtlpProtocol,
  type TeamId,
  type TelemetrySignal,
  wholeMs,
} from "@svc/contract";
import type { Knex } from "knex";
import { queryRows } from "../../platform/db/rows.ts";
import type { Positions } from "./position.ts";

/** A lease on a team's signal, with the settings to export it. */
export interface ClaimedExport {
  teamId: TeamId;
  signal: TelemetrySignal;
  leasedBy: string;
  positions: Positions;
  failures: number;
  /** URL of the endpoint without its credentials. */
  endpoint: string;
  /** The URL as it was given, sealed; null: it holds no credential. */
  endpointSealed: Buffer | null;
  protocol: OtlpProtocol;
  sealedHeaders: Buffer | null;
  caCertificate: string | null;
}

const POSITION = `json_build_object(
  'results', json_build_object('xid', e.results_xid::text, 'id', e.results_id, 'taken', e.results_taken),
  'derived', json_build_object('xid', e.derived_xid::text, 'id', e.derived_id),
  'alerts', json_build_object('xid', e.alerts_xid::text, 'id', e.alerts_id),
  'maintenance', json_build_object('xid', e.maintenance_xid::text, 'id', e.maintenance_id))`;

/** Selects the rows of a source that the export has not passed. */
function pendingIn(table: string, source: keyof Positions): string {
  return `(SELECT * FROM ${table} p WHERE p.team_id = e.team_id
    AND (p.xid, p.id) > (e.${source}_xid, e.${source}_id) AND p.xid < pg_snapshot_xmin(pg_current_snapshot()))`;
}

const HAS_PENDING = `(EXISTS ${pendingIn("telemetry_results", "results")} OR (e.signal = 'logs' AND (
  EXISTS ${pendingIn("derived_events", "derived")} OR EXISTS ${pendingIn("alert_events", "alerts")}
  OR EXISTS ${pendingIn("deleted_check_alert_events", "alerts")}
  OR EXISTS ${pendingIn("maintenance_events", "maintenance")})))`;

/** The lease to claim exports under, and how many of them. */
export interface ClaimExportsInput {
  /** Name of the lease, unique among all leases. */
  leasedBy: string;
  leaseMs: number;
  limit: number;
  /** `team:signal` of exports that are left out. */
  except: string[];
}

/** Claims exports that have something to send and need not wait, those whose last attempt is oldest first. */
export function claimExports(
  db: Knex,
  { leasedBy, leaseMs, limit, except }: ClaimExportsInput,
): Promise<ClaimedExport[]> {
  return queryRows(
    db,
    `WITH due AS (
       SELECT e.team_id, e.signal FROM telemetry_exports e JOIN telemetry_settings s ON s.id = e.team_id
       WHERE s.enabled AND (e.lease_until IS NULL OR e.lease_until < clock_timestamp())
         AND (e.retry_at IS NULL OR e.retry_at <= clock_timestamp())
         AND NOT (e.team_id || ':' || e.signal = ANY(CAST(:except AS text[]))) AND ${HAS_PENDING}
       ORDER BY greatest(e.last_success_at, e.last_error_at) NULLS FIRST LIMIT :limit
       FOR UPDATE OF e SKIP LOCKED
     )
     UPDATE telemetry_exports e
     SET leased_by = :leasedBy, lease_until = clock_timestamp() + CAST(:leaseMs AS integer) * interval '1 ms'
     FROM due JOIN telemetry_settings s ON s.id = due.team_id
     WHERE e.team_id = due.team_id AND e.signal = due.signal
     RETURNING e.team_id, e.signal, e.leased_by, ${POSITION} AS positions, e.failures,
       s.endpoint, s.endpoint_sealed, s.protocol, s.headers AS sealed_headers, s.ca_certificate`,
    { leasedBy, leaseMs: wholeMs(leaseMs), limit, except },
  );
}

/** The result of a request, as it is recorded. */
export interface ExportProgress {
  /** The new positions; undefined: they did not move. */
  positions: Positions | undefined;
  failures: number;
  exported: number;
  rejected: number;
  dropped: number;
  error: string | undefined;
  /** Wait before the next request; undefined: none. */
  retryDelayMs: number | undefined;
  /** New length of the lease; undefined: the lease ends. */
  leaseMs: number | undefined;
}

/**
 * Records the progress of an export.
 * @returns whether the lease was still held; if not, nothing changed
 */
export async function recordProgress(
  db: Knex,
  { teamId, signal, leasedBy }: ClaimedExport,
  progress: ExportProgress,
): Promise<boolean> {
  const { positions, failures, exported, rejected, dropped } = progress;
  const rows = await queryRows(
    db,
    `UPDATE telemetry_exports SET
       ${positions ? MOVE : ""}
       failures = :failures, exported_records = exported_records + :exported,
       rejected_records = rejected_records + :rejected, dropped_records = dropped_records + :dropped,
       last_success_at = CASE WHEN CAST(:isSuccess AS boolean) THEN statement_timestamp() ELSE last_success_at END,
       last_error_at = CASE WHEN CAST(:error AS text) IS NULL THEN last_error_at ELSE statement_timestamp() END,
       last_error = coalesce(CAST(:error AS text), last_error),
       retry_at = statement_timestamp() + CAST(:retryDelayMs AS integer) * interval '1 ms',
       lease_until = statement_timestamp() + CAST(:leaseMs AS integer) * interval '1 ms',
       leased_by = CASE WHEN CAST(:leaseMs AS integer) IS NULL THEN NULL ELSE leased_by END
     WHERE team_id = :teamId AND signal = :signal AND leased_by = :leasedBy RETURNING 1`,
    {
      teamId,
      signal,
      leasedBy,
      failures,
      exported,
      rejected,
      dropped,
      ...(positions ? bindingsOf(positions) : {}),
      isSuccess: exported > 0,
      error: progress.error ?? null,
      retryDelayMs: progress.retryDelayMs === undefined ? null : wholeMs(progress.retryDelayMs),
      leaseMs: progress.leaseMs === undefined ? null : wholeMs(progress.leaseMs),
    },
  );
  return rows.length > 0;
}

const MOVE = `results_xid = CAST(:resultsXid AS xid8), results_id = :resultsId, results_taken = :resultsTaken,
  derived_xid = CAST(:derivedXid AS xid8), derived_id = :derivedId,
  alerts_xid = CAST(:alertsXid AS xid8), alerts_id = :alertsId,
  maintenance_xid = CAST(:maintenanceXid AS xid8), maintenance_id = :maintenanceId,`;

function bindingsOf({ results, derived, alerts, maintenance }: Positions): Record<string, string | number> {
  return {
    resultsXid: results.xid,
    resultsId: results.id,
    resultsTaken: results.taken,
    derivedXid: derived.xid,
    derivedId: derived.id,
    alertsXid: alerts.xid,
    alertsId: alerts.id,
    maintenanceXid: maintenance.xid,
    maintenanceId: maintenance.id,
  };
}

/** Releases a lease under which nothing more is sent. */
export async function releaseExport(db: Knex, claimed: ClaimedExport): Promise<void> {
  const { teamId, signal, leasedBy } = claimed;
  await db("telemetryExports")
    .where({ teamId, signal, leasedBy })
    .update({ leasedBy: null, leaseUntil: null });
}

/**
 * Sets the signals that a team exports. A new one begins with the rows that are committed after this transaction; one that
 * is not listed ends. All wait no longer for their next attempt.
 */
export async function setSignals(
  trx: Knex,
  teamId: TeamId,
  signals: readonly TelemetrySignal[],
): Promise<void> {
  await trx("telemetryExports")
    .where({ teamId })
    .whereNotIn("signal", [...signals])
    .delete();
  await trx.raw(
    `INSERT INTO telemetry_exports (team_id, signal, results_xid, derived_xid, alerts_xid, maintenance_xid)
     SELECT ?, s, x, x, x, x FROM unnest(?::text[]) AS s, pg_current_xact_id() AS x
     ON CONFLICT (team_id, signal) DO UPDATE SET retry_at = NULL`,
    [teamId, [...signals]],
  );
}

/** Reads the status of the team's exports. */
export async function readExportStatus(db: Knex, teamId: TeamId): Promise<ExportStatus[]> {
  const oldest = (table: string, source: keyof Positions) =>
    `(SELECT created_at FROM ${pendingIn(table, source).replace("SELECT *", "SELECT p.xid, p.id, p.created_at")} q ORDER BY q.xid, q.id LIMIT 1)`;
  return queryRows(
    db,
    `SELECT e.signal,
       CASE WHEN e.failures > 0 THEN 'failing' WHEN e.last_success_at IS NULL THEN 'waiting' ELSE 'exporting' END AS state,
       greatest(0, round(coalesce(extract(epoch FROM clock_timestamp() - least(
         ${oldest("telemetry_results", "results")},
         CASE WHEN e.signal = 'logs' THEN least(${oldest("derived_events", "derived")},
           ${oldest("alert_events", "alerts")}, ${oldest("maintenance_events", "maintenance")}) END)), 0)))::float8 AS lag_seconds,
       e.last_success_at, e.last_error_at, e.last_error,
       CASE WHEN e.failures > 0 THEN e.retry_at END AS next_attempt_at, e.exported_records,
       e.rejected_records, e.dropped_records
     FROM telemetry_exports e WHERE e.team_id = ? ORDER BY array_position(ARRAY['logs', 'traces', 'metrics'], e.signal)`,
    [teamId],
  );
}

/** Rows that one statement deletes. */
const PURGED_AT_ONCE = 5_000;

/**
 * Removes queued results that every export of their team has passed, those of teams that don't export any more, and those
 * older than `before`.
 */
export async function purgeQueuedResults(db: Knex, before: Date): Promise<void> {
  for (;;) {
    const rows = await queryRows(
      db,
      `DELETE FROM telemetry_results WHERE id IN (
         SELECT r.id FROM telemetry_results r
         LEFT JOIN (SELECT team_id, min(results_xid) AS xid FROM telemetry_exports GROUP BY team_id) e
           ON e.team_id = r.team_id
         WHERE e.team_id IS NULL OR r.xid < e.xid OR r.created_at < ? LIMIT ${PURGED_AT_ONCE})
       RETURNING 1`,
      [before],
    );
    if (rows.length < PURGED_AT_ONCE) return;
  }
}

/** Removes derived events older than `before`. */
export async function purgeDerivedEvents(db: Knex, before: Date): Promise<void> {
  for (;;) {
    const rows = await queryRows(
      db,
      `DELETE FROM derived_events WHERE id IN (
         SELECT id FROM derived_events WHERE created_at < ? LIMIT ${PURGED_AT_ONCE}) RETURNING 1`,
      [before],
    );
    if (rows.length < PURGED_AT_ONCE) return;
  }
}
