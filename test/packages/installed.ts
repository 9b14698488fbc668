/** The packages of a dry release, installed into an empty folder and started as a user would: without the repository. */
import { execFile } from "node:child_process";
import { existsSync, mkdirSync, readdirSync, statSync, symlinkSync } from "node:fs";
import { join, relative } from "node:path";
import { promisify } from "node:util";
import { ROOT } from "../harness/control-plane.ts";
import { type RunningProcess, startProgram } from "../harness/process.ts";

const execute = promisify(execFile);

/** Folders of a release and of what was installed from it. */
export interface Installed {
  /** Holds the tarballs, SBOMs and sums. */
  release: string;
  /** The one PATH that programs get: Node, the sandbox of browser checks, and the installed commands. */
  path: string;
  /** Returns the folder of an installed package. */
  folderOf(name: PackageName): string;
}

export const PACKAGE_NAMES = ["cli", "runner-agent", "control-plane"] as const;
type PackageName = (typeof PACKAGE_NAMES)[number];

/** Makes a dry release in `folder` and installs its packages. No package's install script runs: none may be needed. */
export async function installRelease(folder: string): Promise<Installed> {
  const release = join(folder, "release");
  const script = join(ROOT, "scripts/release.mjs");
  await execute(process.execPath, [script, "--dry-run", "--output", release], { cwd: folder });
  const prefix = join(folder, "prefix");
  await install(release, prefix);
  const tools = join(folder, "tools");
  mkdirSync(tools);
  symlinkSync(process.execPath, join(tools, "node"));
  if (existsSync("/usr/bin/bwrap")) symlinkSync("/usr/bin/bwrap", join(tools, "bwrap"));
  return {
    release,
    path: `${tools}:${join(prefix, "bin")}`,
    folderOf: (name) => join(prefix, "lib/node_modules/@svc", name),
  };
}

async function install(release: string, prefix: string): Promise<void> {
  const tarballs = readdirSync(release).filter((file) => file.endsWith(".tgz"));
  mkdirSync(prefix, { recursive: true });
  const flags = [
    "--global",
    "--prefix",
    prefix,
    "--prefer-offline",
    "--ignore-scripts",
    "--no-audit",
    "--no-fund",
  ];
  await execute("npm", ["install", ...flags, ...tarballs.map((file) => join(release, file))], {
    cwd: prefix,
  });
}

/** Starts an installed command in a folder. It gets HOME, the PATH of what is installed, and `environment` only. */
export function startInstalled(
  { path }: Installed,
  cwd: string,
  { words, environment = {} }: { words: string[]; environment?: Record<string, string> },
): RunningProcess {
  const inFolder = ["-c", 'cd "$0" && exec "$@"', cwd, ...words];
  return startProgram("/bin/sh", inFolder, { PATH: path, HOME: cwd, ...environment });
}

/** What an installed package takes of a disk, bytes, how many packages lie in it, and its 20 largest files with their bytes. */
export function weigh(folder: string): { bytes: number; packages: number; largest: string[] } {
  const files: { path: string; bytes: number }[] = [];
  let packages = 0;
  for (const entry of readdirSync(folder, { recursive: true, withFileTypes: true })) {
    if (!entry.isFile()) continue;
    const path = join(entry.parentPath, entry.name);
    files.push({ path, bytes: statSync(path).size });
    if (entry.name === "package.json" && /\/node_modules\/(@[^/]+\/)?[^/]+$/.test(entry.parentPath))
      packages += 1;
  }
  files.sort((a, b) => b.bytes - a.bytes);
  return {
    bytes: files.reduce((sum, file) => sum + file.bytes, 0),
    // The package itself lies in the node_modules of its prefix.
    packages: packages - 1,
    largest: files.slice(0, 20).map((file) => `${relative(folder, file.path)} ${file.bytes}`),
  };
}
