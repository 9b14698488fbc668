/**
 * The box in which drivers run, by bubblewrap: no network, no files but what a browser needs to read, no environment, no
 * process but its own, another user; it ends with the agent. Works for an ordinary user where the machine lets users
 * make namespaces of their own.
 */
import { spawnSync } from "node:child_process";
import { existsSync } from "node:fs";
import { dirname, join } from "node:path";

export interface SandboxFolders {
  /** What the driver starts with; its folder is all of it. */
  driverEntry: string;
  /** Holds the Unix sockets of the agent's proxy; the only thing of the agent's that is seen. */
  socketFolder: string;
  browserPath: string;
  ffmpegPath: string | undefined;
  ffmpegFolder: string;
  /** Largest sum of the files that may be made, bytes. */
  temporaryBytesMax: number;
}

const BWRAP = ["/usr/bin/bwrap", "/usr/local/bin/bwrap"];
/** Inside: where the browser and what records videos are found. */
const INSIDE_BROWSERS = "/svc/browsers";
const INSIDE_NODE = "/svc/node";
export const INSIDE_SOCKETS = "/svc/egress";
const NOBODY = "65534";

export interface SandboxCheck {
  bwrapPath: string | undefined;
  /** Why there is no sandbox; undefined when there is one. */
  problem: string | undefined;
}

/** Whether this machine has a sandbox: tried, not guessed. */
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

/** Arguments of bwrap up to the driver's own. */
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
  return [
    ...ISOLATION,
    ...["PATH=/usr/bin:/bin", "HOME=/tmp", "TMPDIR=/tmp", "LANG=C.UTF-8"].flatMap((pair) => [
      "--setenv",
      ...pair.split("=", 2),
    ]),
    ...["--ro-bind", "/usr", "/usr"],
    ...linksOf(["lib", "lib64", "lib32", "bin", "sbin"]),
    ...[
      "/etc/fonts",
      "/etc/ssl/certs",
      "/etc/localtime",
      "/etc/chromium.d",
      "/etc/alternatives",
      "/etc/ld.so.cache",
    ].flatMap((path) => ["--ro-bind-try", path, path]),
    ...["--proc", "/proc", "--dev", "/dev"],
    ...["--size", size, "--tmpfs", "/dev/shm", "--size", size, "--tmpfs", "/tmp"],
    ...readOnly([dirname(folders.driverEntry), ...outsideUsr(folders.browserPath)]),
    ...["--ro-bind", process.execPath, INSIDE_NODE],
    ...["--ro-bind", folders.socketFolder, INSIDE_SOCKETS],
    ...video,
    ...["--chdir", "/tmp"],
    "--",
    INSIDE_NODE,
  ];
}

/** Where `/bin` and its like are links into `/usr`, they are so inside; else they are seen as they are. */
function linksOf(names: readonly string[]): string[] {
  return names.flatMap((name) =>
    existsSync(`/usr/${name}`) ? ["--symlink", `usr/${name}`, `/${name}`] : [],
  );
}

function readOnly(paths: readonly string[]): string[] {
  return [...new Set(paths)].flatMap((path) => ["--ro-bind", path, path]);
}

/** A browser of the system is below /usr already, with the libraries beside it. */
function outsideUsr(browserPath: string): string[] {
  return browserPath.startsWith("/usr/") ? [] : [dirname(browserPath)];
}
