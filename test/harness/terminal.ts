/** `svc` in a pseudo-terminal: util-linux's `script` makes it and hands on what is typed. */
import { execFileSync, spawn } from "node:child_process";
import { SVC } from "./cli.ts";
import { until } from "./wait.ts";

export interface TerminalRun {
  /** All that was written, escape sequences included. */
  output(): string;
  type(keys: string): void;
  /** Resizes the terminal, as a person does with their window. The program is notified of it. */
  resize(columns: number, rows: number): void;
  /** To `svc` itself. */
  kill(signal: NodeJS.Signals): void;
  /** Everything written, with `code N` and the terminal's modes after the end. */
  ended: Promise<string>;
  stop(): void;
}

/** Starts it in a terminal of 80x24; only PATH and what `env` gives are inherited. */
export async function svcInTerminal(
  args: readonly string[],
  { cwd, env }: { cwd: string; env: Record<string, string> },
): Promise<TerminalRun> {
  const typed = [process.execPath, SVC, ...args].map((word) => `'${word}'`).join(" ");
  const inner = `stty rows 24 cols 80; tty; sh -c 'echo "pid $$"; exec "$@"' sh ${typed}; echo "code $?"; stty -a`;
  const child = spawn("script", ["-qec", inner, "/dev/null"], {
    cwd,
    env: { PATH: process.env.PATH, HOME: cwd, TERM: "xterm-256color", SHELL: "/bin/sh", ...env },
    stdio: ["pipe", "pipe", "inherit"],
  });
  let output = "";
  child.stdout.on("data", (chunk: Buffer) => {
    output += chunk;
  });
  const ended = new Promise<string>((resolve) => child.on("close", () => resolve(output)));
  const [, tty = "", pid = ""] = await until("the terminal is there", () =>
    /^(\/dev\/\S+)\r?\npid (\d+)\r?\n/m.exec(output),
  );
  return {
    output: () => output,
    type: (keys) => void child.stdin.write(keys),
    resize: (columns, rows) =>
      void execFileSync("stty", ["-F", tty, "rows", String(rows), "cols", String(columns)]),
    kill: (signal) => void process.kill(Number(pid), signal),
    ended,
    stop: () => void child.kill("SIGKILL"),
  };
}
