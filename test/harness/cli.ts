/** The real `svc` executable, as a process of its own. */
import { spawn } from "node:child_process";
import { existsSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { checkOutput } from "../../cli/test-support/output-checker.ts";
import type { ObservedAnswer } from "../../control-plane/test-support/answer-checker.ts";
import { ROOT } from "./control-plane.ts";
import { temporaryFolder } from "./folders.ts";

const EXECUTABLE = "cli/bin/svc.cjs";
export const SVC = join(ROOT, EXECUTABLE);

export interface CliRun {
  code: number | null;
  signal: NodeJS.Signals | null;
  stdout: string;
  stderr: string;
}

export interface CliOptions {
  /** Checkout whose build is run. Default: this one. */
  root?: string;
  cwd: string;
  env?: Record<string, string>;
  /** Sees each answer of the service that the command got, once it has ended; when it rejects, `svc` does. */
  onAnswer?: (answer: ObservedAnswer) => Promise<void>;
  /** Called with what was written so far, at each write: to press Ctrl+C at a moment of one's own. */
  onOutput?(output: string, kill: (signal: NodeJS.Signals) => void): void;
}

/**
 * Runs `svc` to its end. Only PATH and what `env` gives are inherited; HOME is the working folder. With --json the output of this
 * checkout's `svc` must fit the command's schema.
 */
export async function svc(args: readonly string[], options: CliOptions): Promise<CliRun> {
  const run = await runObserved(args, options);
  const wasKilled = run.code === null;
  if (!wasKilled && (options.root ?? ROOT) === ROOT) await checkOutput({ args, stdout: run.stdout });
  return run;
}

async function runObserved(args: readonly string[], options: CliOptions): Promise<CliRun> {
  const { onAnswer, env } = options;
  if (!onAnswer) return runToEnd(args, options);
  const { path: folder, remove } = temporaryFolder();
  const file = join(folder, "answers");
  try {
    const NODE_OPTIONS = `--import=${new URL("record-answers.mjs", import.meta.url)}`;
    const run = await runToEnd(args, { ...options, env: { ...env, NODE_OPTIONS, TEST_ANSWERS_FILE: file } });
    const lines = existsSync(file) ? readFileSync(file, "utf8").trimEnd().split("\n") : [];
    for (const line of lines) await onAnswer(JSON.parse(line) as ObservedAnswer);
    return run;
  } finally {
    remove();
  }
}

function runToEnd(
  args: readonly string[],
  { root = ROOT, cwd, env = {}, onOutput }: CliOptions,
): Promise<CliRun> {
  return new Promise((resolve, reject) => {
    const child = spawn(process.execPath, [join(root, EXECUTABLE), ...args], {
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
