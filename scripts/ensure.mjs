/** Checks and prepares what every script needs: a Node that is new enough, and the dependencies of the lockfile. */
import { spawn, spawnSync } from "node:child_process";
import { existsSync, statSync } from "node:fs";
import { dirname, join } from "node:path";
import { createInterface } from "node:readline";
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
function tryRun(command, args, environment) {
  return spawnSync(command, args, {
    cwd: root,
    stdio: "inherit",
    env: { ...process.env, ...environment },
    shell: process.platform === "win32",
  });
}

/**
 * Runs a command beside others, below the priority of what runs as usual. Its output is written here in whole lines.
 * Resolves with how it ended and with what it wrote to stdout.
 * @param options.niceness 0: the priority of this process
 */
export function runBeside(command, args, { environment = {}, niceness = 5 } = {}) {
  const words = niceness === 0 || process.platform === "win32" ? [] : ["nice", "-n", String(niceness)];
  const [file, ...rest] = [...words, command, ...args];
  const child = spawn(file, rest, {
    cwd: root,
    stdio: ["ignore", "pipe", "pipe"],
    env: { ...process.env, ...(process.stdout.isTTY && { FORCE_COLOR: "1" }), ...environment },
    shell: process.platform === "win32",
  });
  let stdout = "";
  createInterface({ input: child.stdout }).on("line", (line) => {
    stdout += `${line}\n`;
    console.log(line);
  });
  createInterface({ input: child.stderr }).on("line", (line) => console.error(line));
  return new Promise((resolve) => {
    child.on("error", (error) => {
      console.error(`${command} could not be started: ${error.message}`);
      resolve({ status: 1, stdout });
    });
    child.on("close", (status) => resolve({ status, stdout }));
  });
}

/** Path of a command that a dependency brings. */
export function bin(name) {
  return join(root, "node_modules", ".bin", name);
}
