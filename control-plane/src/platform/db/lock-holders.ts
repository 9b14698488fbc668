/** Finds out whom a session of the database waits for, while it waits. */
import { setTimeout as sleep } from "node:timers/promises";
import type pg from "pg";

/** A session that holds what another one waits for. */
export interface LockHolder {
  pid: number;
  /** Name that the program gave when it connected (application_name); may be empty. */
  application: string;
  /** `active`, `idle in transaction`, ...; the kind of process where it has no state, such as `autovacuum worker`. */
  state: string;
  /** Time for which its transaction has been open, s. */
  transactionSeconds: number;
}

/** Returns a lock holder in words, for the operator. */
export function lockHolderText({ pid, application, state, transactionSeconds }: LockHolder): string {
  const what = [application, state, `transaction open for ${transactionSeconds} s`].filter(Boolean);
  return `session ${pid} (${what.join(", ")})`;
}

/** Time between two looks, ms: several within the wait for a lock. */
const LOOK_EVERY_MS = 50;

const LOCK_HOLDERS = `
  SELECT pid, application_name AS application, coalesce(state, backend_type) AS state,
    coalesce(floor(extract(epoch FROM now() - xact_start)), 0)::int AS "transactionSeconds"
  FROM pg_stat_activity
  WHERE pid = ANY (pg_blocking_pids($1))
  ORDER BY xact_start, pid`;

const ADVISORY_LOCK_HOLDERS = `
  SELECT a.pid, a.application_name AS application, coalesce(a.state, a.backend_type) AS state,
    coalesce(floor(extract(epoch FROM now() - a.xact_start)), 0)::int AS "transactionSeconds"
  FROM pg_locks l JOIN pg_stat_activity a ON a.pid = l.pid
  WHERE l.locktype = 'advisory' AND l.granted AND l.objsubid = 1 AND l.classid = 0 AND l.objid = $1
    AND l.database = (SELECT oid FROM pg_database WHERE datname = current_database())
  ORDER BY a.pid`;

/** Returns the sessions that hold an advisory lock of one number, below 2^32; empty when none does any more. */
export async function findAdvisoryLockHolders(
  client: pg.Client,
  lock: number,
): Promise<readonly LockHolder[]> {
  const { rows } = await client.query<LockHolder>(ADVISORY_LOCK_HOLDERS, [lock]);
  return rows;
}

/** A watch over a waiting session. */
export interface LockHolderWatch {
  /** Ends the watch and returns whom the session waited for when it last waited; empty when it did not. Again: the same. */
  end(): Promise<readonly LockHolder[]>;
}

/**
 * Looks again and again whom a session waits for, until the watch ends.
 * @param observer a connection of another session that nobody else uses meanwhile
 * @param pid process id of the session that may wait
 */
export function watchLockHolders(observer: pg.Client, pid: number): LockHolderWatch {
  const ended = new AbortController();
  const seen = look();
  // A connection that breaks meanwhile shows at the end of the watch, not before.
  seen.catch(() => undefined);
  return {
    end: () => {
      ended.abort();
      return seen;
    },
  };

  async function look(): Promise<readonly LockHolder[]> {
    let holders: readonly LockHolder[] = [];
    while (!ended.signal.aborted) {
      const { rows } = await observer.query<LockHolder>(LOCK_HOLDERS, [pid]);
      if (rows.length > 0) holders = rows;
      await sleep(LOOK_EVERY_MS, undefined, { signal: ended.signal }).catch(() => undefined);
    }
    return holders;
  }
}
