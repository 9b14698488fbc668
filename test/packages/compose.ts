/**
 * The services of deploy/compose.yaml without a container engine, in a network of their own: svc's from their replayed images, what
 * PostgreSQL's image does by Debian's programs.
 */
import { execFile, execFileSync, spawnSync } from "node:child_process";
import { existsSync, mkdirSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { promisify } from "node:util";
import { parse } from "yaml";
import { ROOT } from "../harness/control-plane.ts";
import { type RunningProcess, startProgram } from "../harness/process.ts";
import { canReplay, type Image, inNetwork, type Mount, runImage, startNetwork } from "./containerfile.ts";

const execute = promisify(execFile);

/** A service, as far as the tests know its keys. */
interface Service {
  image: string;
  user?: string;
  entrypoint?: string[];
  command?: string[];
  environment?: Record<string, string>;
  volumes: string[];
  tmpfs?: string[];
  depends_on?: Record<string, { condition: string }>;
  networks?: string[];
  ports?: string[];
  read_only?: boolean;
  cap_drop?: string[];
  security_opt?: string[];
}

/** The file, its variables replaced. */
interface Compose {
  services: Record<string, Service>;
  networks: Record<string, { internal?: boolean }>;
  volumes: Record<string, unknown>;
}

/** Reads the file as compose does, with these variables set. */
function readCompose(variables: Readonly<Record<string, string>> = {}): Compose {
  const text = readFileSync(join(ROOT, "deploy/compose.yaml"), "utf8");
  const withVariables = (given: unknown): unknown => {
    if (typeof given === "string")
      return given.replace(/\$(\$|\{([A-Z_]+)(?::-([^}]*))?\})/g, (_, all, name, byDefault) =>
        all === "$" ? "$" : variables[name] || (byDefault ?? ""),
      );
    if (Array.isArray(given)) return given.map(withVariables);
    if (typeof given !== "object" || given === null) return given;
    return Object.fromEntries(Object.entries(given).map(([key, value]) => [key, withVariables(value)]));
  };
  return withVariables(parse(text)) as Compose;
}

const { systemPostgresBin } = (await import(join(ROOT, "scripts/system-postgres.mjs"))) as {
  systemPostgresBin(): string | undefined;
};
const postgresBin = systemPostgresBin();
export const canCompose =
  canReplay &&
  postgresBin !== undefined &&
  existsSync("/usr/bin/nsenter") &&
  spawnSync("/usr/bin/bwrap", ["--dev-bind", "/", "/", "--unshare-net", "true"]).status === 0;
export const COMPOSE_ADVICE = canCompose ? "" : " (run as root with bubblewrap and postgresql to have it)";

/** All services with their volumes, in one network. */
export class ComposeProject {
  readonly #network = startNetwork();
  readonly #running: RunningProcess[] = [this.#network];
  readonly #compose = readCompose();

