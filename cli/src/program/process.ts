/** Connects the command line with the real process: streams, environment, signals, exit code. */
import { homedir, hostname } from "node:os";
import process from "node:process";
import { createInterface } from "node:readline/promises";
import { setTimeout as sleep } from "node:timers/promises";
import type { Stream } from "../output/stream.ts";
import { hasDesktop } from "../runtime/desktop.ts";
import { EXIT_CODES } from "../runtime/exit-codes.ts";
import type { System, Terminal } from "../runtime/system.ts";
import { listenForInterruption } from "./interruption.ts";
import { runCommandLine } from "./run.ts";

/** Runs one command line and leaves its exit code in the process. The first Ctrl+C asks it to end, the second ends it. */
export async function runProcess(args: readonly string[]): Promise<void> {
  const interruption = listenForInterruption(process, process.platform, () =>
    process.exit(EXIT_CODES.interrupted),
  );
  const system: System = {
    platform: process.platform,
    env: process.env,
    cwd: process.cwd(),
    homeFolder: homedir(),
    stdout: streamOf(process.stdout),
    stderr: streamOf(process.stderr),
    stdinIsTty: process.stdin.isTTY === true,
    readStdin,
    stdio: { stdin: process.stdin, stdout: process.stdout },
    interrupted: interruption.signal,
    nowMs: () => Date.now(),
    monotonicMs: () => performance.now(),
    wait: (ms, signal) => sleep(ms, undefined, { signal }).catch(() => {}),
    hostName: hostname(),
    ...(process.stdin.isTTY ? { ask: askBy(interruption.interrupt) } : {}),
    ...(process.stdin.isTTY && process.stdout.isTTY ? { terminal } : {}),
    ...(hasDesktop(process.env, process.platform) ? { openBrowser } : {}),
  };
  process.exitCode = await runCommandLine(args, system);
  interruption.end();
  // Keep-alive connections would hold the process for seconds: exit as soon as all output is written.
  await Promise.all([flushed(process.stdout), flushed(process.stderr)]);
  process.exit();
}

/** Most characters of stdin that are read; the service takes far fewer. */
const STDIN_CHARACTERS_MAX = 1024 * 1024;

async function readStdin(signal: AbortSignal): Promise<string> {
  const stop = () => process.stdin.destroy();
  signal.addEventListener("abort", stop, { once: true });
  let text = "";
  process.stdin.setEncoding("utf8");
  for await (const chunk of process.stdin) {
    text += chunk;
    if (text.length > STDIN_CHARACTERS_MAX) break;
  }
  signal.removeEventListener("abort", stop);
  signal.throwIfAborted();
  return text;
}

const terminal: Terminal = {
  stdin: process.stdin,
  stdout: process.stdout,
  beforeExit(restore) {
    process.once("exit", restore);
    return () => void process.off("exit", restore);
  },
};

/** Returns the function that asks the person at the terminal. The question goes to stderr, since stdout is for data. */
function askBy(interrupt: () => void): NonNullable<System["ask"]> {
  return async (question, signal) => {
    const lines = createInterface({ input: process.stdin, output: process.stderr });
    // readline takes Ctrl+C for itself while it reads; pass it on.
    lines.on("SIGINT", interrupt);
    try {
      return await lines.question(question, { signal });
    } finally {
      lines.close();
    }
  };
}

async function openBrowser(url: string): Promise<void> {
  const { default: open } = await import("open");
  await open(url);
}

function streamOf(stream: NodeJS.WriteStream): Stream {
  // The reader has gone (`svc ... | head`): nothing more can be said.
  stream.on("error", (error: NodeJS.ErrnoException) => {
    process.exit(error.code === "EPIPE" ? process.exitCode : EXIT_CODES.general_error);
  });
  return {
    write: (text) => void stream.write(text),
    isTty: stream.isTTY === true,
    columns: () => stream.columns ?? 80,
  };
}

function flushed(stream: NodeJS.WriteStream): Promise<void> {
  return new Promise((resolve) => {
    stream.write("", () => resolve());
  });
}
