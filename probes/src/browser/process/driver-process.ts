/**
 * A driver from the agent's side: starts the process (in a sandbox where that is possible), sends it commands,
 * receives its messages, and ends its whole tree of processes. States: starting, ready, ended; ended is final.
 */
import type { ChildProcess } from "node:child_process";
import { mkdirSync, mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import type { Readable } from "node:stream";
import { EgressProxy } from "../egress-proxy/proxy.ts";
import type { Command, DriverMessage, RunCommand } from "../protocol/messages.ts";
import { NotStartedInTime } from "../start-deadline.ts";
import { Cgroup } from "./cgroup.ts";
import { FrameReader } from "./frame-reader.ts";
import { countMemoryKills } from "./host-memory.ts";
import { INSIDE_SOCKETS } from "./sandbox.ts";
import { type DriverSettings, spawnDriver } from "./spawn-driver.ts";
import { watchTree } from "./watchdog.ts";

/** Why a driver ended. `memory`: it used more than its limit; `host_memory`: the machine had none left. */
export interface DriverEnd {
  cause: "killed" | "memory" | "host_memory" | "processes" | "broken" | "exited";
  message: string;
}

type Listener = (message: DriverMessage, payload: Buffer) => void;

/** How a launch ends that takes longer than it may. It takes half a second where there is not too much to do. */
const NOT_READY: DriverEnd = { cause: "broken", message: "the browser was not ready in time" };
const STDERR_CHARACTERS_KEPT = 2_000;
const LIMIT_WORDS = {
  memory: "it needed more memory than it may have",
  processes: "it started more processes than it may",
};

/** Exit code of bubblewrap when the process in the sandbox was ended by SIGKILL. */
const KILLED_IN_BOX = 137;

let driversStarted = 0;

/**
 * One driver with its proxies, process tree and folder. Start it with `DriverProcess.start`, and kill it once it
 * is not needed.
 */
export class DriverProcess {
  /** One per lane. */
  readonly proxies: readonly EgressProxy[];
  /** Settles once nothing of the driver is left. */
  readonly ended: Promise<DriverEnd>;
  readonly #child: ChildProcess;
  readonly #folder: string;
  readonly #cgroup: Cgroup | undefined;
  readonly #countMemoryKills: () => number;
  readonly #memoryKillsBefore: number;
  #shortage: "own" | "host" | undefined;
  readonly #listeners = new Map<number, Listener>();
  #end: DriverEnd | undefined;
  #hasEnded = false;
  #stderr = "";
  #onReady: () => void = () => {};
  #runId = 0;

  private constructor(
    settings: DriverSettings,
    parts: { folder: string; proxies: EgressProxy[]; cgroup: Cgroup | undefined },
  ) {
    this.#folder = parts.folder;
    this.#cgroup = parts.cgroup;
    this.proxies = parts.proxies;
    this.#countMemoryKills = settings.countMemoryKills ?? countMemoryKills;
    this.#memoryKillsBefore = this.#countMemoryKills();
    this.#child = spawnDriver(settings, parts.folder, parts.cgroup);
    const { pid } = this.#child;
    const stopWatching =
      parts.cgroup || pid === undefined
        ? () => {}
        : watchTree(pid, settings.limits, (limit) =>
            this.#kill({ cause: limit, message: LIMIT_WORDS[limit] }),
          );
    this.#listen(settings);
    this.ended = new Promise((resolve) => {
      const finish = (message: string, { wasKilled }: { wasKilled: boolean }) => {
        if (this.#hasEnded) return;
        this.#hasEnded = true;
        stopWatching();
        resolve(this.#cleanUp(message, { wasKilled }));
      };
      this.#child.once("error", (error) =>
        finish(`it could not be started: ${error.message}`, { wasKilled: false }),
      );
      this.#child.once("close", (code, signal) =>
        finish(`it ended with ${code ?? signal}`, {
          wasKilled: signal === "SIGKILL" || code === KILLED_IN_BOX,
        }),
      );
    });
  }

  /**
   * Starts a driver.
   * @returns the driver once its browser runs
   * @throws NotStartedInTime when that takes longer than it may; Error when it fails
   */
  static async start(settings: DriverSettings): Promise<DriverProcess> {
    const folder = mkdtempSync(join(tmpdir(), "svc-browser-"));
    const proxies: EgressProxy[] = [];
    try {
      const sockets = join(folder, "egress");
      mkdirSync(sockets, { mode: 0o700 });
      for (let lane = 0; lane < settings.lanes; lane++)
        proxies.push(await EgressProxy.listen(join(sockets, `${lane}`)));
    } catch (error) {
      for (const proxy of proxies) proxy.close();
      rmSync(folder, { recursive: true, force: true });
      throw error;
    }
    const cgroup = Cgroup.create(`svc-browser-${process.pid}-${++driversStarted}`, settings.limits);
    const driver = new DriverProcess(settings, { folder, proxies, cgroup });
    const seen = settings.bwrapPath === undefined ? join(folder, "egress") : INSIDE_SOCKETS;
    await driver.#ready(settings.readyMsMax, {
      type: "launch",
      executablePath: settings.browser.executablePath,
      // Chromium's own sandbox refuses to work as root. Inside our sandbox nobody is root.
      usesChromiumSandbox: settings.bwrapPath !== undefined || process.getuid?.() !== 0,
      egressSockets: proxies.map((_proxy, lane) => join(seen, `${lane}`)),
      isForScripts: settings.isForScripts,
    });
    return driver;
  }

  get hasEnded(): boolean {
    return this.#end !== undefined || this.#hasEnded;
  }

  /** Id of the driver's first process; undefined when that could not be started. */
  get pid(): number | undefined {
    return this.#child.pid;
  }

  /**
   * Starts a run in a lane.
   * @param listener is called with the messages of the run
   * @returns a function that stops listening
   */
  startRun(run: Omit<RunCommand, "type" | "runId">, listener: Listener): () => void {
    const runId = ++this.#runId;
    this.#listeners.set(runId, listener);
    this.#send({ type: "run", runId, ...run });
    return () => this.#listeners.delete(runId);
  }

  /** Ends the driver with all of its processes. Safe to call twice. */
  kill(): Promise<DriverEnd> {
    this.#kill({ cause: "killed", message: "it was ended" });
    return this.ended;
  }

  #kill(end: DriverEnd): void {
    this.#end ??= end;
    // In the sandbox this is the first process, and the kernel ends all others with it.
    const { pid } = this.#child;
    if (pid === undefined || this.#hasEnded) return;
    try {
      process.kill(-pid, "SIGKILL");
    } catch {
      this.#child.kill("SIGKILL");
    }
  }

  async #ready(readyMsMax: number, launch: Command): Promise<void> {
    let timer: NodeJS.Timeout | undefined;
    const ready = new Promise<void>((resolve, reject) => {
      this.#onReady = resolve;
      timer = setTimeout(() => {
        this.#kill(NOT_READY);
      }, readyMsMax);
      void this.ended.then((end) =>
        reject(
          end === NOT_READY
            ? new NotStartedInTime(NOT_READY.message)
            : new Error(`the browser could not be started: ${end.message}`),
        ),
      );
    });
    this.#send(launch);
    try {
      await ready;
    } finally {
      clearTimeout(timer);
    }
  }

  #send(command: Command): void {
    if (!this.hasEnded) this.#child.stdin?.write(`${JSON.stringify(command)}\n`);
  }

  #listen({ isForScripts }: DriverSettings): void {
    const reader = new FrameReader({
      onFrame: (message, payload) => this.#receive(message, payload),
      hasBudget: isForScripts,
    });
    this.#child.stdin?.on("error", () => {}); // the end shows in `close`
    const messages = this.#child.stdio[3] as Readable | undefined;
    messages?.on("error", () => {});
    messages?.on("data", (chunk: Buffer) => {
      try {
        if (this.#end === undefined) reader.push(chunk);
      } catch (error) {
        this.#kill({
          cause: "broken",
          message: `the driver said what it must not: ${(error as Error).message}`,
        });
      }
    });
    this.#child.stderr?.on("data", (chunk: Buffer) => {
      if (this.#stderr.length < STDERR_CHARACTERS_KEPT) this.#stderr += chunk.toString("utf8");
    });
  }

  #receive(message: DriverMessage, payload: Buffer): void {
    if (message.type === "ready") this.#onReady();
    else if (message.type === "failed") this.#kill({ cause: "exited", message: message.message });
    else this.#listeners.get(message.runId)?.(message, payload);
  }

  /**
   * Tells whose memory was short when a process of the driver's tree was ended for that: `own` for the driver's
   * limit, `host` for the machine's. Known once the driver has ended.
   */
  get shortage(): "own" | "host" | undefined {
    return this.#shortage;
  }

  /**
   * Ends what belongs to the driver, once its process has ended.
   * @returns why the driver ended: by a limit, by this program's will, or by itself
   */
  async #cleanUp(message: string, { wasKilled }: { wasKilled: boolean }): Promise<DriverEnd> {
    for (const proxy of this.proxies) proxy.close();
    if ((this.#cgroup?.memoryKills ?? 0) > 0) this.#shortage = "own";
    else if (this.#countMemoryKills() > this.#memoryKillsBefore) this.#shortage = "host";
    await removeOnceEmpty(this.#cgroup);
    rmSync(this.#folder, { recursive: true, force: true, maxRetries: 3 });
    const byItself = this.#end === undefined || this.#end.cause === "exited";
    if (this.#shortage === "own" && byItself) return { cause: "memory", message: LIMIT_WORDS.memory };
    // The kernel may have ended another program's process. A driver that ended in another way ended by itself.
    if (
      this.#shortage === "host" &&
      (this.#end?.cause === "exited" || (this.#end === undefined && wasKilled))
    )
      return { cause: "host_memory", message: "the machine ran out of memory" };
    return (
      this.#end ?? { cause: "exited", message: `${message} ${this.#stderr.trim().slice(0, 500)}`.trim() }
    );
  }
}

const EMPTY_LOOKS = 20;
const EMPTY_LOOK_MS = 25;

/** Removes a group. The kernel takes a moment to clear away processes that were killed. */
async function removeOnceEmpty(cgroup: Cgroup | undefined): Promise<void> {
  for (let look = 0; cgroup && !cgroup.remove() && look < EMPTY_LOOKS; look++)
    await new Promise((resolve) => setTimeout(resolve, EMPTY_LOOK_MS));
}
