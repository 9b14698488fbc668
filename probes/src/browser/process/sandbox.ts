/**
 * The sandbox in which drivers run, made by bubblewrap: no network, no files but those that a browser reads, no
 * environment, no processes but its own, another user. It ends with the agent. It works for an ordinary user where
 * the machine lets users make namespaces of their own.
 */
import { spawnSync } from "node:child_process";
import { existsSync } from "node:fs";
import { dirname, join } from "node:path";

export interface SandboxFolders {
  /** Path of the driver's bundle. The whole folder around it is visible. */
  driverEntry: string;
  /** Folder with the Unix sockets of the agent's proxy; nothing else of the agent is visible. */
  socketFolder: string;
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
export const INSIDE_SOCKETS = "/svc/egress";
const NOBODY = "65534";

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

/** Returns the arguments of bwrap, up to the driver's own. */
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
    ["--ro-bind", "/usr", "/usr"],
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
    readOnly([dirname(folders.driverEntry), ...outsideUsr(folders.browserPath)]),
    ["--ro-bind", process.execPath, INSIDE_NODE],
    ["--ro-bind", folders.socketFolder, INSIDE_SOCKETS],
    video,
    ["--chdir", "/tmp"],
    ["--", INSIDE_NODE],
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
  return [...new Set(paths)].flatMap((path) => ["--ro-bind", path, path]);
}

/** A browser of the system is below /usr, which is visible already, with its libraries beside it. */
function outsideUsr(browserPath: string): string[] {
  return browserPath.startsWith("/usr/") ? [] : [dirname(browserPath)];
}
