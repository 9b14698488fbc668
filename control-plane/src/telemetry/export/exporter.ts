/**
 * Exports a team's signal under a lease: read, send, note where it got to, until nothing waits or something goes wrong.
 * The position moves after the endpoint said yes, so a process that ends in between sends one request again. No
 * transaction is open while the network is waited for.
 */
import type { Egress } from "@svc/egress";
import type { Knex } from "knex";
import type { Logger } from "pino";
import type { SecretBox } from "../../platform/db/secret-box.ts";
import { BATCH_ROWS_MAX, type Batch, readBatch } from "./batch.ts";
import { type ClaimedExport, type ExportProgress, recordProgress, releaseExport } from "./export-store.ts";
import type { ExportMetrics } from "./metrics.ts";
import { type Delivered, type Outcome, retryDelayMs } from "./outcome.ts";
import { send } from "./send.ts";
import type { Turns } from "./turns.ts";

export interface ExportTools {
  knex: Knex;
  log: Logger;
  secrets: SecretBox;
  egress: Egress;
  metrics: ExportMetrics;
  random: () => number;
  /** Few at a time read and encode, so that memory stays bounded however many teams are behind. */
  building: Turns;
  leaseMs: number;
  attemptTimeoutMs: number;
}

/** Rows of the smallest request: when even that is refused as malformed, it is given up. */
export const BATCH_ROWS_MIN = 16;
/** So many small requests may be given up in a row before the export slows down. */
const DROPS_AT_ONCE = 3;
/** Halvings that lead to the smallest request. */
const SHRINKS = Math.ceil(Math.log2(BATCH_ROWS_MAX / BATCH_ROWS_MIN));

/** Halved with each failure: an endpoint in trouble is tried with less, a malformed record is cornered. */
export function batchRows(failures: number): number {
  return Math.max(BATCH_ROWS_MIN, Math.floor(BATCH_ROWS_MAX / 2 ** Math.min(failures, 20)));
}

/** @param stopping ends it between requests; `cutting` also within one */
export async function exportClaimed(
  tools: ExportTools,
  claimed: ClaimedExport,
  stopping: AbortSignal,
  cutting: AbortSignal,
): Promise<void> {
  const { knex, leaseMs, building } = tools;
  let { positions, failures } = claimed;
  while (!stopping.aborted) {
    const batch = await building.take(() =>
      readBatch(knex, claimed.teamId, claimed.signal, positions, batchRows(failures)),
    );
    if (batch.rowCount === 0) break;
    const outcome = await deliver(tools, claimed, batch, cutting);
    const progress = progressOf(outcome, batch, failures, tools.random());
    tell(tools, claimed, batch, outcome, progress);
    const goesOn = progress.retryDelayMs === undefined && (batch.hasMore || progress.positions === undefined);
    const isHeld = await recordProgress(knex, claimed, {
      ...progress,
      leaseMs: goesOn && !stopping.aborted ? leaseMs : undefined,
    });
    if (!isHeld || !goesOn) return;
    ({ failures } = progress);
    positions = progress.positions ?? positions;
  }
  await releaseExport(knex, claimed);
}

/** What nothing is to be told of is delivered without asking the endpoint. */
async function deliver(
  { egress, secrets, attemptTimeoutMs }: ExportTools,
  claimed: ClaimedExport,
  batch: Batch,
  cutting: AbortSignal,
): Promise<Outcome> {
  if (batch.recordCount === 0) return { kind: "delivered", httpStatus: null, grpcStatus: null };
  const { endpoint, protocol, caCertificate, sealedHeaders } = claimed;
  let headers: Record<string, string>;
  try {
    headers = sealedHeaders === null ? {} : JSON.parse(secrets.open(sealedHeaders));
  } catch (error) {
    const message = `the headers can't be opened: ${error instanceof Error ? error.message : error}`;
    return { kind: "held", message, httpStatus: null, grpcStatus: null };
  }
  return send(egress, { url: endpoint, protocol, headers, caCertificate }, batch.payload, {
    timeoutMs: attemptTimeoutMs,
    signal: cutting,
  });
}

/** Pure. */
export function progressOf(
  outcome: Outcome,
  batch: Pick<Batch, "positions" | "recordCount" | "rowCount">,
  failures: number,
  random: number,
): Omit<ExportProgress, "leaseMs"> {
  if (outcome.kind === "delivered") return deliveredProgress(outcome, batch);
  const failed = {
    ...{ failures: failures + 1, exported: 0, rejected: 0, dropped: 0 },
    ...{ error: outcome.message, positions: undefined },
  };
  if (outcome.kind === "held")
    return { ...failed, retryDelayMs: retryDelayMs(failures + 1, random, outcome.retryAfterMs) };
  // Smaller requests find the malformed record, or a size that the endpoint takes.
  if (batch.rowCount > BATCH_ROWS_MIN)
    return {
      ...failed,
      failures: Math.max(failures + 1, shrinksTo(batch.rowCount)),
      retryDelayMs: undefined,
    };
  const failuresNow = Math.max(failures, SHRINKS) + 1;
  const drops = failuresNow - SHRINKS;
  return {
    ...failed,
    failures: failuresNow,
    positions: batch.positions,
    dropped: batch.recordCount,
    // An endpoint that refuses everything must not cost all there is.
    retryDelayMs: drops <= DROPS_AT_ONCE ? undefined : retryDelayMs(drops, random),
  };
}

function deliveredProgress(
  { partialSuccess }: Delivered,
  { positions, recordCount }: Pick<Batch, "positions" | "recordCount">,
): Omit<ExportProgress, "leaseMs"> {
  const rejected = Math.min(recordCount, partialSuccess?.rejectedRecords ?? 0);
  return {
    ...{ positions, failures: 0, exported: recordCount - rejected, rejected, dropped: 0 },
    error:
      rejected > 0
        ? `the endpoint rejected ${rejected} of ${recordCount} records: ${partialSuccess?.message ?? ""}`
        : undefined,
    retryDelayMs: undefined,
  };
}

/** How many halvings lead below that many rows. */
function shrinksTo(rows: number): number {
  return Math.max(1, Math.ceil(Math.log2((2 * BATCH_ROWS_MAX) / rows)));
}

function tell(
  { log, metrics }: ExportTools,
  { teamId, signal }: ClaimedExport,
  { recordCount }: Batch,
  outcome: Outcome,
  { exported, rejected, dropped, failures }: Omit<ExportProgress, "leaseMs">,
): void {
  metrics.records.inc({ signal, outcome: "exported" }, exported);
  metrics.records.inc({ signal, outcome: "rejected" }, rejected);
  metrics.records.inc({ signal, outcome: "dropped" }, dropped);
  metrics.requests.inc({ signal, outcome: outcome.kind });
  const context = { teamId, signal, records: recordCount };
  if (outcome.kind === "delivered") {
    const { partialSuccess, warning } = outcome;
    if (partialSuccess) log.warn({ ...context, ...partialSuccess }, "telemetry was taken in part");
    else if (warning) log.debug({ ...context, warning }, "odd answer to telemetry");
  } else if (dropped > 0) log.warn({ ...context, reason: outcome.message }, "telemetry refused; given up");
  else log[failures === 1 ? "warn" : "debug"]({ ...context, reason: outcome.message }, "telemetry not taken");
}
