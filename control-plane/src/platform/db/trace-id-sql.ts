/**
 * SQL of the trace ids of results. A run's id follows from its check, location and slot (`traceIdOfRun` of the contract), so a merged
 * result stores none that does: its `has_own_trace_id` is NULL. Any other result has `has_own_trace_id`, and a NULL in `trace_id`
 * says that none was sent.
 */
import { TRACE_ID_BYTES } from "@svc/contract";

/** Names of the columns that a trace id is read from, for a subquery that hands them on. */
export const TRACE_COLUMNS = "trace_id, has_own_trace_id";
/** {@link TRACE_COLUMNS} with their types. */
export const TYPED_TRACE_COLUMNS = "trace_id uuid, has_own_trace_id boolean";

/** Expressions of a result's ids. They are evaluated for merged results only, so that a subquery in their place costs others nothing. */
export interface TracedResult {
  /** Alias of the result: its slot and {@link TRACE_COLUMNS}. */
  result: string;
  /** Id of the check. */
  checkId: string;
  /** Id of the location. */
  locationId: string;
}

/** Returns the trace id of a result as an expression: a text of 32 hex digits; NULL: none was sent. */
export function traceIdSql(traced: TracedResult): string {
  const { result } = traced;
  return `CASE WHEN ${result}.has_own_trace_id IS NULL THEN encode(${bytesOfRun(traced)}, 'hex') ELSE replace(${result}.trace_id::text, '-', '') END`;
}

/** Returns whether the trace id that is stored with a result is the one of its run, as an expression; NULL where an id is NULL. */
export function hasIdOfRunSql(traced: TracedResult): string {
  return `uuid_send(${traced.result}.trace_id) = ${bytesOfRun(traced)}`;
}

function bytesOfRun({ result, checkId, locationId }: TracedResult): string {
  const run = `${checkId} || '/' || ${locationId} || '/' || ${result}.slot_ms`;
  return `substring(sha256(convert_to(${run}, 'UTF8')) FROM 1 FOR ${TRACE_ID_BYTES})`;
}
