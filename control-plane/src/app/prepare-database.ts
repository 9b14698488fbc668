/** Brings the database up to date before anything uses it, however long it is away. */
import { setTimeout as sleep } from "node:timers/promises";
import { backoffMs } from "@svc/contract";
import type { Knex } from "knex";
import { seedHostedLocations } from "../checks/locations/seed.ts";
import { distributeWhenNew } from "../platform/db/distribute.ts";
import { learnEngine } from "../platform/db/engine.ts";
import { reasonOf } from "../platform/db/errors.ts";
import type { LockHolder } from "../platform/db/lock-holders.ts";
import { type MigrationProgress, migrate, migrationText, waitingText } from "../platform/db/migrate.ts";
import type { DatabaseConnection } from "../platform/db/pool.ts";
import type { Lifecycle } from "../platform/http/lifecycle.ts";
import type { Services } from "../platform/services.ts";
import { bootFirst, type FirstBoot } from "./first-boot.ts";

/** The database to prepare, and how long to try. */
export interface PrepareDatabaseInput {
  connection: DatabaseConnection;
  /** Further pools of the database, which learn its engine, too. */
  pools: readonly Knex[];
  /** Receives the reason for which the database is not ready. */
  lifecycle: Lifecycle;
  /** URL that the first boot's example check watches. */
  exampleUrl: string | undefined;
  /** Ends the attempts. */
  signal: AbortSignal;
}

const RETRIES = { firstMs: 200, largestMs: 5_000 };

/**
 * Migrates the schema, distributes that of a new database on Citus, seeds the hosted locations and does the first boot, again and
 * again until the database lets it.
 * @returns the first boot's account; undefined when there is a team already
 * @throws the last error once the signal is aborted
 */
export async function prepareDatabase(
  services: Services,
  { connection, pools, lifecycle, exampleUrl, signal }: PrepareDatabaseInput,
): Promise<FirstBoot | undefined> {
  const { knex, log } = services;
  let lastReason = "";
  const show = (text: string) => {
    if (!signal.aborted)
      lifecycle.state = { status: "starting", reason: `the database is being migrated: ${text}` };
  };
  const onProgress = (migration: MigrationProgress) => {
    const text = migrationText(migration);
    log.info({ migration }, text);
    show(text);
  };
  const onWaiting = (lockHolders: readonly LockHolder[]) => {
    const text = waitingText(lockHolders);
    log.info({ lockHolders }, text);
    show(text);
  };
  for (let attempt = 1; ; attempt++) {
    try {
      await migrate(connection, { onProgress, onWaiting, signal });
      await distributeWhenNew(connection);
      await learnEngine(knex, pools);
      await seedHostedLocations(knex);
      return await bootFirst(services, exampleUrl);
    } catch (error) {
      if (signal.aborted) throw error;
      const reason = `the database is not ready: ${reasonOf(error)}`;
      if (reason !== lastReason) log.warn({ err: error }, reason);
      lastReason = reason;
      lifecycle.state = { status: "starting", reason };
      await sleep(backoffMs(attempt, RETRIES), undefined, { signal });
    }
  }
}
