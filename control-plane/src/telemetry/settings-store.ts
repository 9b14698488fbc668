/** SQL of the teams' telemetry settings: at most one row per team. */
import type { OtlpProtocol, TeamId } from "@svc/contract";
import type { Knex } from "knex";
import { queryRows } from "../platform/db/rows.ts";

/** A team's stored settings of the export. */
export interface SettingsRow {
  /** URL of the endpoint without its credentials. */
  endpoint: string | null;
  /** The URL as it was given, sealed; null: it holds no credential. */
  endpointSealed: Buffer | null;
  protocol: OtlpProtocol;
  /** Names and values as JSON, sealed; null: none. */
  headers: Buffer | null;
  enabled: boolean;
  traces: boolean;
  metrics: boolean;
  caCertificate: string | null;
  updatedAt: string | null;
}

const COLUMNS = [
  "endpoint",
  "endpointSealed",
  "protocol",
  "headers",
  "enabled",
  "traces",
  "metrics",
  "caCertificate",
  "updatedAt",
] as const;

/** Returns a team's telemetry settings; undefined when none are stored. */
export async function findSettings(db: Knex, teamId: TeamId): Promise<SettingsRow | undefined> {
  return db("telemetrySettings")
    .where({ id: teamId })
    .first(...COLUMNS);
}

/**
 * Locks the row until the transaction ends, and returns it. For a team without a row, no one else can create it
 * meanwhile.
 */
export async function lockSettings(trx: Knex, teamId: TeamId): Promise<SettingsRow | undefined> {
  await trx.raw("SELECT 1 FROM teams WHERE id = ? FOR NO KEY UPDATE", [teamId]);
  return findSettings(trx, teamId);
}

/** Stores a team's telemetry settings in place of those that it had. */
export async function upsertSettings(trx: Knex, teamId: TeamId, row: SettingsRow): Promise<void> {
  await trx("telemetrySettings")
    .insert({ id: teamId, ...row })
    .onConflict("id")
    .merge();
}

/** Returns the ids of the teams that export now. */
export async function readExportingTeams(db: Knex): Promise<TeamId[]> {
  const rows = await queryRows<{ id: TeamId }>(db, "SELECT id FROM telemetry_settings WHERE enabled");
  return rows.map(({ id }) => id);
}

/**
 * Claims the team's turn to test, on whichever replica.
 * @returns undefined when the claim succeeded; else the ms to wait
 */
export async function claimTestTurn(
  db: Knex,
  teamId: TeamId,
  { nowMs, intervalMs }: { nowMs: number; intervalMs: number },
): Promise<number | undefined> {
  const claimed = await queryRows(
    db,
    `UPDATE telemetry_settings SET last_tested_at = :now
     WHERE id = :teamId AND (last_tested_at IS NULL OR last_tested_at <= :since) RETURNING 1`,
    { teamId, now: new Date(nowMs), since: new Date(nowMs - intervalMs) },
  );
  if (claimed.length > 0) return undefined;
  const row = await db("telemetrySettings").where({ id: teamId }).first("lastTestedAt");
  return row ? Math.max(1, Date.parse(row.lastTestedAt) + intervalMs - nowMs) : undefined;
}
