/**
 * Real PostgreSQL servers of Debian's package that copy one another: a primary and standbys, each on a loopback port of its
 * own. As root they run as the system's postgres account.
 */
import { spawnSync } from "node:child_process";
import {
  chmodSync,
  chownSync,
  existsSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  writeFileSync,
} from "node:fs";
import { type AddressInfo, createServer } from "node:net";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import pg from "pg";
import { endWithThisProcess } from "./end-with-process.ts";

const DEBIAN_FOLDER = "/usr/lib/postgresql";
const DATABASE = "shop";
const DEADLINE_MS = 60_000;

/** Folder of the newest programs of Debian's PostgreSQL; undefined where the package isn't installed. */
export function debianPrograms(): string | undefined {
  if (!existsSync(DEBIAN_FOLDER)) return undefined;
  return readdirSync(DEBIAN_FOLDER)
    .sort((a, b) => Number(b) - Number(a))
    .map((version) => join(DEBIAN_FOLDER, version, "bin"))
    .find((bin) => existsSync(join(bin, "pg_basebackup")));
}

/** A server that runs, or ran. */
export interface ReplicatedServer {
  /** Host and port, as they stand in a URL. */
  address: string;
  /** URL of the test's database on this server alone. */
  url: string;
  /** Folder of the cluster. */
  folder: string;
  /** Runs a statement as the superuser and returns its rows. */
  query<Row = Record<string, unknown>>(sql: string, values?: unknown[]): Promise<Row[]>;
  start(): void;
  /** Has the server offer TLS with a certificate (PEM). */
  useTls(pair: { key: string; cert: string }): Promise<void>;
  /** Ends the server. `immediate` is like a crash, as far as its data go. */
  stop(mode?: "fast" | "immediate"): void;
  /** Kills the postmaster, and waits until its processes are gone. */
  kill9(): Promise<void>;
  /** Makes a standby a primary. Returns when it takes writes. */
  promote(): void;
}

/** Servers of one test, ended together. */
export interface ReplicatedServers {
  primary: ReplicatedServer;
  /**
   * Makes a standby of a server, streaming by a replication slot of its name. Returns once it answers.
   * @param at a server that has ended, whose address the standby gets; default: an address of its own
   */
  addStandby(name: string, of?: ReplicatedServer, at?: ReplicatedServer): Promise<ReplicatedServer>;
  /** Makes an independent server with a database of that name, which is no copy. */
  addStranger(name?: string): Promise<ReplicatedServer>;
  /** Ends the servers and removes their folders. */
  end(): void;
}

/**
 * Starts a primary with an empty database, named `shop`.
 * @param settings further lines of `postgresql.conf`, for every server
 */
export async function startReplicatedServers(
  settings: Record<string, string> = {},
): Promise<ReplicatedServers> {
  const servers: ReplicatedServer[] = [];
  const base = mkdtempSync(join(tmpdir(), "svc-standby-"));
  if (isRoot) {
    chmodSync(base, 0o755);
    chownSync(base, idOf("-u"), idOf("-g"));
  }
  const add = async (name: string, make: (folder: string) => void, port: number) => {
    const server = serverIn(join(base, name), base, port);
    make(server.folder);
    server.start();
    servers.push(server);
    return server;
  };
  const addFresh = async (name: string) => {
    const port = await freePort();
    const server = await add(
      name,
      (folder) => {
        run("initdb", [
          "-D",
          folder,
          "-A",
          "trust",
          "--no-sync",
          "-E",
          "UTF8",
          "--locale=C",
          "-U",
          "postgres",
        ]);
        configure(folder, { ...SETTINGS, ...settings });
      },
      port,
    );
    await onServer(server.url.replace(`/${DATABASE}`, "/postgres"), `CREATE DATABASE ${DATABASE}`);
    return server;
  };
  const primary = await addFresh("primary");
  return {
    primary,
    addStandby: async (name, of = primary, at) => {
      const port = at ? Number(at.address.split(":")[1]) : await freePort();
      const [host, fromPort] = of.address.split(":") as [string, string];
      return add(
        name,
        (folder) =>
          run("pg_basebackup", [
            ...["-D", folder, "-h", host, "-p", fromPort, "-U", "postgres", "-X", "stream", "-c", "fast"],
            ...["-N", "-R", "-C", "-S", name, "-d", `application_name=${name}`],
          ]),
        port,
      );
    },
    addStranger: (name = "stranger") => addFresh(name),
    end: () => {
      for (const server of servers.toReversed()) server.stop("immediate");
      rmSync(base, { recursive: true, force: true });
    },
  };
}

/** Settings of every server. They stay durable against a killed process, which is all that a test kills. */
const SETTINGS = {
  listen_addresses: "127.0.0.1",
  fsync: "off",
  max_connections: "200",
  wal_level: "replica",
  hot_standby: "on",
  wal_keep_size: "256MB",
  // A standby that lost its primary looks for it again at once.
  wal_retrieve_retry_interval: "200ms",
};

