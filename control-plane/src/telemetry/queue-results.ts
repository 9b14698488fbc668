/**
 * Queues results for export, in ingest's transaction: one row per team and some hundred results. Costs nothing for teams
 * that do not export, and spares the table of results an index by transaction.
 */
import { newId, type TeamId } from "@svc/contract";
import type { Knex } from "knex";
import { defineRecordset } from "../platform/db/recordset.ts";
import type { Services } from "../platform/services.ts";
import type { ResultConsumer } from "../results/ingest/write-group.ts";
import { readExportingTeams } from "./settings-store.ts";

/** Results in one row of the queue. */
const ROW_RESULTS_MAX = 500;
/** Time after which the exporting teams are read again, in the transaction at hand. */
const REFRESH_MS = 1_000;

/**
 * Returns the consumer of stored results that queues them.
 * @param teamOf returns a check's team; undefined when the check was deleted
 */
export function queueResults(
  { clock }: Pick<Services, "clock">,
  teamOf: (checkKey: number) => TeamId | undefined,
): ResultConsumer {
  let teams: ReadonlySet<TeamId> = new Set();
  let readAtMs = Number.NEGATIVE_INFINITY;
  return async (trx, { columns }, stored) => {
    if (Math.abs(clock.nowMs() - readAtMs) >= REFRESH_MS) {
      teams = new Set(await readExportingTeams(trx));
      readAtMs = clock.nowMs();
    }
    if (teams.size === 0) return;
    const byTeam = new Map<TeamId, number[]>();
    for (let row = 0; row < columns.checkKeys.length; row++) {
      const teamId = teamOf(columns.checkKeys[row] as number);
      if (teamId === undefined || !teams.has(teamId) || (stored !== "all" && !stored.has(row))) continue;
      const rows = byTeam.get(teamId);
      if (rows) rows.push(row);
      else byTeam.set(teamId, [row]);
    }
    const batches = [...byTeam].flatMap(([teamId, rows]) =>
      chunks(rows).map((chunk) => ({
        id: newId("telemetryResults"),
        teamId,
        checkKeys: chunk.map((row) => columns.checkKeys[row] as number),
        locationKeys: chunk.map((row) => columns.locationKeys[row] as number),
        slotsMs: chunk.map((row) => columns.slotsMs[row] as number),
      })),
    );
    await insertQueued(trx, batches);
  };
}

function chunks(rows: readonly number[]): number[][] {
  const count = Math.ceil(rows.length / ROW_RESULTS_MAX);
  return Array.from({ length: count }, (_, i) => rows.slice(i * ROW_RESULTS_MAX, (i + 1) * ROW_RESULTS_MAX));
}

interface QueuedResults {
  id: string;
  teamId: TeamId;
  checkKeys: number[];
  locationKeys: number[];
  slotsMs: number[];
}

const QUEUED_RESULTS = defineRecordset({
  id: "text",
  teamId: "text",
  checkKeys: { sqlType: "text", stored: (column) => `${column}::bigint[]` },
  locationKeys: { sqlType: "text", stored: (column) => `${column}::integer[]` },
  slotsMs: { sqlType: "text", stored: (column) => `${column}::bigint[]` },
});

async function insertQueued(trx: Knex, batches: readonly QueuedResults[]): Promise<void> {
  if (batches.length === 0) return;
  const rows = batches.map(({ checkKeys, locationKeys, slotsMs, ...batch }) => ({
    ...batch,
    checkKeys: `{${checkKeys}}`,
    locationKeys: `{${locationKeys}}`,
    slotsMs: `{${slotsMs}}`,
  }));
  await trx.raw(QUEUED_RESULTS.insertInto("telemetry_results"), [JSON.stringify(rows)]);
}
