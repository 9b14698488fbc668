/**
 * Exports a team's signal under a lease: reads a batch, sends it and records the new position, until nothing waits or an
 * attempt fails. The position moves after the endpoint accepted the batch, so a process that ends in between sends one
 * request again. No transaction is open during a request.
 */
import type { Knex } from "knex";
import type { LimitFunction } from "p-limit";
import type { Logger } from "pino";
import type { SecretBox } from "../../platform/db/secret-box.ts";
import type { TeamEgress } from "../../platform/team-egress.ts";
import { openEndpoint, openHeaders } from "../settings.ts";
import { BATCH_ROWS_MAX, type Batch, readBatch } from "./batch.ts";
import { type ClaimedExport, type ExportProgress, recordProgress, releaseExport } from "./export-store.ts";
import type { ExportMetrics } from "./metrics.ts";
import { type Delivered, retryDelayMs, type SendOutcome } from "./outcome.ts";
import { send } from "./send.ts";

/** Everything that an export needs besides its row. */
export interface ExportTools {
  knex: Knex;
  log: Logger;
  secrets: SecretBox;
  egressOf: TeamEgress;
  metrics: ExportMetrics;
  random: () => number;
  /** Wall clock, Unix ms. */
  nowMs: () => number;
  /** Lets few exports read and encode at one time, so that memory stays bounded however many teams are behind. */
  limitBuilding: LimitFunction;
  leaseMs: number;
  attemptTimeoutMs: number;
}

/** Rows of the smallest request. When even that is refused as malformed, its records are dropped. */
const BATCH_ROWS_MIN = 16;
/** Smallest requests that may be dropped in a row before the export slows down. */
const DROPS_AT_ONCE = 3;
/** Halvings from the largest request to the smallest. */
const SHRINKS = Math.ceil(Math.log2(BATCH_ROWS_MAX / BATCH_ROWS_MIN));

/**
 * Returns the number of rows of the next request, halved with each failure: an endpoint in trouble gets less, and a
 * malformed record ends up in a small request.
 */
function batchRows(failures: number): number {
  return Math.max(BATCH_ROWS_MIN, Math.floor(BATCH_ROWS_MAX / 2 ** Math.min(failures, 20)));
}

/** Signals that end an export: `stopping` between two requests, `cutting` within one. */
export interface ExportSignals {
  stopping: AbortSignal;
  cutting: AbortSignal;
}

/** Exports until nothing waits, an attempt fails, the lease is lost or a signal ends it. */
export async function exportClaimed(
  tools: ExportTools,
  claimed: ClaimedExport,
  { stopping, cutting }: ExportSignals,
): Promise<void> {
  const { knex, leaseMs, limitBuilding } = tools;
  let { positions, failures } = claimed;
  while (!stopping.aborted) {
    const batch = await limitBuilding(() =>
      readBatch(knex, {
        teamId: claimed.teamId,
        signal: claimed.signal,
        from: positions,
        limit: batchRows(failures),
      }),
    );
    if (batch.rowCount === 0) break;
    const outcome = await deliver(tools, claimed, { batch, cutting });
    const progress = progressOf(outcome, batch, { failures, random: tools.random() });
    report(tools, claimed, { batch, outcome, progress });
    const continues =
      progress.retryDelayMs === undefined && (batch.hasMore || progress.positions === undefined);
    const isHeld = await recordProgress(knex, claimed, {
      ...progress,
      leaseMs: continues && !stopping.aborted ? leaseMs : undefined,
    });
    if (!isHeld || !continues) return;
    ({ failures } = progress);
    positions = progress.positions ?? positions;
  }
  await releaseExport(knex, claimed);
}

