/** Which errors mean that the database can't be used now, so that the caller may try again. */

/** Codes of the system's network calls, as Node reports them. */
const NETWORK_CODES = new Set([
  "ECONNREFUSED",
  "ECONNRESET",
  "ENOENT",
  "EPIPE",
  "ETIMEDOUT",
  "EHOSTUNREACH",
  "ENETUNREACH",
  "ENOTFOUND",
  "EAI_AGAIN",
]);

/** SQLSTATEs: the server ends, starts, has no room, gave up waiting, or chose this transaction to break a tie. */
const TRANSIENT_SQLSTATES = new Set([
  "57P01", // admin_shutdown
  "57P02", // crash_shutdown
  "57P03", // cannot_connect_now
  "53300", // too_many_connections
  "57014", // query_canceled: statement_timeout
  "55P03", // lock_not_available
  "40001", // serialization_failure
  "40P01", // deadlock_detected
  "25P03", // idle_in_transaction_session_timeout
  "25006", // read_only_sql_transaction: a standby, during a failover
]);

/** pg and knex give these no code. */
const CODELESS_MESSAGES =
  /Connection terminated|timeout expired|Timeout acquiring a connection|Connection ended|not queryable/;

/** True when the database is down, unreachable or overloaded; false for what retrying won't change. */
export function isDatabaseUnavailable(error: unknown): boolean {
  if (!(error instanceof Error)) return false;
  const { code, syscall } = error as NodeJS.ErrnoException;
  if (code && TRANSIENT_SQLSTATES.has(code)) return true;
  if (code?.startsWith("08")) return true; // connection_exception
  if (code && NETWORK_CODES.has(code)) return code !== "ENOENT" || syscall === "connect";
  if (error instanceof AggregateError && error.errors.length > 0)
    return error.errors.every(isDatabaseUnavailable);
  return code === undefined && CODELESS_MESSAGES.test(error.message);
}

/** True when a text can't be stored: a NUL character, or half of a surrogate pair. */
export function isUnstorableText(error: unknown): boolean {
  const code = (error as NodeJS.ErrnoException | undefined)?.code;
  return code === "22021" || code === "22P05";
}

/** True when a row with these values of a unique index is there already. */
export function isUniqueViolation(error: unknown): boolean {
  return (error as NodeJS.ErrnoException | undefined)?.code === "23505";
}
