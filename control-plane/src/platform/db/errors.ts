/** Judges errors of the database by their SQLSTATE or system code, and by text only those that have none of their own. */
import { SQLSTATES, sqlStateOf } from "./sqlstates.ts";

/**
 * SQLSTATEs worth a retry: the server ends, starts, is short of resources, gave up waiting, or chose this transaction
 * to break a deadlock.
 */
const TRANSIENT_SQLSTATES: ReadonlySet<string> = new Set([
  SQLSTATES.adminShutdown,
  SQLSTATES.crashShutdown,
  SQLSTATES.cannotConnectNow,
  SQLSTATES.tooManyConnections,
  SQLSTATES.queryCanceled,
  SQLSTATES.lockNotAvailable,
  SQLSTATES.serializationFailure,
  SQLSTATES.deadlockDetected,
  SQLSTATES.idleInTransactionTimeout,
  SQLSTATES.readOnlyTransaction,
]);

/** Class 08, connection_exception: every code of it means that the connection is gone. */
const CONNECTION_EXCEPTION_CLASS = "08";

/** Classes that blame the values: 21 cardinality, 22 data exception, 23 integrity constraint, 54 program limit. */
const DATA_ERROR_CLASSES: ReadonlySet<string> = new Set(["21", "22", "23", "54"]);

/** Codes of the system's network calls, as Node reports them. */
const NETWORK_CODES: ReadonlySet<string> = new Set([
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

/** Messages of pg and knex about lost connections, which carry no code. */
const CODELESS_MESSAGES =
  /Connection terminated|timeout expired|Timeout acquiring a connection|Connection ended|not queryable/;

/** What a coordinator of Citus says when its connection to a worker broke amid a transaction. */
const BROKEN_WORKER_CONNECTION = /failure on connection marked as essential/;

/** How libpq words a connection that it lost; Citus passes it on with the context below. */
const LOST_CONNECTION =
  /server closed the connection unexpectedly|could not (?:receive|send) data|no connection to the server/;
const WORKER_CONTEXT = /while executing command on \S+:\d+/;

/**
 * True when a coordinator of Citus lost a worker amid a statement. It has no SQLSTATE for that and reports an internal
 * error, so that only the text tells (its `remote_transaction.c`, and `ReportResultError` in `remote_commands.c`).
 */
function isLostWorker(error: Error): boolean {
  if (sqlStateOf(error) !== SQLSTATES.internalError) return false;
  const { where } = error as { where?: string };
  if (BROKEN_WORKER_CONNECTION.test(error.message)) return true;
  return where !== undefined && WORKER_CONTEXT.test(where) && LOST_CONNECTION.test(error.message);
}

/** True when the database is down, unreachable or overloaded; false when trying again would not help. */
export function isDatabaseUnavailable(error: unknown): boolean {
  if (!(error instanceof Error)) return false;
  const { code, syscall } = error as NodeJS.ErrnoException;
  if (code && (TRANSIENT_SQLSTATES.has(code) || code.startsWith(CONNECTION_EXCEPTION_CLASS))) return true;
  if (isLostWorker(error)) return true;
  if (code && NETWORK_CODES.has(code)) return code !== "ENOENT" || syscall === "connect";
  if (error instanceof AggregateError && error.errors.length > 0)
    return error.errors.every(isDatabaseUnavailable);
  return code === undefined && CODELESS_MESSAGES.test(error.message);
}

/** True when some value is refused, so that trying these rows again can't help. */
export function isDataError(error: unknown): boolean {
  return DATA_ERROR_CLASSES.has(sqlStateOf(error)?.slice(0, 2) ?? "");
}

/** True when a row's partition is missing, e.g. dropped a moment ago. */
export function isMissingPartition(error: unknown): boolean {
  return sqlStateOf(error) === SQLSTATES.checkViolation;
}

/** True when a statement took longer than one may. */
export function isStatementTimeout(error: unknown): boolean {
  return sqlStateOf(error) === SQLSTATES.queryCanceled;
}

/** True when a lock was not free within the time that was set for it. */
export function isLockTimeout(error: unknown): boolean {
  return sqlStateOf(error) === SQLSTATES.lockNotAvailable;
}

/** True when a text can't be stored: it holds a NUL character or half of a surrogate pair. */
export function isUnstorableText(error: unknown): boolean {
  const state = sqlStateOf(error);
  return state === SQLSTATES.characterNotInRepertoire || state === SQLSTATES.untranslatableCharacter;
}

/** True when another row has these values of a unique index. */
export function isUniqueViolation(error: unknown): boolean {
  return sqlStateOf(error) === SQLSTATES.uniqueViolation;
}

/** Returns an error in one line for people, without the SQL that knex puts before it. */
export function reasonOf(error: unknown): string {
  const { message, code } = error as NodeJS.ErrnoException;
  const last = String(message).split(" - ").at(-1) ?? "";
  return last || code || String(error);
}
