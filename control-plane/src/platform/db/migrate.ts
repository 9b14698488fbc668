/**
 * Brings the database's schema up to date, one migration at a time, beside replicas that work on it. A migration waits for the lock
 * of a table only shortly, since every statement on the table queues behind it, and tries again until it gets the lock.
 */
import { setTimeout as sleep } from "node:timers/promises";
import { type BackoffOptions, backoffMs } from "@svc/contract";
import type { Knex } from "knex";
import type pg from "pg";
import { ADVISORY_LOCKS } from "./advisory-locks.ts";
import { isLockTimeout } from "./errors.ts";
import {
  findAdvisoryLockHolders,
  type LockHolder,
  lockHolderText,
  watchLockHolders,
} from "./lock-holders.ts";
import { migrationSource } from "./migrations/registry.ts";
import { type DatabaseConnection, openPool } from "./pool.ts";

/** Migrations, and the table that lists those that ran. */
export interface MigrationsConfig {
  tableName: string;
  migrationSource: Knex.MigrationSource<unknown>;
}

const MIGRATIONS_CONFIG: MigrationsConfig = { migrationSource, tableName: "svc_migrations" };

/** Longest wait of a migration for a lock, ms: for that long, statements on the table may queue behind it. */
const LOCK_TIMEOUT_MS = 200;

/** Attempts to run a migration that finds a table locked: about five minutes, the pauses included. */
const ATTEMPTS = 65;
const PAUSES: BackoffOptions = { firstMs: 100, largestMs: 5_000 };
/** Time between two tries to be the one that migrates, ms. */
const TURN_EVERY_MS = 500;

/** How a migration goes: that it began, or that it found a table locked and will be tried again. */
export interface MigrationProgress {
  name: string;
  /** Number of the migration among those that the database lacked, from 1. */
  number: number;
  /** How many migrations the database lacked. */
  of: number;
  /** From 1. */
  attempt: number;
  /** Sessions that the attempt before waited for; empty at the first. */
  lockHolders: readonly LockHolder[];
}

/** Returns in words whom a replica waits for that may not migrate yet, without a full stop. */
export function waitingText(lockHolders: readonly LockHolder[]): string {
  return `another process migrates the database: ${lockHolders.map(lockHolderText).join(", ")}; this one waits for it`;
}

/** Returns the progress as one sentence without a full stop. */
export function migrationText({ name, number, of, attempt, lockHolders }: MigrationProgress): string {
  const text = `migration ${name} (${number} of ${of}) runs`;
  if (attempt === 1) return text;
  return `${text}, attempt ${attempt}: before, it waited ${LOCK_TIMEOUT_MS} ms for ${holdersText(lockHolders)}`;
}

function holdersText(holders: readonly LockHolder[]): string {
  return holders.length === 0 ? "a locked table" : holders.map(lockHolderText).join(", ");
}

/** A migration that found a table locked at each attempt. The database is as the migration before it left it. */
export class MigrationLockError extends Error {
  constructor({ name, attempt, lockHolders }: MigrationProgress) {
    super(
      `Migration ${name} got no lock in ${attempt} attempts of ${LOCK_TIMEOUT_MS} ms; it waited for ${holdersText(lockHolders)}. Nothing of it ` +
        "is done. End these sessions (SELECT pg_terminate_backend(<pid>)), or migrate when they have ended",
    );
    this.name = "MigrationLockError";
  }
}

/** How to migrate. */
export interface MigrateOptions {
  /** The migrations; a test may give others than the service's. */
  config?: MigrationsConfig;
  onProgress?: (progress: MigrationProgress) => void;
  /** Called when other sessions migrate, once for each that does. Default: the wait is silent. */
  onWaiting?: (lockHolders: readonly LockHolder[]) => void;
  /** Ends the attempts of a migration that finds a table locked. */
  signal?: AbortSignal;
  /** Most attempts to run a migration. Default: {@link ATTEMPTS}. */
  attempts?: number;
}

/**
 * Runs the migrations that the database lacks, each in a transaction of its own, and all in one for a new database, where nobody is held
 * up. Replicas that start together wait for one another.
 * Uses connections of its own without a limit for statements: a migration of a large table, like waiting for another replica's, may
 * take long.
 * @throws MigrationLockError when a table stays locked; AbortError when the signal ends it; Error when the database is down or a
 *   migration fails
 */
