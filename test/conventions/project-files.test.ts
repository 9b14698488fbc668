import { spawnSync } from "node:child_process";
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, beforeEach, expect, test } from "vitest";
import { readProjectFiles } from "../harness/project-files.ts";

let folder: string;
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), "svc-project-"));
  for (const name of ["src", "node_modules", "dist"]) mkdirSync(join(folder, name));
  for (const file of ["README.md", "src/a.ts", "src/gone.ts", "node_modules/b.js", "dist/c.js"])
    writeFileSync(join(folder, file), "");
});
afterEach(() => rmSync(folder, { recursive: true, force: true }));

const git = (...args: string[]) => expect(spawnSync("git", args, { cwd: folder }).status).toBe(0);

test("files that lie beside the project untracked are none of it, and neither are tracked ones that were deleted", () => {
  git("init", "-q");
  git("add", "README.md", "src");
  rmSync(join(folder, "src/gone.ts"));
  writeFileSync(join(folder, "src/stray.ts"), "");
  writeFileSync(join(folder, "notes.md"), "");
  expect(readProjectFiles(folder).sort()).toEqual(["README.md", "src/a.ts"]);
});

test("an unpacked archive, of which git knows nothing, has all files that were not installed or built", () => {
  expect(readProjectFiles(folder).sort()).toEqual(["README.md", "src/a.ts", "src/gone.ts"]);
});
