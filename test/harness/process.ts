/** Real processes under test, started with a clean environment; their output is kept for failure messages. */
import { type ChildProcess, spawn } from "node:child_process";
import { once } from "node:events";

/** A started process. */
export interface RunningProcess {
  pid: number;
  /** Returns what the process printed so far, stdout and stderr mixed. */
  output(): string;
  /** Resolves with the exit code, or the name of the signal, once the process has ended. */
  ended: Promise<number | string>;
  hasEnded(): boolean;
  signal(name: NodeJS.Signals): void;
  /** Sends SIGTERM, and SIGKILL after `withinMs`. Resolves once the process has ended. */
  stop(withinMs?: number): Promise<number | string>;
  /** Sends SIGKILL. Resolves once the process has ended. */
  kill9(): Promise<void>;
}

const KEPT_OUTPUT_CHARACTERS = 200_000;

/** Starts `node <args>`. The process gets PATH, HOME and `environment` only. */
export function startNode(args: string[], environment: Record<string, string>): RunningProcess {
  return startProgram(process.execPath, args, environment);
}

/** Starts a program. The process gets PATH, HOME and `environment` only. */
export function startProgram(
  file: string,
  args: string[],
  environment: Record<string, string>,
): RunningProcess {
  const child = spawn(file, args, {
    env: { PATH: process.env.PATH, HOME: process.env.HOME, ...environment },
    stdio: ["ignore", "pipe", "pipe"],
  });
  return asRunning(child);
}

function asRunning(child: ChildProcess): RunningProcess {
  let text = "";
  const keep = (chunk: Buffer) => {
    text = (text + chunk.toString()).slice(-KEPT_OUTPUT_CHARACTERS);
  };
  child.stdout?.on("data", keep);
  child.stderr?.on("data", keep);
  const ended = once(child, "exit").then(([code, signal]) => (code ?? signal) as number | string);
  const pid = child.pid;
  if (pid === undefined) throw new Error("the process could not be started");
  const hasEnded = () => child.exitCode !== null || child.signalCode !== null;
  return {
    pid,
    output: () => text,
    ended,
    hasEnded,
    signal: (name) => void child.kill(name),
    async stop(withinMs = 20_000) {
      if (hasEnded()) return ended;
      child.kill("SIGTERM");
      const timer = setTimeout(() => child.kill("SIGKILL"), withinMs);
      const code = await ended;
      clearTimeout(timer);
      return code;
    },
    async kill9() {
      child.kill("SIGKILL");
      await ended;
    },
  };
}
