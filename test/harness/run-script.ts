/** Runs a program to its end beside servers of the test's own process. */
import { spawn } from "node:child_process";

/** Where a program runs, and its whole environment. */
export interface ScriptOptions {
  cwd: string;
  env: Record<string, string>;
}

/** Resolves with the exit code (-1 after a signal) and what was printed, stdout and stderr mixed. */
export function runScript(
  file: string,
  args: readonly string[],
  { cwd, env }: ScriptOptions,
): Promise<{ code: number; text: string }> {
  return new Promise((resolve, reject) => {
    const child = spawn(file, args, { cwd, env, stdio: ["ignore", "pipe", "pipe"] });
    let text = "";
    for (const stream of [child.stdout, child.stderr])
      stream.on("data", (chunk: Buffer) => {
        text += chunk;
      });
    child.on("error", reject);
    child.on("close", (code) => resolve({ code: code ?? -1, text }));
  });
}
