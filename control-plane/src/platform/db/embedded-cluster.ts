/** Makes the cluster of the embedded PostgreSQL, and the service's database in it. */
import { spawnSync } from "node:child_process";
import { chownSync, existsSync, mkdirSync, renameSync, rmSync } from "node:fs";
import { join } from "node:path";
import type pg from "pg";
import { cleanEnvironment, commandOf, EmbeddedPostgresError, type Launcher } from "./postgres-binaries.ts";
import { CLUSTER_USER, queryOnce } from "./postmaster.ts";

/** Name of the database inside the cluster. */
export const EMBEDDED_DATABASE = "svc";

/**
 * Makes the cluster, unless there is one.
 * @throws EmbeddedPostgresError when initdb fails
 */
export function initializeCluster(launcher: Launcher, cluster: string, more: readonly string[]): void {
  if (existsSync(join(cluster, "PG_VERSION"))) return;
  // Made under another name: a start that was killed half way leaves nothing that looks like a cluster.
  const unfinished = `${cluster}.unfinished`;
  rmSync(unfinished, { recursive: true, force: true });
  mkdirSync(unfinished, { mode: 0o700 });
  if (launcher.uid !== undefined && launcher.gid !== undefined)
    chownSync(unfinished, launcher.uid, launcher.gid);
  const { file, args } = commandOf(launcher, "initdb", [
    "-D",
    unfinished,
    "-U",
    CLUSTER_USER,
    "-A",
    "trust",
    "-E",
    "UTF8",
    "--locale=C",
    ...more,
  ]);
  const run = spawnSync(file, args, {
    encoding: "utf8",
    uid: launcher.uid,
    gid: launcher.gid,
    env: cleanEnvironment(),
  });
  if (run.status !== 0)
    throw new EmbeddedPostgresError(
      `The embedded PostgreSQL can't make its cluster (${(run.error?.message ?? run.stderr).trim().split("\n").at(-1)}); ` +
        "set DATABASE_URL to a PostgreSQL server instead",
    );
  renameSync(unfinished, cluster);
}

/** Makes the service's database, unless there is one. */
export async function createDatabase(admin: pg.ClientConfig): Promise<void> {
  const found = await queryOnce(admin, `SELECT 1 FROM pg_database WHERE datname = '${EMBEDDED_DATABASE}'`);
  if (found.rowCount === 0) await queryOnce(admin, `CREATE DATABASE ${EMBEDDED_DATABASE}`);
}
