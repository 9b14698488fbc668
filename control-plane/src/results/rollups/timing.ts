/** When a bucket is computed and what counts as late for it; the two lean on each other. In ms, database's clock. */
import { MINUTE_MS } from "@svc/contract";

/** A bucket is computed this long after its end. */
export const SETTLE_MS = MINUTE_MS;

/**
 * A result stored later than this after its bucket's end marks the bucket. The gap to SETTLE_MS is the time that a
 * transaction may take from its mark to its commit; the mark is its last statement.
 */
export const LATE_MARK_MS = 30_000;