const isRoot = process.getuid?.() === 0;

function serverIn(folder: string, base: string, port: number): ReplicatedServer {
  const address = `127.0.0.1:${port}`;
  const url = `postgres://postgres@${address}/${DATABASE}`;
  const postmaster = () => {
    const file = join(folder, "postmaster.pid");
    return existsSync(file) ? Number.parseInt(readFileSync(file, "utf8"), 10) : undefined;
  };
  return {
    address,
    url,
    folder,
    query: (sql, values) => onServer(url, sql, values),
    start: () => {
      const options = `-p ${port} -c unix_socket_directories=`;
      try {
        run("pg_ctl", ["-D", folder, "-w", "-t", "60", "-s", "-l", `${folder}.log`, "-o", options, "start"]);
      } catch (error) {
        const log = readFileSync(`${folder}.log`, "utf8").slice(-2_000);
        throw new Error(`${(error as Error).message}; its log ends: ${log}`);
      }
      endWithThisProcess(postmaster() as number, base);
    },
    useTls: async ({ key, cert }) => {
      for (const [name, pem] of [
        ["server.key", key],
        ["server.crt", cert],
      ] as const) {
        const file = join(folder, name);
        writeFileSync(file, pem, { mode: 0o600 });
        if (isRoot) chownSync(file, idOf("-u"), idOf("-g"));
      }
      await onServer(url, "ALTER SYSTEM SET ssl = on");
      await onServer(url, "SELECT pg_reload_conf()");
    },
    stop: (mode = "fast") => {
      if (postmaster() !== undefined)
        run("pg_ctl", ["-D", folder, "-w", "-s", "-m", mode, "stop"], { mayFail: true });
    },
    kill9: async () => {
      const pid = postmaster() as number;
      const family = [pid, ...childrenOf(pid)];
      process.kill(pid, "SIGKILL");
      await untilTrue(`the processes of ${folder} are gone`, () => !family.some(isRunning));
      // Where nobody waits for the dead process its number stays taken, and the next start would be refused.
      rmSync(join(folder, "postmaster.pid"));
    },
    promote: () => run("pg_ctl", ["-D", folder, "-w", "-t", "60", "-s", "promote"]),
  };
}

/** Appends settings to the configuration, where the last line of a setting counts. */
function configure(folder: string, settings: Record<string, string>): void {
  const file = join(folder, "postgresql.conf");
  const lines = Object.entries(settings).map(([name, value]) => `${name} = '${value}'`);
  writeFileSync(file, `${readFileSync(file, "utf8")}\n${lines.join("\n")}\n`);
}

function run(program: string, args: readonly string[], { mayFail = false } = {}): void {
  const file = join(debianPrograms() as string, program);
  const [command, ...rest] = isRoot
    ? ["setpriv", "--reuid=postgres", "--regid=postgres", "--init-groups", "--", file, ...args]
    : [file, ...args];
  // A server that pg_ctl starts keeps its output open; a file does not wait for its end.
  const { status, stderr, error } = spawnSync(command as string, rest, {
    encoding: "utf8",
    stdio: ["ignore", "ignore", program === "pg_ctl" ? "ignore" : "pipe"],
    cwd: "/",
    env: { PATH: process.env.PATH, LANG: "C" },
  });
  if (status !== 0 && !mayFail)
    throw new Error(`${program} ${args.join(" ")}: ${error?.message ?? stderr ?? status}`);
}

async function onServer<Row>(url: string, sql: string, values: unknown[] = []): Promise<Row[]> {
  const client = new pg.Client({ connectionString: url, connectionTimeoutMillis: 5_000 });
  client.on("error", () => undefined);
  try {
    await client.connect();
    return (await client.query(sql, values)).rows as Row[];
  } finally {
    await client.end().catch(() => undefined);
  }
}

function childrenOf(pid: number): number[] {
  const { stdout } = spawnSync("ps", ["-o", "pid=", "--ppid", String(pid)], { encoding: "utf8" });
  return stdout.split("\n").flatMap((line) => (line.trim() ? [Number(line)] : []));
}

/** True while the process runs; a zombie that nobody has waited for doesn't. */
function isRunning(pid: number): boolean {
  const { stdout } = spawnSync("ps", ["-o", "stat=", "-p", String(pid)], { encoding: "utf8" });
  return stdout.trim() !== "" && !stdout.startsWith("Z");
}

async function untilTrue(what: string, condition: () => boolean): Promise<void> {
  const endAt = performance.now() + DEADLINE_MS;
  while (!condition()) {
    if (performance.now() > endAt) throw new Error(`not within ${DEADLINE_MS} ms: ${what}`);
    await sleep(20);
  }
}

function idOf(flag: "-u" | "-g"): number {
  return Number(spawnSync("id", [flag, "postgres"], { encoding: "utf8" }).stdout);
}

async function freePort(): Promise<number> {
  const server = createServer();
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  const { port } = server.address() as AddressInfo;
  await new Promise((resolve) => server.close(resolve));
  return port;
}