/** Sends the batch. A batch without records counts as delivered; no request is made. */
async function deliver(
  { egressOf, secrets, attemptTimeoutMs, nowMs }: ExportTools,
  claimed: ClaimedExport,
  { batch, cutting }: { batch: Batch; cutting: AbortSignal },
): Promise<SendOutcome> {
  if (batch.recordCount === 0) return { kind: "delivered", httpStatus: null, grpcStatus: null };
  const { protocol, caCertificate, sealedHeaders } = claimed;
  let headers: Record<string, string>;
  let url: string;
  try {
    url = openEndpoint(secrets, claimed.teamId, claimed);
    headers = openHeaders(secrets, claimed.teamId, sealedHeaders);
  } catch (error) {
    const message = `the endpoint's secrets can't be opened: ${error instanceof Error ? error.message : error}`;
    return { kind: "held", message, httpStatus: null, grpcStatus: null };
  }
  return send(
    egressOf(claimed.teamId),
    { endpoint: { url, protocol, headers, caCertificate }, payload: batch.payload },
    { timeoutMs: attemptTimeoutMs, signal: cutting, nowMs },
  );
}

/**
 * Decides from the outcome of a batch up to where the export has come and when it continues. Pure.
 * @param random from [0, 1), for the jitter of delays
 */
function progressOf(
  outcome: SendOutcome,
  batch: Pick<Batch, "positions" | "recordCount" | "rowCount">,
  { failures, random }: { failures: number; random: number },
): Omit<ExportProgress, "leaseMs"> {
  if (outcome.kind === "delivered") return deliveredProgress(outcome, batch);
  const failed = {
    failures: failures + 1,
    exported: 0,
    rejected: 0,
    dropped: 0,
    error: outcome.message,
    positions: undefined,
  };
  if (outcome.kind === "held")
    return { ...failed, retryDelayMs: retryDelayMs(failures + 1, random, outcome.retryAfterMs) };
  // Smaller requests isolate the malformed record, or find a size that the endpoint accepts.
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
    // An endpoint that refuses everything must not lose all records at once.
    retryDelayMs: drops <= DROPS_AT_ONCE ? undefined : retryDelayMs(drops, random),
  };
}

function deliveredProgress(
  { partialSuccess }: Delivered,
  { positions, recordCount }: Pick<Batch, "positions" | "recordCount">,
): Omit<ExportProgress, "leaseMs"> {
  const rejected = Math.min(recordCount, partialSuccess?.rejectedRecords ?? 0);
  return {
    positions,
    failures: 0,
    exported: recordCount - rejected,
    rejected,
    dropped: 0,
    error:
      rejected > 0
        ? `the endpoint rejected ${rejected} of ${recordCount} records: ${partialSuccess?.message ?? ""}`
        : undefined,
    retryDelayMs: undefined,
  };
}

/** Returns the number of halvings that lead below that many rows. */
function shrinksTo(rows: number): number {
  return Math.max(1, Math.ceil(Math.log2((2 * BATCH_ROWS_MAX) / rows)));
}

/** Counts and logs the outcome of a batch. */
function report(
  { log, metrics }: ExportTools,
  { teamId, signal }: ClaimedExport,
  {
    batch,
    outcome,
    progress,
  }: { batch: Batch; outcome: SendOutcome; progress: Omit<ExportProgress, "leaseMs"> },
): void {
  const { recordCount } = batch;
  const { exported, rejected, dropped, failures } = progress;
  metrics.records.inc({ signal, outcome: "exported" }, exported);
  metrics.records.inc({ signal, outcome: "rejected" }, rejected);
  metrics.records.inc({ signal, outcome: "dropped" }, dropped);
  metrics.requests.inc({ signal, outcome: outcome.kind });
  const context = { teamId, signal, records: recordCount };
  if (outcome.kind === "delivered") {
    const { partialSuccess, warning } = outcome;
    if (partialSuccess)
      log.warn({ ...context, ...partialSuccess }, "the endpoint rejected a part of the telemetry");
    else if (warning)
      log.debug({ ...context, warning }, "the endpoint accepted telemetry with a strange answer");
  } else if (dropped > 0)
    log.warn({ ...context, reason: outcome.message }, "the endpoint refused telemetry; it was dropped");
  else
    log[failures === 1 ? "warn" : "debug"](
      { ...context, reason: outcome.message },
      "telemetry was not accepted; it is sent again",
    );
}