export async function migrate(connection: DatabaseConnection, options: MigrateOptions = {}): Promise<void> {
  const { config = MIGRATIONS_CONFIG } = options;
  // One connection holds the lock and looks who else holds one, the other one migrates.
  const pool = openPool(connection, { poolMax: 2, statementTimeoutMs: 0, lockTimeoutMs: LOCK_TIMEOUT_MS });
  try {
    const lockHolder = (await pool.client.acquireConnection()) as pg.Client;
    try {
      await lockHolder.query("SET lock_timeout = 0");
      await becomeMigrator(lockHolder, options);
      // knex's own lock is a row that a killed replica leaves locked; ours went with its connection.
      await pool.migrate.forceFreeMigrationsLock(config);
      const names = await pendingMigrations(pool, config);
      if ((await ranMigrations(pool, config.tableName)).length === 0)
        await pool.migrate.latest(knexConfig(config));
      else
        for (const [index, name] of names.entries())
          await runMigration(
            { pool, observer: lockHolder },
            { name, number: index + 1, of: names.length },
            options,
          );
    } finally {
      await lockHolder.query("SELECT pg_advisory_unlock_all()").catch(() => undefined);
      await pool.client.releaseConnection(lockHolder);
    }
  } finally {
    await pool.destroy();
  }
}

/** Resolves once this session alone may migrate, which it says by an advisory lock. @throws AbortError when the signal ends the wait */
async function becomeMigrator(
  client: pg.Client,
  { onWaiting, signal }: Pick<MigrateOptions, "onWaiting" | "signal">,
): Promise<void> {
  let waitedFor = "";
  for (;;) {
    const { rows } = await client.query("SELECT pg_try_advisory_lock($1) AS has", [ADVISORY_LOCKS.migrate]);
    if (rows[0]?.has) return;
    const holders = await findAdvisoryLockHolders(client, ADVISORY_LOCKS.migrate);
    const pids = holders.map(({ pid }) => pid).join();
    if (holders.length > 0 && pids !== waitedFor) onWaiting?.(holders);
    waitedFor = pids;
    await sleep(TURN_EVERY_MS, undefined, { signal });
  }
}

/** Connections of a migration: those that it runs on, and one to see who holds what it waits for. */
interface MigrationConnections {
  pool: Knex;
  observer: pg.Client;
}

async function runMigration(
  { pool, observer }: MigrationConnections,
  migration: Pick<MigrationProgress, "name" | "number" | "of">,
  { config = MIGRATIONS_CONFIG, onProgress, signal, attempts = ATTEMPTS }: MigrateOptions,
): Promise<void> {
  let lockHolders: readonly LockHolder[] = [];
  for (let attempt = 1; ; attempt++) {
    onProgress?.({ ...migration, attempt, lockHolders });
    const { rows } = await pool.raw<{ rows: [{ pid: number }] }>("SELECT pg_backend_pid() AS pid");
    const watch = watchLockHolders(observer, rows[0].pid);
    try {
      await pool.migrate.up({ ...knexConfig(config), name: migration.name });
      return;
    } catch (error) {
      if (!isLockTimeout(error)) throw error;
      // A busy process may have looked too late.
      const seen = await watch.end();
      if (seen.length > 0) lockHolders = seen;
      if (attempt >= attempts) throw new MigrationLockError({ ...migration, attempt, lockHolders });
      await sleep(backoffMs(attempt, PAUSES), undefined, { signal });
    } finally {
      await watch.end();
    }
  }
}

/** An older replica may still run beside a newer one that has migrated already: what ran need not be in its list. */
function knexConfig(config: MigrationsConfig): Knex.MigratorConfig {
  return { ...config, disableMigrationsListValidation: true };
}

/** Returns the names of the migrations that the database lacks, in the order in which they would run. Changes nothing. */
export async function listPendingMigrations(connection: DatabaseConnection): Promise<string[]> {
  const pool = openPool(connection, { poolMax: 1 });
  try {
    return await pendingMigrations(pool, MIGRATIONS_CONFIG);
  } finally {
    await pool.destroy();
  }
}

async function pendingMigrations(
  pool: Knex,
  { migrationSource: source, tableName }: MigrationsConfig,
): Promise<string[]> {
  const names = (await source.getMigrations([])).map((migration) => source.getMigrationName(migration));
  const done = new Set(await ranMigrations(pool, tableName));
  return names.filter((name) => !done.has(name));
}

async function ranMigrations(pool: Knex, tableName: string): Promise<string[]> {
  return (await pool.schema.hasTable(tableName)) ? pool(tableName).pluck("name") : [];
}
