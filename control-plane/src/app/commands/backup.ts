/** `svc-control-plane backup` and `restore`: the embedded database with its files, as one folder. */
import { existsSync, readFileSync } from "node:fs";
import { join, resolve } from "node:path";
import { openLog } from "@svc/otel";
import type { Knex } from "knex";
import { type Config, ConfigError, parseConfig } from "../../platform/config.ts";
import { BackupError, CLUSTER_FOLDER } from "../../platform/db/backup/backup-files.ts";
import { makeBackup } from "../../platform/db/backup/make-backup.ts";
import { progressLines, sizeText } from "../../platform/db/backup/progress.ts";
import {
  type RecoveryKeys,
  readRecoveryFile,
  writeRecoveryFile,
} from "../../platform/db/backup/recovery-key.ts";
import { restoreBackup } from "../../platform/db/backup/restore-backup.ts";
import { holdDataFolder, keepSecret } from "../../platform/db/data-folder.ts";
import { openDatabaseBeside } from "../../platform/db/open-database.ts";
import { SECRET_KEY_FILE } from "../../platform/db/open-secret-box.ts";
import { findUnreadableSecrets, resealSecrets } from "../../platform/db/reseal.ts";
import { createSecretBox } from "../../platform/db/secret-box.ts";

/** Records that an error names at most. */
const NAMED_MAX = 5;

/**
 * Copies the embedded database and the artifacts of the data folder, also while the service runs. Tells the progress on stderr.
 * @returns the instant that the backup holds, and its size
 * @throws ConfigError with DATABASE_URL; BackupError when the data folder has no database or the target exists
 */
export async function backupCommand(target: string): Promise<string> {
  const config = parseConfig(process.env);
  refuseOwnDatabase(config);
  const dataDir = resolve(config.dataDir);
  if (!existsSync(join(dataDir, CLUSTER_FOLDER, "PG_VERSION")))
    throw new BackupError(`there is no database in ${dataDir}; SVC_DATA_DIR names the folder of another one`);
  const database = await openDatabaseBeside(config, openLog({ level: "error" }));
  try {
    const { completedAt, files } = await makeBackup({
      dataDir,
      target: resolve(target),
      onProgress: progressLines(writeLine),
    });
    const bytes = files.reduce((sum, file) => sum + file.bytes, 0);
    return [
      `backup in ${resolve(target)}: ${sizeText(bytes)}, as of ${completedAt}`,
      "It holds no secret key: keep what `svc-control-plane secrets export-key` writes, apart from it.",
    ].join("\n");
  } finally {
    await database.close();
  }
}

/** Flags of `restore`. */
export interface RestoreOptions {
  /** Recovery file that `secrets export-key` wrote. */
  keyFile?: string;
  /** True: go on without the key, and give up what it sealed. */
  newKey?: boolean;
}

/**
 * Makes the data folder from a backup; the service does not run there meanwhile. Tells the progress on stderr.
 * @throws ConfigError with DATABASE_URL; BackupError when the backup can't be restored or its secrets open with no given key;
 * DataFolderInUseError
 */
export async function restoreCommand(backup: string, options: RestoreOptions): Promise<string> {
  const config = parseConfig(process.env);
  refuseOwnDatabase(config);
  const dataDir = resolve(config.dataDir);
  const keys = await chooseKeys(config, options);
  const hold = holdDataFolder(dataDir);
  try {
    let given: string[] = [];
    const { completedAt } = await restoreBackup({
      backup: resolve(backup),
      dataDir,
      log: openLog({ level: "error" }),
      onProgress: progressLines(writeLine),
      examine: async (knex) => {
        given = await examineSecrets(knex, keys, options);
        if (config.secretKey === undefined) keepSecret(dataDir, SECRET_KEY_FILE, () => keys.secretKey);
      },
    });
    return [
      `restored to ${dataDir}, as of ${completedAt}; start the service as before`,
      ...(given.length > 0 ? [`credentials to enter again: ${given.join(", ")}`] : []),
    ].join("\n");
  } finally {
    hold.release();
  }
}

/**
 * Writes the keys of this service's secrets to a recovery file, closed to others.
 * @throws BackupError when there is no key yet; the system's error, such as `EEXIST`
 */
export async function exportKeyCommand(file: string): Promise<string> {
  const { secretKey, secretKeyPrevious, dataDir } = parseConfig(process.env);
  const keyFile = join(resolve(dataDir), SECRET_KEY_FILE);
  const current = secretKey ?? (existsSync(keyFile) ? readFileSync(keyFile, "utf8").trim() : undefined);
  if (current === undefined)
    throw new BackupError(
      `there is no key: SVC_SECRET_KEY is not set, and the service has not made ${keyFile} yet`,
    );
  await writeRecoveryFile(resolve(file), { secretKey: current, secretKeyPrevious });
  return `recovery file ${resolve(file)}: whoever has it and a backup reads all credentials; keep them apart`;
}

function refuseOwnDatabase({ databaseUrl }: Config): void {
  if (databaseUrl)
    throw new ConfigError(
      "DATABASE_URL is set: backup and restore are for the embedded database. A PostgreSQL of your own is backed up by its own " +
        "programs, such as pg_basebackup with an archive of its log",
    );
}

/** Returns the keys under which the restored service reads its secrets. */
async function chooseKeys(config: Config, { keyFile, newKey }: RestoreOptions): Promise<RecoveryKeys> {
  const kept = join(resolve(config.dataDir), SECRET_KEY_FILE);
  const ofService = config.secretKey ?? (existsSync(kept) ? readFileSync(kept, "utf8").trim() : undefined);
  const keys = keyFile === undefined ? undefined : await readRecoveryFile(resolve(keyFile));
  if (keys && ofService !== undefined && keys.secretKey !== ofService) {
    const holder = config.secretKey === undefined ? `${kept} holds` : "SVC_SECRET_KEY is";
    throw new BackupError(
      `${holder} another key than ${keyFile}; the service would start with that one. Remove one of them`,
    );
  }
  if (keys) return keys;
  if (ofService !== undefined) return { secretKey: ofService, secretKeyPrevious: config.secretKeyPrevious };
  if (newKey) return { secretKey: keepSecret(resolve(config.dataDir), SECRET_KEY_FILE) };
  throw new BackupError(
    "the backup's credentials need their key: give --key-file with what `secrets export-key` wrote, or set SVC_SECRET_KEY. " +
      "Without either, --new-key restores the rest, and credentials have to be entered again",
  );
}

/** Reads every secret with the keys, and seals those of a former key anew. @returns the records whose secrets are lost */
async function examineSecrets(
  knex: Knex,
  { secretKey, secretKeyPrevious }: RecoveryKeys,
  { newKey }: RestoreOptions,
): Promise<string[]> {
  const box = createSecretBox(secretKey, secretKeyPrevious ? [secretKeyPrevious] : []);
  const unreadable = await findUnreadableSecrets(knex, box);
  if (unreadable.length > 0 && !newKey) {
    const more = unreadable.length > NAMED_MAX ? `, and ${unreadable.length - NAMED_MAX} more` : "";
    throw new BackupError(
      `the key opens none of these credentials: ${unreadable.slice(0, NAMED_MAX).join(", ")}${more}. Give the recovery file of ` +
        "the time of the backup, or add --new-key to enter them again; nothing was restored",
    );
  }
  await resealSecrets(knex, box);
  return unreadable;
}

function writeLine(line: string): void {
  process.stderr.write(`${line}\n`);
}
