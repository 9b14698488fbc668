/**
 * The recovery file: the secret keys without which a backup's credentials can't be read, in the form of a shell's or systemd's
 * environment file. A backup holds no key, so that whoever finds one reads no credentials.
 */
import { readFile } from "node:fs/promises";
import { BackupError, syncPath, writeSmallFile } from "./backup-files.ts";

/** Keys that open what is sealed; see createSecretBox. */
export interface RecoveryKeys {
  secretKey: string;
  secretKeyPrevious?: string;
}

/**
 * Writes the recovery file (0600) where no file is.
 * @throws BackupError for a key of several lines; the system's error, `EEXIST` when there is a file already
 */
export async function writeRecoveryFile(path: string, keys: RecoveryKeys): Promise<void> {
  if (Object.values(keys).some((key) => /[\r\n]/.test(key)))
    throw new BackupError(
      "a secret key with a line break can't be written to a recovery file; keep it yourself",
    );
  const lines = [
    "# Recovery file of svc: opens the credentials in its database and backups. Keep it apart from them.",
    `SVC_SECRET_KEY=${keys.secretKey}`,
    ...(keys.secretKeyPrevious ? [`SVC_SECRET_KEY_PREVIOUS=${keys.secretKeyPrevious}`] : []),
  ];
  await writeSmallFile(path, `${lines.join("\n")}\n`);
  await syncPath(path);
}

/**
 * Reads a recovery file.
 * @throws BackupError when it is none
 */
export async function readRecoveryFile(path: string): Promise<RecoveryKeys> {
  const text = await readFile(path, "utf8").catch((cause: Error) => {
    throw new BackupError(`${path} can't be read: ${cause.message}`, { cause });
  });
  const keyOf = (name: string) => new RegExp(`^${name}=([^\\r\\n]+)`, "m").exec(text)?.[1];
  const secretKey = keyOf("SVC_SECRET_KEY");
  if (!secretKey)
    throw new BackupError(
      `${path} is no recovery file: it has no line SVC_SECRET_KEY=...; \`svc-control-plane secrets export-key\` writes one`,
    );
  return { secretKey, secretKeyPrevious: keyOf("SVC_SECRET_KEY_PREVIOUS") };
}