  /** @param folder gets the volumes */
  constructor(
    readonly folder: string,
    readonly images: Readonly<Record<string, Image>>,
  ) {
    const names = Object.keys(this.#compose.services).join(" ");
    writeFileSync(join(folder, "hosts"), `127.0.0.1 localhost ${names}\n`);
    for (const name of Object.keys(this.#compose.volumes)) mkdirSync(this.volume(name), { recursive: true });
  }

  /** Returns the host's folder of a volume. */
  volume(name: string): string {
    return join(this.folder, "named", name);
  }

  /** Runs the service that makes the secrets, to its end. */
  async makeSecrets(): Promise<void> {
    const { entrypoint = [], command = [], volumes } = this.#service("secrets");
    const mounts = this.#mounts(volumes).flatMap(({ source, path }) => ["--bind", source, path]);
    const system = ["--ro-bind", "/usr", "/usr", "--dev", "/dev"];
    const links = ["bin", "lib", "lib64"].flatMap((name) => ["--symlink", `usr/${name}`, `/${name}`]);
    await execute("/usr/bin/bwrap", [
      ...system,
      ...links,
      ...mounts,
      "--unshare-all",
      "--cap-drop",
      "ALL",
      "--",
      ...entrypoint,
      ...command,
    ]);
  }

  /** Starts PostgreSQL as its image does: a cluster with this user, password and database, for all addresses. */
  async startDatabase(): Promise<void> {
    const { environment = {}, volumes } = this.#service("database");
    const inside = (path: string) => {
      const mount = this.#mounts(volumes).find((one) => path.startsWith(one.path));
      if (!mount) throw new Error(`no volume holds ${path}`);
      return path.replace(mount.path, mount.source);
    };
    const { POSTGRES_USER = "", POSTGRES_DB = "", POSTGRES_PASSWORD_FILE = "" } = environment;
    const data = inside("/var/lib/postgresql/data");
    execFileSync("chown", ["postgres:postgres", data]);
    const asAccount = ["setpriv", "--reuid=postgres", "--regid=postgres", "--init-groups", "--"];
    const bin = (name: string) => join(postgresBin ?? "", name);
    const [setpriv = "", ...rest] = asAccount;
    const password = ["--pwfile", inside(POSTGRES_PASSWORD_FILE), "-A", "scram-sha-256"];
    execFileSync(
      setpriv,
      [...rest, bin("initdb"), "-D", data, "-U", POSTGRES_USER, "--no-sync", ...password],
      {
        stdio: "pipe",
        cwd: "/",
      },
    );
    const single = [bin("postgres"), "--single", "-D", data, "postgres"];
    execFileSync(setpriv, [...rest, ...single], {
      input: `CREATE DATABASE ${POSTGRES_DB} OWNER ${POSTGRES_USER}\n`,
      stdio: ["pipe", "pipe", "pipe"],
      cwd: "/",
    });
    const server = [bin("postgres"), "-D", data, "-k", data, "-c", "listen_addresses=*"];
    this.#start([...asAccount, ...server]);
  }

  /**
   * Starts one of svc's services from its image.
   * @param options.filter file with a filter of system calls
   */
  start(name: string, options: { filter?: string | undefined } = {}): RunningProcess {
    const started = this.#run(name, options);
    this.#running.push(started);
    return started;
  }

  /** Runs a command in a service's container, as `docker compose exec` does, and returns what it prints. */
  async execute(
    name: string,
    words: readonly string[],
    options: { filter?: string | undefined } = {},
  ): Promise<string> {
    const run = this.#run(name, { ...options, words: [...words] });
    const code = await run.ended;
    if (code !== 0) throw new Error(`${words.join(" ")} ended with ${code}: ${run.output()}`);
    return run.output();
  }

  /** Requests a URL from within the network. The answer's body is JSON, or undefined. */
  async request(url: string, init: RequestInit = {}): Promise<{ status: number; body: unknown }> {
    const script = `const [url, init] = process.argv.slice(1);
      const answer = await fetch(url, JSON.parse(init));
      const text = await answer.text();
      let body; try { body = JSON.parse(text); } catch {}
      console.log(JSON.stringify({ status: answer.status, body }));`;
    const [nsenter = "", ...words] = inNetwork(this.#holder());
    // The host does not know the services' names.
    const address = Object.assign(new URL(url), { hostname: "127.0.0.1" }).href;
    const args = ["--input-type=module", "-e", script, address, JSON.stringify(init)];
    const { stdout } = await execute(nsenter, [...words, process.execPath, ...args]);
    return JSON.parse(stdout);
  }

  /** Ends everything, the newest first. */
  async stop(): Promise<void> {
    for (const one of this.#running.reverse()) await one.stop();
  }

  #run(name: string, options: { words?: string[]; filter?: string | undefined }): RunningProcess {
    const image = this.#image(name);
    const { environment = {}, volumes, tmpfs = [] } = this.#service(name);
    return runImage(image, {
      ...options,
      temporary: tmpfs,
      // Browsers are started by one.
      hasShell: options.filter !== undefined,
      environment,
      volumes: join(this.folder, "of-images"),
      mounts: this.#mounts(volumes).filter(({ path }) => !image.volumes.includes(path)),
      network: { pid: this.#holder(), hostsFile: join(this.folder, "hosts") },
    });
  }

  #service(name: string): Service {
    const service = this.#compose.services[name];
    if (!service) throw new Error(`compose.yaml has no service ${name}`);
    return service;
  }

  #image(name: string): Image {
    const image = this.images[this.#service(name).image];
    if (!image) throw new Error(`no image of ${name}`);
    return image;
  }

  #holder(): number {
    const { pid } = this.#network;
    return Number(readFileSync(`/proc/${pid}/task/${pid}/children`, "utf8").trim());
  }

  #start(words: readonly string[]): void {
    const [program = "", ...args] = [...inNetwork(this.#holder()), ...words];
    this.#running.push(startProgram(program, args, {}));
  }

  /** Returns where the named volumes lie; a volume without a name is the image's own. */
  #mounts(volumes: readonly string[]): Mount[] {
    return volumes.flatMap((volume) => {
      const [name = "", path, mode] = volume.split(":");
      return path === undefined ? [] : [{ source: this.volume(name), path, isReadOnly: mode === "ro" }];
    });
  }
}
