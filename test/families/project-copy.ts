/** A copy of the project's sources in a folder of its own, in which a test may add files and change them. */
import { spawn } from "node:child_process";
import {
  copyFileSync,
  existsSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  symlinkSync,
  writeFileSync,
} from "node:fs";
import { dirname, join } from "node:path";
import { ROOT } from "../harness/control-plane.ts";
import { temporaryFolder } from "../harness/folders.ts";
import { readProjectFiles } from "../harness/project-files.ts";
import { type RegistryLine, withLine } from "./registry-lines.ts";

/** The packages, as they are named in node_modules. */
const SCOPE = "@svc";
const MEMBERS = join(import.meta.dirname, "members");
const MEMBER_SUFFIX = ".txt";

/** The end of a program that ran in the copy. */
export interface Ended {
  /** Null when the program was ended by a signal. */
  code: number | null;
  output: string;
}

export interface ProjectCopy {
  folder: string;
  /** Adds lines to registries. */
  register(lines: readonly RegistryLine[]): void;
  read(path: string): string;
  write(path: string, text: string): void;
  /** Runs a program of node_modules/.bin in the copy to its end, at most `withinMs`. */
  run(program: string, args: readonly string[], options: RunOptions): Promise<Ended>;
  remove(): void;
}

interface RunOptions {
  withinMs: number;
  environment?: Record<string, string>;
}

/** Copies the tracked sources; npm's packages are shared with the original. */
export function copyProject(): ProjectCopy {
  const { path: folder, remove } = temporaryFolder();
  for (const file of readProjectFiles()) {
    mkdirSync(dirname(join(folder, file)), { recursive: true });
    copyFileSync(join(ROOT, file), join(folder, file));
  }
  linkPackages(folder);
  const read = (path: string) => readFileSync(join(folder, path), "utf8");
  const write = (path: string, text: string) => {
    mkdirSync(dirname(join(folder, path)), { recursive: true });
    writeFileSync(join(folder, path), text);
  };
  return {
    folder,
    read,
    write,
    register: (lines) => {
      for (const line of lines) write(line.registry, withLine(read(line.registry), line));
    },
    run: (program, args, options) => runIn(folder, program, args, options),
    remove,
  };
}

/** Adds the files of the made-up members to the copy. Returns their paths. */
export function addMemberFiles({ write }: Pick<ProjectCopy, "write">): string[] {
  return readdirSync(MEMBERS, { recursive: true, encoding: "utf8" })
    .filter((file) => file.endsWith(MEMBER_SUFFIX))
    .map((file) => {
      const path = file.slice(0, -MEMBER_SUFFIX.length);
      write(path, readFileSync(join(MEMBERS, file), "utf8"));
      return path;
    });
}

/** Makes a node_modules in which our packages are those of the copy, and npm's are the original's. */
function linkPackages(folder: string): void {
  const [from, to] = [join(ROOT, "node_modules"), join(folder, "node_modules")];
  mkdirSync(join(to, SCOPE), { recursive: true });
  for (const name of readdirSync(from))
    if (name !== SCOPE && name !== ".cache") symlinkSync(join(from, name), join(to, name));
  for (const file of readdirSync(folder)) {
    const manifest = join(folder, file, "package.json");
    if (!existsSync(manifest)) continue;
    const { name } = JSON.parse(readFileSync(manifest, "utf8")) as { name: string };
    if (name.startsWith(`${SCOPE}/`)) symlinkSync(join(folder, file), join(to, name));
  }
}

function runIn(
  folder: string,
  program: string,
  args: readonly string[],
  { withinMs, environment }: RunOptions,
): Promise<Ended> {
  const child = spawn(join(folder, "node_modules/.bin", program), args, {
    cwd: folder,
    env: { ...process.env, NO_COLOR: "1", ...environment },
    timeout: withinMs,
  });
  let output = "";
  child.stdout.on("data", (chunk) => (output += chunk));
  child.stderr.on("data", (chunk) => (output += chunk));
  return new Promise((resolve, reject) => {
    child.on("error", reject);
    child.on("close", (code) => resolve({ code, output }));
  });
}
