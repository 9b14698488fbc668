/** What to do about an error of the database, by its SQLSTATE; never by its text. */

/** Classes that blame the values: 21 cardinality, 22 data exception, 23 integrity constraint, 54 program limit. */
const DATA_ERROR_CLASSES = new Set(["21", "22", "23", "54"]);
/** query_canceled: by the statement timeout, as nobody cancels ours by hand. */
const STATEMENT_TIMEOUT = "57014";
/** "no partition of relation found for row" is a check violation. */
const CHECK_VIOLATION = "23514";

/** SQLSTATE of an error that the server sent. */
function sqlStateOf(error: unknown): string | undefined {
  const code = (error as { code?: unknown } | null)?.code;
  return typeof code === "string" && /^[0-9A-Z]{5}$/.test(code) ? code : undefined;
}

/** True when trying the same rows again can't help: some value is refused. */
export function isDataError(error: unknown): boolean {
  const state = sqlStateOf(error);
  return state !== undefined && DATA_ERROR_CLASSES.has(state.slice(0, 2));
}

/** True when a row's partition is missing, e.g. dropped a moment ago. */
export function isMissingPartition(error: unknown): boolean {
  return sqlStateOf(error) === CHECK_VIOLATION;
}

/** True when the statement took longer than one may. */
export function isStatementTimeout(error: unknown): boolean {
  return sqlStateOf(error) === STATEMENT_TIMEOUT;
}
