/** SQL of MCP baselines: the surface of a check's server that was seen last. */
import type { McpSurface } from "@svc/contract";
import type { Knex } from "knex";
import { defineRecordset } from "../../platform/db/recordset.ts";
import { queryRows } from "../../platform/db/rows.ts";

/** The surface that a further run is compared with. */
export interface McpBaseline {
  surface: McpSurface;
  /** Start of the newest run that reported it, Unix ms. */
  observedAtMs: number;
}

/** Reads the endpoint of each check that watches for drift; checks that were deleted or don't watch are left out. */
export async function readEndpoints(db: Knex, checkKeys: readonly number[]): Promise<Map<number, string>> {
  const rows = await queryRows<{ key: number; endpoint: string }>(
    db,
    `SELECT key, config ->> 'endpoint' AS endpoint FROM checks
     WHERE key = ANY(?::bigint[]) AND type = 'mcp' AND (config -> 'detectSchemaDrift') IS DISTINCT FROM 'false'::jsonb`,
    [checkKeys],
  );
  return new Map(rows.map(({ key, endpoint }) => [key, endpoint]));
}

/**
 * Locks the checks' baselines until the transaction ends, including those that are not set yet.
 * @returns the baselines that are set
 */
export async function lockBaselines(
  trx: Knex,
  checkKeys: readonly number[],
): Promise<Map<number, McpBaseline>> {
  if (checkKeys.length === 0) return new Map();
  // In one order, so that two transactions wait for each other instead of deadlocking.
  await trx.raw(
    "INSERT INTO mcp_baselines (check_key) SELECT k FROM unnest(?::bigint[]) AS k ORDER BY k ON CONFLICT DO NOTHING",
    [[...checkKeys]],
  );
  const rows = await queryRows<{ checkKey: number; observedAtMs: number | null; surface: McpSurface | null }>(
    trx,
    `SELECT check_key, observed_at_ms, surface FROM mcp_baselines
     WHERE check_key = ANY(?::bigint[]) ORDER BY check_key FOR UPDATE`,
    [checkKeys],
  );
  return new Map(
    rows.flatMap(({ checkKey, observedAtMs, surface }) =>
      surface && observedAtMs !== null ? [[checkKey, { surface, observedAtMs }] as const] : [],
    ),
  );
}

const BASELINES = defineRecordset({ checkKey: "bigint", observedAtMs: "bigint", surface: "jsonb" });

/** Sets baselines whose locks are held. */
export async function writeBaselines(trx: Knex, baselines: ReadonlyMap<number, McpBaseline>): Promise<void> {
  if (baselines.size === 0) return;
  const rows = [...baselines].map(([checkKey, { surface, observedAtMs }]) => ({
    checkKey,
    observedAtMs,
    surface,
  }));
  await trx.raw(
    `UPDATE mcp_baselines b SET ${BASELINES.assignments("u", ["checkKey"])}
     FROM ${BASELINES.as("u")}
     WHERE b.check_key = u."checkKey"`,
    [JSON.stringify(rows)],
  );
}
