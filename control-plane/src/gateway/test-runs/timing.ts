/** Times of test runs, ms. */
import { MINUTE_MS, SECOND_MS } from "@svc/contract";

/** Time in which a runner has to begin it. */
export const BEGIN_WITHIN_MS = 30 * SECOND_MS;
/** Time after which a test run that a runner has begun counts as lost: the longest run with its retries. */
export const RUN_MAX_MS = 11 * MINUTE_MS;
/** Time for which a test run can be read. */
export const KEPT_MS = 15 * MINUTE_MS;
/**
 * Time that a runner has to come back after its lease ended: it keeps what it has to report, and leases end also while the
 * database is away.
 */
export const RUNNER_RETURN_MS = 15 * SECOND_MS;
