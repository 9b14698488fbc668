/**
 * Makes a data folder from a backup. Everything happens in a folder beside the places where the service looks, so that a restore
 * that fails or is killed leaves nothing that a service would start on.
 */
import { chown, mkdir, rename, rm, stat, statfs } from "node:fs/promises";
import { dirname, join } from "node:path";
import type { Knex } from "knex";
import type { Logger } from "pino";
import { DatabaseServers } from "../database-servers.ts";
import { startEmbeddedPostgres } from "../embedded.ts";
import { openPool } from "../pool.ts";
import { findLauncher, majorOf } from "../postgres-binaries.ts";
import { queryRows } from "../rows.ts";
import {
  ARTIFACTS_FOLDER,
  BackupError,
  CLUSTER_FOLDER,
  copyFile,
  type Manifest,
  readManifest,
  syncFolder,
  syncPath,
} from "./backup-files.ts";
import { type OnProgress, sizeText } from "./progress.ts";

/** The backup, and the data folder that is made from it. */
export interface RestoreBackupInput {
  /** Folder of the backup; it is only read. */
  backup: string;
  /** Data folder; it must hold no database. */
  dataDir: string;
  log: Logger;
  onProgress: OnProgress;
  /** Looks at the restored database before it counts; when it rejects, nothing is restored. */
  examine: (knex: Knex) => Promise<void>;
}

/** Folder in the data folder in which a restore works. */
const WORK_FOLDER = "restoring";
/**
 * Numbers that a restored sequence leaves out. Agents may still hold results and checks under numbers that were given after the
 * backup; they must never mean something else. Far below the 2 thousand million of the smallest sequence, and above what any
 * service gives between two backups.
 */
const SEQUENCE_GAP = 1_000_000;

/**
 * Restores a backup and starts a server on it once, which makes the files consistent.
 * @throws BackupError when the folder is no backup, a file of it is damaged, the data folder has a database, or its disk is too small
 */
export async function restoreBackup(input: RestoreBackupInput): Promise<Manifest> {
  const { backup, dataDir, log, examine } = input;
  const manifest = await readManifest(backup);
  await mkdir(dataDir, { recursive: true, mode: 0o700 });
  await refuseDatabase(dataDir);
  refuseOtherMajor(dataDir, manifest);
  await refuseSmallDisk(dataDir, manifest);
  const work = join(dataDir, WORK_FOLDER);
  await rm(work, { recursive: true, force: true });
  await mkdir(work, { mode: 0o700 });
  try {
    await copyFiles(input, { manifest, work });
    await giveToServersAccount(work, manifest);
    await syncFolder(work);
    const postgres = await startEmbeddedPostgres({ folder: work, log });
    try {
      const knex = openPool(DatabaseServers.of(postgres.connection), { poolMax: 2, statementTimeoutMs: 0 });
      try {
        await advanceSequences(knex);
        await examine(knex);
      } finally {
        await knex.destroy();
      }
    } finally {
      await postgres.stop();
    }
    if (manifest.files.some(({ path }) => path.startsWith(`${ARTIFACTS_FOLDER}/`))) {
      await rm(join(dataDir, ARTIFACTS_FOLDER), { recursive: true, force: true });
      await rename(join(work, ARTIFACTS_FOLDER), join(dataDir, ARTIFACTS_FOLDER));
    }
    // Last: from here on a service starts on it.
    await rename(join(work, CLUSTER_FOLDER), join(dataDir, CLUSTER_FOLDER));
    await syncPath(dataDir);
    return manifest;
  } finally {
    await rm(work, { recursive: true, force: true });
  }
}

async function refuseDatabase(dataDir: string): Promise<void> {
  const cluster = join(dataDir, CLUSTER_FOLDER);
  const found = await stat(cluster).catch(() => undefined);
  if (found)
    throw new BackupError(
      `${cluster} exists: a restore replaces no database. Move it away, or name another folder with SVC_DATA_DIR`,
    );
}

function refuseOtherMajor(dataDir: string, { postgresMajor, serviceVersion }: Manifest): void {
  const installed = majorOf(findLauncher(dataDir));
  if (installed !== postgresMajor)
    throw new BackupError(
      `the backup is of PostgreSQL ${postgresMajor}, and this version of the service has PostgreSQL ${installed}: ` +
        `restore it with version ${serviceVersion} of the service`,
    );
}

async function refuseSmallDisk(dataDir: string, { files }: Manifest): Promise<void> {
  const neededBytes = files.reduce((sum, { bytes }) => sum + bytes, 0);
  const { bavail, bsize } = await statfs(dataDir);
  if (bavail * bsize < neededBytes)
    throw new BackupError(
      `${dataDir} has ${sizeText(bavail * bsize)} left, and the backup takes ${sizeText(neededBytes)}`,
    );
}

/** Copies the backup's files, each compared with what the manifest says of it. */
async function copyFiles(
  { backup, onProgress }: RestoreBackupInput,
  { manifest, work }: { manifest: Manifest; work: string },
): Promise<void> {
  const totalBytes = manifest.files.reduce((sum, { bytes }) => sum + bytes, 0);
  let doneBytes = 0;
  for (const { path, bytes, sha256 } of manifest.files) {
    const copied = await copyFile(join(backup, path), join(work, path), (length) => {
      doneBytes += length;
      onProgress({ doneBytes, totalBytes });
    });
    if (!copied) throw new BackupError(`the backup is damaged: ${join(backup, path)} is missing`);
    if (copied.bytes !== bytes || copied.sha256 !== sha256)
      throw new BackupError(`the backup is damaged: ${join(backup, path)} is not what was backed up`);
  }
  for (const path of manifest.emptyFolders) await mkdir(join(work, path), { recursive: true, mode: 0o700 });
}

/** Makes the cluster the server's own where root starts it under another account. */
async function giveToServersAccount(work: string, { files, emptyFolders }: Manifest): Promise<void> {
  const { uid, gid } = findLauncher(work);
  if (uid === undefined || gid === undefined) return;
  const paths = new Set([CLUSTER_FOLDER]);
  for (const path of [...files.map((file) => file.path), ...emptyFolders])
    for (let at = path; at.startsWith(`${CLUSTER_FOLDER}/`); at = dirname(at)) paths.add(at);
  for (const path of paths) await chown(join(work, path), uid, gid);
}

/** Lets each sequence go on above all numbers that were given before the restore. */
async function advanceSequences(knex: Knex): Promise<void> {
  await queryRows(
    knex,
    `SELECT setval(format('%I.%I', schemaname, sequencename)::regclass, least(coalesce(last_value, 0) + ?, max_value))
     FROM pg_sequences WHERE schemaname NOT LIKE 'pg\\_%'`,
    [SEQUENCE_GAP],
  );
}
