/**
 * The sandbox in which drivers run, made by bubblewrap: no network, no environment, another user, only the files that a
 * browser reads (none of the agent's, wherever it is installed) and only the driver's own processes. It ends with the
 * agent. It works for an ordinary user where the machine lets users make namespaces.
 */
import { spawnSync } from "node:child_process";
import { existsSync } from "node:fs";
import { homedir } from "node:os";
import { basename, dirname, join } from "node:path";

/** Files and folders that a sandbox shows or hides, as absolute paths of the machine. */
export interface SandboxFolders {
  /** Path of the driver's bundle. The whole folder around it is visible, under a path that says nothing of where it is. */
  driverEntry: string;
  /** Folder with the Unix sockets of the agent's proxy; nothing else of the agent is visible. */
  socketFolder: string;
  /** Folders of the agent that are hidden where they lie below a visible folder. */
  privateFolders: readonly string[];
  browserPath: string;
  ffmpegPath: string | undefined;
  ffmpegFolder: string;
  /** Largest sum of the files that the driver makes, bytes. */
  temporaryBytesMax: number;
}

const BWRAP = ["/usr/bin/bwrap", "/usr/local/bin/bwrap"];
/** Paths inside the sandbox. */
const INSIDE_BROWSERS = "/svc/browsers";
const INSIDE_NODE = "/svc/node";
const INSIDE_DRIVER = "/svc/driver";
/** Path, inside the sandbox, of the folder with the proxy's Unix sockets. */
export const INSIDE_SOCKETS = "/svc/egress";
const NOBODY = "65534";
/**
 * The folders that a browser's programs and libraries are in. Not all of `/usr`: `/usr/src` and others may hold an agent's
 * installation.
 */
const SYSTEM_FOLDERS = [
  ...["bin", "sbin", "lib", "lib32", "lib64", "libexec", "share"].map((name) => `/usr/${name}`),
  ...["bin", "lib", "share"].map((name) => `/usr/local/${name}`),
];
/** Folders that are nobody's own. */
const SHARED_FOLDERS = ["bin", "boot", "dev", "etc", "home", "lib", "media", "mnt", "opt", "proc", "root"]
  .concat(["run", "sbin", "srv", "sys", "tmp", "usr", "usr/local", "usr/src", "var", "var/lib", "var/tmp"])
  .map((name) => `/${name}`);

/** Whether this machine can make a sandbox: the path of bubblewrap, or the reason why not. */
export interface SandboxCheck {
  bwrapPath: string | undefined;
  /** Why there is no sandbox; undefined when there is one. */
  problem: string | undefined;
}

/** Finds out whether this machine can make a sandbox, by making one. */
export function checkSandbox(): SandboxCheck {
  const bwrapPath = BWRAP.find((path) => existsSync(path));
  if (process.platform !== "linux" || bwrapPath === undefined)
    return { bwrapPath: undefined, problem: "bubblewrap is not installed (Debian's package bubblewrap)" };
  const { status, stderr } = spawnSync(
    bwrapPath,
    [
      ...ISOLATION,
      "--ro-bind",
      "/usr",
      "/usr",
      ...linksOf(["lib", "lib64", "bin"]),
      "--proc",
      "/proc",
      "--",
      "/usr/bin/true",
    ],
    { env: {}, encoding: "utf8", timeout: 10_000 },
  );
  if (status === 0) return { bwrapPath, problem: undefined };
  const line = (stderr ?? "").trim().split("\n")[0] || "it did not end in time";
  return {
    bwrapPath: undefined,
    problem: `bubblewrap can't make a sandbox here (${line}); users must be allowed to make namespaces`,
  };
}

const ISOLATION = [
  "--unshare-all",
  "--die-with-parent",
  "--new-session",
  "--clearenv",
  "--uid",
  NOBODY,
  "--gid",
  NOBODY,
  "--hostname",
  "sandbox",
];

