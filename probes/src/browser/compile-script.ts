/**
 * Compiles TypeScript in a process of its own. The text is a stranger's: a script nested deeply enough ends the
 * compiler for lack of stack, and a service that all scripts shared would then compile nothing any more. So each text
 * has its own process, with limits of CPU time and memory, and only that text fails.
 */
import { spawn } from "node:child_process";
import { existsSync } from "node:fs";
import { createRequire } from "node:module";
import { constants, setPriority } from "node:os";
import { dirname, join } from "node:path";
import pLimit from "p-limit";

/** The text can't be compiled. The message says why, without a line. */
export class CompileError extends Error {
  /** Line of the text, from 1; undefined: none is to blame. */
  readonly line: number | undefined;

  constructor(message: string, line?: number) {
    super(message);
    this.line = line;
  }
}

/** CPU time of one compilation, s. The longest script that a check may have takes a third of one. */
const CPU_SECONDS_MAX = 5;
/** A process that got no CPU for this long is ended; the machine is to blame then, not the script. */
const WAIT_LIMIT_MS = 60_000;
/** Address space of the compiler, KiB: a script of the largest size needs a tenth of it. */
const ADDRESS_SPACE_KIB = 1024 * 1024;
const OUTPUT_BYTES_MAX = 8 * 1024 * 1024;
const ERROR_BYTES_MAX = 64 * 1024;
/** Compilations at a time, so that scripts that are slow to compile leave the machine to the runs. */
const LANES = 2;

const ARGUMENTS = [
  "--loader=ts",
  "--format=cjs",
  "--target=node20",
  "--sourcefile=script.ts",
  // Says which line of the script a line of the module was, at its end: driver/failed-line.ts reads it.
  "--sourcemap=inline",
  "--sources-content=false",
  "--log-level=error",
  "--log-limit=1",
  "--color=false",
];
const LIMITS = `ulimit -t ${CPU_SECONDS_MAX} 2>/dev/null; ulimit -v ${ADDRESS_SPACE_KIB} 2>/dev/null; exec "$@"`;

const lanes = pLimit(LANES);
let compilerPath: string | undefined;

/**
 * Compiles a text to a CommonJS module.
 * @throws CompileError when the text is to blame
 * @throws Error when the machine is
 */
export function compileTypeScript(text: string): Promise<string> {
  return lanes(() => compile(text));
}

async function compile(text: string): Promise<string> {
  compilerPath ??= findCompiler();
  const { output, errors, exitCode, hasOverrun } = await runCompiler(compilerPath, text);
  if (exitCode === 0 && output !== undefined) return output;
  if (hasOverrun) throw new Error("the compiler of scripts had no CPU time");
  if (output === undefined) throw new CompileError("what it becomes is larger than 8 MiB");
  throw errorOf(errors);
}

/** Returns the reason that the compiler printed, or else that its limits ended it. */
function errorOf(errors: string): CompileError {
  const message = /^✘ \[ERROR\] (.*)$/m.exec(errors)?.[1];
  if (message === undefined)
    return new CompileError(
      `compiling it takes more than ${CPU_SECONDS_MAX} s of CPU time or 1 GiB of memory`,
    );
  const line = /^ *script\.ts:(\d+):\d+:$/m.exec(errors)?.[1];
  return new CompileError(message, line === undefined ? undefined : Number(line));
}

interface CompilerEnd {
  /** undefined: more than is kept. */
  output: string | undefined;
  errors: string;
  exitCode: number | null;
  hasOverrun: boolean;
}

function runCompiler(path: string, text: string): Promise<CompilerEnd> {
  const child = spawn("/bin/sh", ["-c", LIMITS, "sh", path, ...ARGUMENTS], {
    cwd: "/",
    env: {},
    stdio: ["pipe", "pipe", "pipe"],
  });
  const output = new BoundedOutput(OUTPUT_BYTES_MAX, () => child.kill("SIGKILL"));
  // A crashed compiler prints the stack of every thread; the first lines say enough.
  const errors = new BoundedOutput(ERROR_BYTES_MAX, () => {});
  let hasOverrun = false;
  const timer = setTimeout(() => {
    hasOverrun = true;
    child.kill("SIGKILL");
  }, WAIT_LIMIT_MS);
  child.stdout.on("data", (chunk: Buffer) => output.add(chunk));
  child.stderr.on("data", (chunk: Buffer) => errors.add(chunk));
  child.stdin.on("error", () => {}); // the end shows in `close`
  child.stdin.end(text);
  return new Promise((resolve, reject) => {
    child.once("spawn", () => yieldToRuns(child.pid));
    child.once("error", (error) => {
      clearTimeout(timer);
      reject(error);
    });
    child.once("close", (exitCode) => {
      clearTimeout(timer);
      resolve({
        output: output.isWhole ? output.text() : undefined,
        errors: errors.text(),
        exitCode,
        hasOverrun,
      });
    });
  });
}

/** Lowers the priority of a process below that of everything that measures time. */
function yieldToRuns(pid: number | undefined): void {
  if (pid === undefined) return;
  try {
    setPriority(pid, constants.priority.PRIORITY_BELOW_NORMAL);
  } catch {
    // The process has ended already.
  }
}

class BoundedOutput {
  readonly #bytesMax: number;
  readonly #onFull: () => void;
  readonly #chunks: Buffer[] = [];
  #bytes = 0;
  isWhole = true;

  constructor(bytesMax: number, onFull: () => void) {
    this.#bytesMax = bytesMax;
    this.#onFull = onFull;
  }

  add(chunk: Buffer): void {
    if (!this.isWhole) return;
    this.#bytes += chunk.length;
    this.isWhole = this.#bytes <= this.#bytesMax;
    if (this.isWhole) this.#chunks.push(chunk);
    else this.#onFull();
  }

  text(): string {
    return Buffer.concat(this.#chunks).toString("utf8");
  }
}

/** Returns the compiler's executable for this machine, rather than the script that starts it where that was not replaced. */
function findCompiler(): string {
  const packageFile = createRequire(import.meta.url).resolve("esbuild/package.json");
  const native = `@esbuild/${process.platform}-${process.arch}/package.json`;
  try {
    const path = join(dirname(createRequire(packageFile).resolve(native)), "bin", "esbuild");
    if (existsSync(path)) return path;
  } catch {
    // installed without the package for this machine
  }
  return join(dirname(packageFile), "bin", "esbuild");
}
