/** Checks and prepares what every script needs: a Node that is new enough, and the dependencies of the lockfile. */
import { spawnSync } from "node:child_process";
import { existsSync, statSync } from "node:fs";
import { dirname, join } from "node:path";
import { fileURLToPath } from "node:url";

/** The project's root folder. */
export const root = dirname(dirname(fileURLToPath(import.meta.url)));

/** Ends the process with one line when this Node is too old. */
export function ensureNode() {
  const [major = 0, minor = 0] = process.versions.node.split(".").map(Number);
  if (major > 20 || (major === 20 && minor >= 19)) return;
  console.error(
    `svc needs Node.js 20.19 or newer; this is ${process.versions.node}. See https://nodejs.org/`,
  );
  process.exit(1);
}

/** Installs the packages of the lockfile when the lockfile is newer than the installation. */
export function ensureInstalled() {
  const installed = join(root, "node_modules", ".package-lock.json");
  const wanted = join(root, "package-lock.json");
  if (existsSync(installed) && statSync(installed).mtimeMs >= statSync(wanted).mtimeMs) return;
  console.error("Installing dependencies (npm ci) ...");
  run("npm", ["ci", "--no-audit", "--no-fund", "--loglevel=error"], {});
}

/** Runs a command with this terminal; ends the process with its exit code when it fails. */
export function run(command, args, environment) {
  const { status, error } = tryRun(command, args, environment);
  if (status === 0) return;
  console.error(
    `${command} ${args.join(" ")} failed${error ? `: ${error.message}` : ` with exit code ${status}`}`,
  );
  process.exit(status ?? 1);
}

/** Runs a command with this terminal and tells how it ended. */
export function tryRun(command, args, environment) {
  return spawnSync(command, args, {
    cwd: root,
    stdio: "inherit",
    env: { ...process.env, ...environment },
    shell: process.platform === "win32",
  });
}

/** Path of a command that a dependency brings. */
export function bin(name) {
  return join(root, "node_modules", ".bin", name);
}
