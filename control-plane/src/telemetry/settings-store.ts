/** SQL of the teams' telemetry settings: at most one row per team. */
import type { OtlpProtocol, TeamId } from "@svc/contract";
import type { Knex } from "knex";
import { queryRows } from "../platform/db/rows.ts";

export interface SettingsRow {
  endpoint: string | null;
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
  "protocol",
  "headers",
  "enabled",
  "traces",
  "metrics",
  "caCertificate",
  "updatedAt",
] as const;

export async function findSettings(db: Knex, teamId: TeamId): Promise<SettingsRow | undefined> {
  return db("telemetrySettings")
    .where({ id: teamId })
    .first(...COLUMNS);
}

/** The row, locked until the transaction ends; of a team without one, nobody else can make it meanwhile. */
export async function lockSettings(trx: Knex, teamId: TeamId): Promise<SettingsRow | undefined> {
  await trx.raw("SELECT 1 FROM teams WHERE id = ? FOR NO KEY UPDATE", [teamId]);
  return findSettings(trx, teamId);
}

export async function upsertSettings(trx: Knex, teamId: TeamId, row: SettingsRow): Promise<void> {
  await trx("telemetrySettings")
    .insert({ id: teamId, ...row })
    .onConflict("id")
    .merge();
}

/** Ids of the teams that export now. */
export async function listExportingTeams(db: Knex): Promise<TeamId[]> {
  const rows = await queryRows<{ id: TeamId }>(db, "SELECT id FROM telemetry_settings WHERE enabled");
  return rows.map(({ id }) => id);
}

/**
 * Takes the team's turn to test, whichever replica is asked.
 * @returns undefined when it has it; else ms to wait
 */
export async function takeTestTurn(
  db: Knex,
  teamId: TeamId,
  nowMs: number,
  intervalMs: number,
): Promise<number | undefined> {
  const taken = await queryRows(
    db,
    `UPDATE telemetry_settings SET last_tested_at = :now
     WHERE id = :teamId AND (last_tested_at IS NULL OR last_tested_at <= :since) RETURNING 1`,
    { teamId, now: new Date(nowMs), since: new Date(nowMs - intervalMs) },
  );
  if (taken.length > 0) return undefined;
  const row = await db("telemetrySettings").where({ id: teamId }).first("lastTestedAt");
  return row ? Math.max(1, Date.parse(row.lastTestedAt) + intervalMs - nowMs) : undefined;
}
