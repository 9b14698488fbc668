/** A throw-away PostgreSQL from the system's own binaries (Debian's package postgresql), on a free loopback port. */
import { spawnSync } from "node:child_process";
import { chmodSync, chownSync, existsSync, mkdtempSync, readdirSync, rmSync } from "node:fs";
import { createServer } from "node:net";
import { tmpdir } from "node:os";
import { join } from "node:path";

const DEBIAN_FOLDER = "/usr/lib/postgresql";

/** Folder of the newest server binaries that the system has, or undefined. */
export function systemPostgresBin() {
  if (!existsSync(DEBIAN_FOLDER)) return undefined;
  const versions = readdirSync(DEBIAN_FOLDER).sort((a, b) => Number(b) - Number(a));
  return versions
    .map((version) => join(DEBIAN_FOLDER, version, "bin"))
    .find((bin) => existsSync(join(bin, "initdb")));
}

/** True when the library of Citus is installed beside those binaries. */
export function systemPostgresHasCitus() {
  const bin = systemPostgresBin();
  return bin !== undefined && existsSync(join(bin, "..", "lib", "citus.so"));
}

/** Makes a cluster and starts it. As root it runs as the system's postgres account, since PostgreSQL refuses root. */
export async function startSystemPostgres(bin) {
  const folder = mkdtempSync(join(tmpdir(), "svc-pg-"));
  const data = join(folder, "data");
  const isRoot = process.getuid?.() === 0;
  if (isRoot) {
    chmodSync(folder, 0o755);
    chownSync(folder, idOf("-u"), idOf("-g"));
  }
  const asAccount = (command, args) => {
    const [file, ...rest] = isRoot
      ? [
          "setpriv",
          "--reuid=postgres",
          "--regid=postgres",
          "--init-groups",
          "--",
          join(bin, command),
          ...args,
        ]
      : [join(bin, command), ...args];
    const { status, stderr } = spawnSync(file, rest, {
      encoding: "utf8",
      stdio: ["ignore", "ignore", "pipe"],
      cwd: "/",
    });
    if (status !== 0) throw new Error(`${command} failed: ${stderr}`);
  };
  const port = await freePort();
  asAccount("initdb", ["-D", data, "-A", "trust", "--no-sync", "-E", "UTF8", "--locale=C", "-U", "postgres"]);
  const options = `-c listen_addresses=127.0.0.1 -p ${port} -k ${folder} -F -c synchronous_commit=off -c max_connections=200`;
  asAccount("pg_ctl", ["-D", data, "-w", "-s", "-l", join(folder, "log"), "-o", options, "start"]);
  const version = spawnSync(join(bin, "postgres"), ["--version"], { encoding: "utf8" })
    .stdout.trim()
    .split(" ")[2];
  return {
    version,
    url: `postgres://postgres@127.0.0.1:${port}/postgres`,
    stop() {
      asAccount("pg_ctl", ["-D", data, "-m", "immediate", "-s", "stop"]);
      rmSync(folder, { recursive: true, force: true });
    },
  };
}

function idOf(flag) {
  return Number(spawnSync("id", [flag, "postgres"], { encoding: "utf8" }).stdout);
}

function freePort() {
  return new Promise((resolve) => {
    const server = createServer().listen(0, "127.0.0.1", () => {
      const { port } = server.address();
      server.close(() => resolve(port));
    });
  });
}
