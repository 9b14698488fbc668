/** Catalogue of the SQLSTATEs that the service tells apart. */

/** SQLSTATEs by PostgreSQL's names for them. */
export const SQLSTATES = {
  uniqueViolation: "23505",
  /** Also the error of a row whose partition is missing: "no partition of relation found for row". */
  checkViolation: "23514",
  characterNotInRepertoire: "22021",
  untranslatableCharacter: "22P05",
  adminShutdown: "57P01",
  crashShutdown: "57P02",
  cannotConnectNow: "57P03",
  tooManyConnections: "53300",
  /** A statement that ran into statement_timeout: nobody cancels ours by hand. */
  queryCanceled: "57014",
  undefinedTable: "42P01",
  lockNotAvailable: "55P03",
  serializationFailure: "40001",
  deadlockDetected: "40P01",
  idleInTransactionTimeout: "25P03",
  /** A standby took the write, as happens during a failover. */
  readOnlyTransaction: "25006",
  internalError: "XX000",
} as const;

/** Returns the SQLSTATE of an error that the server sent, also through objection; undefined for any other error. */
export function sqlStateOf(error: unknown): string | undefined {
  const { code, nativeError } = (error ?? {}) as { code?: unknown; nativeError?: unknown };
  if (nativeError !== undefined) return sqlStateOf(nativeError);
  return typeof code === "string" && /^[0-9A-Z]{5}$/.test(code) ? code : undefined;
}
