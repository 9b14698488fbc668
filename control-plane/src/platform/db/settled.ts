/**
 * Waits until the workers of Citus show what the coordinator has committed. A transaction with several workers commits on the coordinator
 * first and on the workers right after; when a worker or the connection to it breaks in between, minutes may pass until the worker shows
 * its rows. Whoever reads "everything up to here" and never looks back would miss them.
 */
import { setTimeout as sleep } from "node:timers/promises";
import type { Knex } from "knex";
import { engineOf } from "./engine.ts";
import { queryRows } from "./rows.ts";

const ATTEMPTS = 20;
const PAUSE_MS = 100;
/** SQLSTATE of a broken connection, which callers take as a database that is away. */
const CONNECTION_FAILURE = "08006";

/** Some worker has not committed yet what the coordinator did. */
class UnsettledError extends Error {
  readonly code = CONNECTION_FAILURE;
}

/**
 * Resolves when the workers show all that the coordinator had committed before the call; at once on PostgreSQL.
 * @throws an error of class 08 when some do not within two seconds
 */
export async function untilSettled(db: Knex): Promise<void> {
  if (engineOf(db) === "postgres") return;
  // A transaction is prepared on its workers before the coordinator commits it: none that matters can appear later.
  const open = new Set(await readPrepared(db));
  for (let attempt = 0; open.size > 0; attempt++) {
    if (attempt === ATTEMPTS)
      throw new UnsettledError("a worker of Citus has not committed what its coordinator has");
    await sleep(PAUSE_MS);
    const still = new Set(await readPrepared(db));
    for (const gid of open) if (!still.has(gid)) open.delete(gid);
  }
}

/** Returns the names of the transactions that are prepared on some worker and not ended there. */
async function readPrepared(db: Knex): Promise<string[]> {
  const rows = await queryRows<{ success: boolean; result: string }>(
    db,
    `SELECT success, result FROM run_command_on_workers($$
       SELECT coalesce(string_agg(gid, ','), '') FROM pg_prepared_xacts
       WHERE database = current_database() AND gid LIKE 'citus%' $$)`,
  );
  if (rows.some(({ success }) => !success)) throw new UnsettledError("a worker of Citus can't be asked");
  return rows.flatMap(({ result }) => (result === "" ? [] : result.split(",")));
}
