/** The real `svc` executable, as a process of its own. */
import { spawn } from "node:child_process";
import { join } from "node:path";
import { ROOT } from "./control-plane.ts";

export const SVC = join(ROOT, "cli/bin/svc.cjs");

export interface CliRun {
  code: number | null;
  signal: NodeJS.Signals | null;
  stdout: string;
  stderr: string;
}

export interface CliOptions {
  cwd: string;
  env?: Record<string, string>;
  /** Called with what was written so far, at each write: to press Ctrl+C at a moment of one's own. */
  onOutput?(output: string, kill: (signal: NodeJS.Signals) => void): void;
}

/** Runs `svc` to its end. Only PATH and what `env` gives are inherited; HOME is the working folder. */
export function svc(args: readonly string[], { cwd, env = {}, onOutput }: CliOptions): Promise<CliRun> {
  return new Promise((resolve, reject) => {
    const child = spawn(process.execPath, [SVC, ...args], {
      cwd,
      env: { PATH: process.env.PATH, HOME: cwd, ...env },
      stdio: ["ignore", "pipe", "pipe"],
    });
    const written = { stdout: "", stderr: "" };
    for (const name of ["stdout", "stderr"] as const)
      child[name].on("data", (chunk: Buffer) => {
        written[name] += chunk;
        onOutput?.(written.stdout + written.stderr, (signal) => void child.kill(signal));
      });
    child.on("error", reject);
    child.on("close", (code, signal) => resolve({ code, signal, ...written }));
  });
}
