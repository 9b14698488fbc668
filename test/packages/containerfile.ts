/**
 * Images without a container engine: a Containerfile's steps are replayed on a base of the host's programs, and the result is
 * started as the image says. bubblewrap mounts; it wants root.
 */
import { execFile, execFileSync } from "node:child_process";
import { cpSync, existsSync, mkdirSync, readdirSync, readFileSync, symlinkSync } from "node:fs";
import { basename, join } from "node:path";
import { promisify } from "node:util";
import { type RunningProcess, startProgram } from "../harness/process.ts";

const execute = promisify(execFile);

export const canReplay = process.getuid?.() === 0 && existsSync("/usr/bin/bwrap");
export const REPLAY_ADVICE = canReplay ? "" : " (run as root with Debian's package bubblewrap to have it)";

/** What an image says of itself, and the folder that holds its files. */
export interface Image {
  root: string;
  environment: Record<string, string>;
  user: string;
  volumes: string[];
  ports: string[];
  entrypoint: string[];
  healthCheck: string[];
  stopSignal: string;
}

/** Programs that a run must do without. */
const SHELLS = ["/usr/bin/dash", "/usr/bin/bash"];

/**
 * Replays a Containerfile's stages. Steps that install Debian's packages are left out: the host has these.
 * @param context folder that COPY takes files from
 * @param folder the stages' files
 */
export async function replay(file: string, context: string, folder: string): Promise<Map<string, Image>> {
  const stages = new Map<string, Image>();
  let image: Image | undefined;
  for (const line of instructionsOf(file)) {
    const [word = "", ...rest] = line.split(/\s+/);
    const text = line.slice(word.length).trim();
    if (word === "FROM") {
      const name = rest[2] ?? "final";
      image = stageOf(stages.get(rest[0] ?? ""), join(folder, name));
      stages.set(name, image);
    } else if (image === undefined) throw new Error(`${word} before FROM`);
    else if (word === "COPY") copy(rest, { image, stages, context });
    else if (word === "RUN") await runStep(image, text);
    else note(image, word, text);
  }
  return stages;
}

function instructionsOf(file: string): string[] {
  const lines = readFileSync(file, "utf8").split("\n");
  const text = lines.filter((line) => !line.startsWith("#")).join("\n");
  return text
    .replace(/\\\n\s*/g, "")
    .split("\n")
    .filter((line) => line !== "");
}

function stageOf(parent: Image | undefined, root: string): Image {
  if (parent !== undefined) return { ...parent, environment: { ...parent.environment } };
  mkdirSync(join(root, "etc"), { recursive: true });
  for (const name of ["usr", "proc", "dev", "opt", "var/lib", "tmp", "root", "src"])
    mkdirSync(join(root, name), { recursive: true });
  for (const name of ["bin", "lib", "lib64", "sbin"]) symlinkSync(`usr/${name}`, join(root, name));
  const ofHost = [
    "passwd",
    "group",
    "shadow",
    "gshadow",
    "login.defs",
    "ld.so.cache",
    "nsswitch.conf",
    "hosts",
  ];
  for (const name of [...ofHost, "resolv.conf", "ssl", "fonts", "alternatives"])
    if (existsSync(`/etc/${name}`))
      cpSync(`/etc/${name}`, join(root, "etc", name), { recursive: true, verbatimSymlinks: true });
  return {
    root,
    environment: { PATH: "/usr/local/sbin:/usr/local/bin:/usr/sbin:/usr/bin:/sbin:/bin" },
    user: "0",
    volumes: [],
    ports: [],
    entrypoint: [],
    healthCheck: [],
    stopSignal: "SIGTERM",
  };
}

function copy(
  words: string[],
  { image, stages, context }: { image: Image; stages: Map<string, Image>; context: string },
): void {
  const from = /^--from=(.+)$/.exec(words[0] ?? "")?.[1];
  const paths = from === undefined ? words : words.slice(1);
  const target = paths.at(-1) ?? "";
  const source = from === undefined ? context : (stages.get(from)?.root ?? "");
  for (const pattern of paths.slice(0, -1)) {
    const found = matching(source, pattern);
    if (found.length === 0) throw new Error(`COPY finds no ${pattern}`);
    for (const path of found) {
      const to = target.endsWith("/") ? join(target, basename(path)) : target;
      cpSync(path, join(image.root, to), { recursive: true, verbatimSymlinks: true });
    }
  }
}

function matching(folder: string, pattern: string): string[] {
  if (!pattern.includes("*")) return [join(folder, pattern)];
  const [start = "", end = ""] = pattern.split("*");
  const names = readdirSync(folder).filter((name) => name.startsWith(start) && name.endsWith(end));
  return names.map((name) => join(folder, name));
}

async function runStep({ root, environment }: Image, command: string): Promise<void> {
  if (command.startsWith("apt-get")) return;
  const { stdout } = await execute("npm", ["config", "get", "cache"]);
  const mounts = ["--bind", root, "/", "--bind", stdout.trim(), "/root/.npm"];
  const args = [...mounts, ...SYSTEM, "--tmpfs", "/tmp", "--", "/bin/sh", "-ec", command];
  const ofHost = Object.entries(process.env).filter(([name]) => NETWORK_SETTINGS.test(name));
  const env = { ...Object.fromEntries(ofHost), ...NPM_SETTINGS, ...environment, HOME: "/root" };
  await execute("bwrap", args, { env, timeout: STEP_WITHIN_MS });
}