/** Returns the arguments of bwrap that run the driver in its sandbox. */
export function sandboxArguments(folders: SandboxFolders): string[] {
  const size = String(folders.temporaryBytesMax);
  const video =
    folders.ffmpegPath === undefined
      ? ["--dir", INSIDE_BROWSERS]
      : [
          "--ro-bind",
          folders.ffmpegPath,
          join(INSIDE_BROWSERS, folders.ffmpegFolder, "ffmpeg-linux"),
          "--setenv",
          "PLAYWRIGHT_BROWSERS_PATH",
          INSIDE_BROWSERS,
        ];
  const groups = [
    ISOLATION,
    ["PATH=/usr/bin:/bin", "HOME=/tmp", "TMPDIR=/tmp", "LANG=C.UTF-8"].flatMap((pair) => [
      "--setenv",
      ...pair.split("=", 2),
    ]),
    SYSTEM_FOLDERS.flatMap((path) => ["--ro-bind-try", path, path]),
    linksOf(["lib", "lib64", "lib32", "bin", "sbin"]),
    [
      "/etc/fonts",
      "/etc/ssl/certs",
      "/etc/localtime",
      "/etc/chromium.d",
      "/etc/alternatives",
      "/etc/ld.so.cache",
    ].flatMap((path) => ["--ro-bind-try", path, path]),
    ["--proc", "/proc", "--dev", "/dev"],
    ["--size", size, "--tmpfs", "/dev/shm", "--size", size, "--tmpfs", "/tmp"],
    hidden(folders.privateFolders, SYSTEM_FOLDERS),
    ["--ro-bind", dirname(folders.driverEntry), INSIDE_DRIVER],
    readOnly(outsideSystem(folders.browserPath)),
    ["--ro-bind", process.execPath, INSIDE_NODE],
    ["--ro-bind", folders.socketFolder, INSIDE_SOCKETS],
    video,
    ["--chdir", "/tmp"],
    ["--", INSIDE_NODE, join(INSIDE_DRIVER, basename(folders.driverEntry))],
  ];
  return groups.flat();
}

/** Returns links into `/usr` for those folders, such as `/bin`, that `/usr` has. */
function linksOf(names: readonly string[]): string[] {
  return names.flatMap((name) =>
    existsSync(`/usr/${name}`) ? ["--symlink", `usr/${name}`, `/${name}`] : [],
  );
}

function readOnly(paths: readonly string[]): string[] {
  return paths.flatMap((path) => ["--ro-bind", path, path]);
}

/** A browser of the system is in a folder that is visible already, with its libraries beside it. */
function outsideSystem(browserPath: string): string[] {
  return isBelowAny(browserPath, SYSTEM_FOLDERS) ? [] : [dirname(browserPath)];
}

/** Covers those of the folders with empty ones that would be visible. */
function hidden(folders: readonly string[], visible: readonly string[]): string[] {
  return folders
    .filter((folder) => isBelowAny(folder, visible) && existsSync(folder))
    .flatMap((folder) => ["--tmpfs", folder]);
}

/**
 * Finds out why a browser's folder may not be shown to scripts as a whole; undefined: it may. The folder has to be the
 * browser's own: neither one of the system, nor one that people or the agent keep files in.
 */
export function findFolderProblem(
  browserPath: string,
  privateFolders: readonly string[],
): string | undefined {
  const folder = dirname(browserPath);
  if (isBelowAny(browserPath, SYSTEM_FOLDERS)) return undefined;
  const isShared = folder === "/" || SHARED_FOLDERS.includes(folder) || dirname(folder) === "/home";
  const held = [homedir(), ...privateFolders].find((one) => one === folder || one.startsWith(`${folder}/`));
  if (!isShared && held === undefined) return undefined;
  const why = held === undefined ? "is not the browser's own" : `holds ${held}`;
  return `the browser ${browserPath} lies in ${folder}, which ${why}, and scripts would see all of it; move the browser to a folder of its own`;
}

function isBelowAny(path: string, folders: readonly string[]): boolean {
  return folders.some((folder) => path.startsWith(`${folder}/`));
}
