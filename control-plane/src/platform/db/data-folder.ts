/** The data folder: held by one control plane at a time; keeps the secrets that the service makes for itself. */
import { spawnSync } from "node:child_process";
import { randomBytes } from "node:crypto";
import { closeSync, mkdirSync, openSync, readFileSync, writeFileSync, writeSync } from "node:fs";
import { join } from "node:path";
import { isProcessAlive } from "../is-process-alive.ts";

/** Another control plane holds the folder; the message is the one line to print. */
export class DataFolderInUseError extends Error {}

/**
 * Makes the folder (0700) and holds it until `release`. Where the flock program exists (Linux) a kernel lock does so, which
 * ends with the process, however that ends. Elsewhere the process id in the file tells whether its writer still lives.
 * @throws DataFolderInUseError when another control plane holds it
 */
export function holdDataFolder(folder: string): { release(): void } {
  mkdirSync(folder, { recursive: true, mode: 0o700 });
  const file = join(folder, "control-plane.lock");
  const fd = openSync(file, "a+", 0o600);
  const holder = Number.parseInt(readFileSync(file, "utf8"), 10);
  const lock = spawnSync("flock", ["-n", "3"], { stdio: ["ignore", "ignore", "ignore", fd] });
  const isHeldByAnother = lock.error ? holder !== process.pid && isProcessAlive(holder) : lock.status !== 0;
  if (isHeldByAnother) {
    closeSync(fd);
    throw new DataFolderInUseError(
      `${folder} is in use by another control plane (process ${holder || "unknown"}); stop it, give this one its own ` +
        "SVC_DATA_DIR, or let both share a database by DATABASE_URL",
    );
  }
  writeFileSync(file, "");
  writeSync(fd, `${process.pid}\n`);
  return {
    release: () => {
      writeFileSync(file, "");
      closeSync(fd);
    },
  };
}

/**
 * Returns a secret of the service's own from `<folder>/<name>` (0600); made on first use.
 * @param make returns the text when there is none yet
 */
export function keepSecret(
  folder: string,
  name: string,
  make: () => string = () => randomBytes(32).toString("hex"),
): string {
  mkdirSync(folder, { recursive: true, mode: 0o700 });
  const file = join(folder, name);
  try {
    writeFileSync(file, `${make()}\n`, { mode: 0o600, flag: "wx", flush: true });
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== "EEXIST") throw error;
  }
  return readFileSync(file, "utf8").trim();
}