/** What a machine needs to reach npm's registry; a container engine has settings of its own for that. */
const NETWORK_SETTINGS = /^(https?_proxy|no_proxy|NODE_EXTRA_CA_CERTS|npm_config_registry)$/i;
const NPM_SETTINGS = { npm_config_cache: "/root/.npm", npm_config_prefer_offline: "true" };
/** A step that lasts longer is stuck, and is ended with its message. */
const STEP_WITHIN_MS = 120_000;

/** The base: the host's programs, and no way to change them. */
const SYSTEM = ["--ro-bind", "/usr", "/usr", "--proc", "/proc", "--dev", "/dev", "--cap-add", "ALL"];

function note(image: Image, word: string, text: string): void {
  if (word === "ENV")
    for (const [, name = "", value = ""] of text.matchAll(/(\S+?)=(\S+)/g)) image.environment[name] = value;
  else if (word === "USER") image.user = text;
  else if (word === "VOLUME") image.volumes = text.split(" ");
  else if (word === "EXPOSE") image.ports = text.split(" ");
  else if (word === "ENTRYPOINT") image.entrypoint = JSON.parse(text);
  else if (word === "HEALTHCHECK") image.healthCheck = JSON.parse(text.slice(text.indexOf("[")));
  else if (word === "STOPSIGNAL") image.stopSignal = text;
  else throw new Error(`no replay of ${word}`);
}

/** How a container is run. */
export interface RunOptions {
  environment: Record<string, string>;
  /** Folder that holds the volumes of the container. */
  volumes: string;
  words?: string[];
  hasShell?: boolean;
  /** Folders in memory. */
  temporary?: readonly string[];
  /** More of the host's folders, by the paths that they have in the container. */
  mounts?: readonly Mount[];
  /**
   * A file with a filter of system calls, see `filterOf`. No part of /proc is hidden then: what a runtime calls unconfined system
   * paths, without which no box may mount a /proc of its own.
   */
  filter?: string | undefined;
  /** Runs in the network of this process, see {@link startNetwork}; its host names stand in a file. */
  network?: { pid: number; hostsFile: string };
}

/** A folder of the host, and where it lies in a container. */
export interface Mount {
  source: string;
  path: string;
  isReadOnly: boolean;
}

/**
 * Starts an image: its root read-only, its volumes writable, its user without capabilities and without a way to new ones.
 * @param options.words the command; default: the image's entry point
 */
export function runImage(image: Image, options: RunOptions): RunningProcess {
  const { environment, volumes, words = image.entrypoint, hasShell = false, network } = options;
  const ofImage = image.volumes.flatMap((path) => {
    const folder = join(volumes, path);
    // A new volume gets what the image has there, with its owner.
    if (!existsSync(folder)) {
      mkdirSync(join(folder, ".."), { recursive: true });
      execFileSync("cp", ["-a", join(image.root, path), folder]);
    }
    return ["--bind", folder, path];
  });
  const shells = hasShell ? [] : SHELLS.flatMap((path) => ["--ro-bind", "/dev/null", path]);
  const [uid = "", gid = ""] = image.user.split(":");
  const powerless = ["--no-new-privs", "--inh-caps=-all", "--bounding-set=-all", "--clear-groups"];
  const asUser = ["/usr/bin/setpriv", `--reuid=${uid}`, `--regid=${gid}`, ...powerless];
  const more = (options.mounts ?? []).flatMap(({ source, path, isReadOnly }) => {
    mkdirSync(join(image.root, path), { recursive: true });
    return [isReadOnly ? "--ro-bind" : "--bind", source, path];
  });
  const hosts = network ? ["--ro-bind", network.hostsFile, "/etc/hosts"] : [];
  const proc = options.filter ? ["--dev-bind", "/proc", "/proc"] : [];
  const temporary = (options.temporary ?? []).flatMap((path) => ["--perms", "1777", "--tmpfs", path]);
  const mounts = [...SYSTEM, ...proc, ...temporary, ...ofImage, ...more, ...hosts, ...shells];
  const filter = options.filter ? ["/bin/sh", "-c", 'exec 9<"$0"; exec "$@"', options.filter] : [];
  if (options.filter) mounts.push("--seccomp", "9");
  const [program = "", ...args] = [
    ...(network ? inNetwork(network.pid) : []),
    ...filter,
    ...["/usr/bin/bwrap", "--ro-bind", image.root, "/", ...mounts, "--", ...asUser, ...words],
  ];
  return startProgram(program, args, { HOME: "/", ...image.environment, ...environment });
}

/** Starts a process that holds a network of its own, with nothing in it but loopback. */
export function startNetwork(): RunningProcess {
  return startProgram("/usr/bin/bwrap", ["--dev-bind", "/", "/", "--unshare-net", "sleep", "infinity"], {});
}

/** Returns the words before a command that make it run in the network of a process. */
export function inNetwork(pid: number): string[] {
  return ["/usr/bin/nsenter", `--net=/proc/${pid}/ns/net`];
}

/** Returns the number of the program in a started image: bubblewrap waits for it and hands on no signal. */
export function programOf({ pid }: RunningProcess): number {
  return Number(readFileSync(`/proc/${pid}/task/${pid}/children`, "utf8").trim());
}

/** Sends the image's stop signal, and returns the exit code. */
export async function stopImage(image: Image, running: RunningProcess): Promise<number | string> {
  process.kill(programOf(running), image.stopSignal);
  return running.ended;
}
