/** Time limit of a check whose configuration names none, ms. */
const DEFAULT_TIMEOUT_MS = 30_000;

/**
 * Returns the SQL expression of the longest time from the begin of a check's run to its end, with its retries, in ms.
 * @param checks name or alias of the table `checks` in the statement
 */
export function longestRunSql(checks: string): string {
  return `(CASE WHEN jsonb_typeof(${checks}.config -> 'timeoutMs') = 'number' THEN (${checks}.config ->> 'timeoutMs')::float8
    ELSE ${DEFAULT_TIMEOUT_MS} END + coalesce((${checks}.retry ->> 'maxDurationSeconds')::float8, 0) * 1000)`;
}
