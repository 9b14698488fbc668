/** Times that decide when a bucket is computed and which results are late for it. In ms, by the database's clock. */
import { MINUTE_MS } from "@svc/contract";

/** Time from a bucket's end to its computation. */
export const SETTLE_MS = MINUTE_MS;

/**
 * A result that is stored later than this after its bucket's end marks the bucket. The difference to SETTLE_MS is the time
 * that a transaction may take from its mark, which is its last statement, to its commit.
 */
export const LATE_MARK_MS = 30_000;

/** Time limit of a statement: aggregating one hour of a large fleet takes longer than the statement of a request. */
export const STATEMENT_TIMEOUT = "10min";
