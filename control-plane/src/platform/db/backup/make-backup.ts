/**
 * Copies the embedded database while it runs, by PostgreSQL's low-level backup API
 * (https://www.postgresql.org/docs/18/continuous-archiving.html#BACKUP-LOWLEVEL-BASE-BACKUP): files as they are read, and the log
 * that was written meanwhile, by which a server that is started on the copy makes them consistent.
 */
import { readFileSync } from "node:fs";
import { mkdir, rename, rm, stat } from "node:fs/promises";
import { dirname, join } from "node:path";
import pg from "pg";
import { VERSION } from "../../version.ts";
import { clusterConnection, isPostmasterOf, readPostmaster } from "../postmaster.ts";
import {
  ARTIFACTS_FOLDER,
  BackupError,
  type BackupFile,
  CLUSTER_FOLDER,
  copyFile,
  listFolder,
  MANIFEST_FILE,
  type Manifest,
  syncFolder,
  syncPath,
  writeSmallFile,
} from "./backup-files.ts";
import type { OnProgress } from "./progress.ts";

/** The data folder to copy, and where to. */
export interface MakeBackupInput {
  dataDir: string;
  /** Folder of the backup; made, and closed to others. */
  target: string;
  onProgress: OnProgress;
}

/** Folders whose content a server makes anew; the folders themselves have to be there. */
const LEFT_OUT_BELOW =
  /^(?:pg_wal|pg_replslot|pg_dynshmem|pg_notify|pg_serial|pg_snapshots|pg_stat_tmp|pg_subtrans)\//;
/** Files of one running server, or of its temporary tables and sorts. */
const LEFT_OUT = /^postmaster\.(?:pid|opts)$|(?:^|\/)pgsql_tmp|(?:^|\/)pg_internal\.init|(?:^|\/)t\d+_\d+/;
/** The file that says in which state the cluster is; copied after all others, as pg_basebackup does. */
const CONTROL_FILE = "global/pg_control";
/** Segments of the log, by their names. */
const SEGMENT = /^[0-9A-F]{24}$/;

/**
 * Makes a backup of a data folder whose server runs. Nothing that was committed before the call is missing from it. A backup that
 * can't be finished leaves nothing behind.
 * @throws BackupError when the target exists or no server runs; the system's or the database's error when copying fails
 */
export async function makeBackup({ dataDir, target, onProgress }: MakeBackupInput): Promise<Manifest> {
  if (await exists(target)) throw new BackupError(`${target} exists already; name a folder that does not`);
  const unfinished = `${target}.unfinished`;
  await rm(unfinished, { recursive: true, force: true });
  await mkdir(unfinished, { recursive: true, mode: 0o700 });
  try {
    const manifest = await fillBackup({ dataDir, target: unfinished, onProgress });
    await writeSmallFile(join(unfinished, MANIFEST_FILE), `${JSON.stringify(manifest)}\n`);
    await syncFolder(unfinished);
    await rename(unfinished, target);
    await syncPath(dirname(target));
    return manifest;
  } catch (error) {
    await rm(unfinished, { recursive: true, force: true });
    throw error;
  }
}

async function fillBackup({ dataDir, target, onProgress }: MakeBackupInput): Promise<Manifest> {
  const cluster = join(dataDir, CLUSTER_FOLDER);
  const client = await connect(cluster);
  // Without a listener a lost connection would end the process; the next statement reports it.
  client.on("error", () => undefined);
  try {
    const copies = new FolderCopies({ dataDir, target, onProgress });
    await copies.expect(ARTIFACTS_FOLDER, (await listFolder(join(dataDir, ARTIFACTS_FOLDER))).files);
    const firstSegment = await begin(client);
    // Listed only now: what is made later is in the log, too.
    const listed = await listFolder(cluster, (path) => !LEFT_OUT.test(path) && !LEFT_OUT_BELOW.test(path));
    await copies.expect(CLUSTER_FOLDER, listed.files);
    for (const path of listed.files.filter((path) => path !== CONTROL_FILE))
      await copies.copy(CLUSTER_FOLDER, path);
    await copies.copy(CLUSTER_FOLDER, CONTROL_FILE);
    const completedAt = await databaseNow(client);
    const { label, lastSegment } = await end(client);
    await copies.write(`${CLUSTER_FOLDER}/backup_label`, label);
    const segments = await segmentsBetween(cluster, firstSegment, lastSegment);
    for (const segment of segments) await copies.copy(CLUSTER_FOLDER, `pg_wal/${segment}`);

    // After the database, so that no file that it names is missing.
    const artifacts = await listFolder(join(dataDir, ARTIFACTS_FOLDER));
    for (const path of artifacts.files) await copies.copy(ARTIFACTS_FOLDER, path);
    const emptyFolders = listed.emptyFolders.filter((path) => !path.startsWith("pg_wal"));
    return {
      format: 1,
      serviceVersion: VERSION,
      postgresMajor: majorOfCluster(cluster),
      completedAt,
      files: copies.files,
      emptyFolders: [...emptyFolders, "pg_wal/archive_status"].map((path) => `${CLUSTER_FOLDER}/${path}`),
    };
  } finally {
    await client.end().catch(() => undefined);
  }
}

