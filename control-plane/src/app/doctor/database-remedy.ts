import type { Config } from "../../platform/config.ts";
import { sqlStateOf } from "../../platform/db/sqlstates.ts";

/** Advice by the class of a SQLSTATE or the code of a system's network call. */
const REMEDIES: Record<string, string> = {
  "28": "check user and password in DATABASE_URL, and the server's pg_hba.conf",
  "3D": "make the database that DATABASE_URL names: createdb",
  "53": "raise max_connections of the server, or lower SVC_DATABASE_POOL_MAX",
  "57": "wait until the server has started, or look into its log",
  "42": "let the user of DATABASE_URL own the database, so that it may make and read tables there",
  ECONNREFUSED: "start the server, or correct host and port in DATABASE_URL",
  ENOTFOUND: "correct the host name in DATABASE_URL, or this machine's DNS",
  EAI_AGAIN: "look at this machine's DNS, which does not answer",
  ETIMEDOUT: "look for a firewall between this machine and the server",
  EHOSTUNREACH: "look for a route from this machine to the server",
  ENETUNREACH: "look for a route from this machine to the server",
  EACCES: "run the command as the account that runs the service",
};

/** Returns what to do about a database that can't be opened. */
export function databaseRemedy({ databaseUrl }: Config, error: unknown): string {
  const state = sqlStateOf(error)?.slice(0, 2);
  const { code = "" } = error as NodeJS.ErrnoException;
  const known = REMEDIES[state ?? code];
  if (known) return known;
  return databaseUrl
    ? "check DATABASE_URL, and look into the server's log"
    : "look at the message and into the folder SVC_DATA_DIR, and start the service once";
}
