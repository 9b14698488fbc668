/** Spawns the process of a driver: in a sandbox where that is possible, and in its control groups from its first moment. */
import { type ChildProcess, spawn } from "node:child_process";
import { mkdirSync, symlinkSync } from "node:fs";
import { constants, setPriority } from "node:os";
import { join } from "node:path";
import type { FoundBrowser } from "../find-browser.ts";
import type { Cgroup, Limits } from "./cgroup.ts";
import { sandboxArguments } from "./sandbox.ts";

/** The program, the browser and the limits of a driver. */
export interface DriverSettings {
  /** Path of the driver's bundle. */
  entry: string;
  browser: FoundBrowser;
  /** Path of bubblewrap; undefined: no sandbox. */
  bwrapPath: string | undefined;
  /** Folders of the agent that no sandbox may show. */
  privateFolders: readonly string[];
  limits: Limits;
  /** Number of runs that may go on at a time. */
  lanes: number;
  isForScripts: boolean;
  /** Longest that the browser may take until it is ready, ms. */
  readyMsMax: number;
  /** Default: the kernel's own count. */
  countMemoryKills?: () => number;
}

/** Largest sum of a driver's temporary files. */
const TEMPORARY_BYTES_MAX = 256 * 1024 * 1024;

/**
 * Spawns a driver. Commands go to its standard input, its messages come from file descriptor 3.
 * @param folder the driver's own, with the sockets of its egress proxies
 */
export function spawnDriver(
  settings: DriverSettings,
  folder: string,
  cgroup: Cgroup | undefined,
): ChildProcess {
  const { bwrapPath, entry, browser } = settings;
  const command =
    bwrapPath === undefined
      ? [process.execPath, entry]
      : [
          bwrapPath,
          ...sandboxArguments({
            driverEntry: entry,
            privateFolders: settings.privateFolders,
            socketFolder: join(folder, "egress"),
            browserPath: browser.executablePath,
            ffmpegPath: browser.ffmpegPath,
            ffmpegFolder: browser.ffmpegFolder,
            temporaryBytesMax: TEMPORARY_BYTES_MAX,
          }),
        ];
  const script = [...joinGroups(cgroup), 'exec "$@"'].join("\n");
  const child = spawn("/bin/sh", ["-c", script, "sh", ...command], {
    // The agent's environment stays outside: a script could ask the first process in the sandbox for it.
    env: bwrapPath === undefined ? plainEnvironment(browser, folder) : {},
    cwd: folder,
    detached: true,
    stdio: ["pipe", "ignore", "pipe", "pipe"],
  });
  if (settings.isForScripts) yieldToAgent(child.pid);
  return child;
}

/** Lowers the priority of a script's processes, which inherit it: whatever they do, the agent goes first. */
function yieldToAgent(pid: number | undefined): void {
  if (pid === undefined) return;
  try {
    setPriority(pid, constants.priority.PRIORITY_BELOW_NORMAL);
  } catch {
    // The process has ended already.
  }
}

/**
 * Returns the commands with which the shell enters the groups before it becomes the driver, so that no process of the
 * driver is ever outside.
 */
function joinGroups(cgroup: Cgroup | undefined): string[] {
  return (cgroup?.folders ?? []).map((folder) => `echo $$ > '${folder}/cgroup.procs' || exit 70`);
}

/**
 * Returns the environment of a driver without a sandbox: the variables that the sandbox would set, and the place
 * where Playwright looks for ffmpeg, here a folder with a link.
 */
function plainEnvironment(browser: FoundBrowser, folder: string): Record<string, string> {
  const environment = { PATH: "/usr/local/bin:/usr/bin:/bin", HOME: folder, TMPDIR: folder, LANG: "C.UTF-8" };
  if (browser.ffmpegPath === undefined) return environment;
  const browsers = join(folder, "browsers");
  mkdirSync(join(browsers, browser.ffmpegFolder), { recursive: true });
  symlinkSync(browser.ffmpegPath, join(browsers, browser.ffmpegFolder, "ffmpeg-linux"));
  return { ...environment, PLAYWRIGHT_BROWSERS_PATH: browsers };
}