/** Copies files of a data folder into a backup, and keeps the list of what was copied. */
class FolderCopies {
  readonly files: BackupFile[] = [];
  readonly #dataDir: string;
  readonly #target: string;
  readonly #onProgress: OnProgress;
  #copiedBytes = 0;
  #expectedBytes = 0;

  constructor({ dataDir, target, onProgress }: MakeBackupInput) {
    this.#dataDir = dataDir;
    this.#target = target;
    this.#onProgress = onProgress;
  }

  /** Adds the sizes of files to what is going to be copied. */
  async expect(folder: string, paths: readonly string[]): Promise<void> {
    for (const path of paths) {
      const found = await stat(join(this.#dataDir, folder, path)).catch(() => undefined);
      this.#expectedBytes += found?.size ?? 0;
    }
  }

  /** Copies a file. One that is gone meanwhile is left out: the log says that it was removed. */
  async copy(folder: string, path: string): Promise<void> {
    const inBackup = `${folder}/${path}`;
    const copied = await copyFile(join(this.#dataDir, inBackup), join(this.#target, inBackup), (bytes) => {
      this.#copiedBytes += bytes;
      // Files grow while they are copied.
      this.#expectedBytes = Math.max(this.#expectedBytes, this.#copiedBytes);
      this.#onProgress({ doneBytes: this.#copiedBytes, totalBytes: this.#expectedBytes });
    });
    if (copied) this.files.push({ path: inBackup, ...copied });
  }

  /** Writes a file that is made for the backup. */
  async write(path: string, content: string): Promise<void> {
    this.files.push({ path, ...(await writeSmallFile(join(this.#target, path), content)) });
  }
}

async function connect(cluster: string): Promise<pg.Client> {
  const running = readPostmaster(cluster);
  if (!running || !isPostmasterOf(running.pid, cluster))
    throw new BackupError(`no server runs on ${cluster}`);
  const client = new pg.Client({
    ...clusterConnection(running.socketFolder, "postgres"),
    application_name: "svc backup",
  });
  await client.connect();
  return client;
}

/** Begins a backup. The log is kept from here on, for as long as the connection lives. @returns the log's first segment */
async function begin(client: pg.Client): Promise<string> {
  const slot = `svc_backup_${process.pid}`;
  await client.query("SELECT pg_create_physical_replication_slot($1, true, true)", [slot]);
  const { rows } = await client.query<{ segment: string }>(
    "SELECT pg_walfile_name(pg_backup_start('svc backup', true)) AS segment",
  );
  return rows[0]?.segment ?? "";
}

async function end(client: pg.Client): Promise<{ label: string; lastSegment: string }> {
  const { rows } = await client.query<{ label: string; lastSegment: string }>(
    `SELECT labelfile AS label, pg_walfile_name(lsn) AS "lastSegment" FROM pg_backup_stop(false)`,
  );
  const [stopped] = rows;
  if (!stopped) throw new BackupError("PostgreSQL did not end the backup");
  return stopped;
}

/** Returns the names of the log's segments from the first to the last one. */
async function segmentsBetween(cluster: string, first: string, last: string): Promise<string[]> {
  const { files } = await listFolder(join(cluster, "pg_wal"));
  const segments = files.filter((name) => SEGMENT.test(name) && name >= first && name <= last);
  if (segments[0] !== first || segments.at(-1) !== last)
    throw new BackupError(`the log that the backup needs, ${first} to ${last}, is not in ${cluster}/pg_wal`);
  return segments;
}

async function databaseNow(client: pg.Client): Promise<string> {
  const { rows } = await client.query<{ now: Date }>("SELECT clock_timestamp() AS now");
  return rows[0]?.now.toISOString() ?? "";
}

/** Returns the major version of the PostgreSQL that a cluster is of. */
function majorOfCluster(cluster: string): number {
  return Number.parseInt(readFileSync(join(cluster, "PG_VERSION"), "utf8"), 10);
}

async function exists(path: string): Promise<boolean> {
  return stat(path).then(
    () => true,
    () => false,
  );
}
