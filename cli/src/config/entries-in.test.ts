import { mkdirSync, mkdtempSync, rmSync, symlinkSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join, relative } from "node:path";
import { afterEach, beforeEach, expect, it } from "vitest";
import { entriesIn } from "./entries-in.ts";

let folder: string;
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), "svc-entries-"));
});
afterEach(() => rmSync(folder, { recursive: true, force: true }));

it("lists files of all depths in order, and links without following those to folders", () => {
  mkdirSync(join(folder, "in/b/c"), { recursive: true });
  mkdirSync(join(folder, "outside"));
  writeFileSync(join(folder, "outside/x.yaml"), "");
  for (const name of ["in/b/c/d.yaml", "in/b.yaml", "in/a.yaml"]) writeFileSync(join(folder, name), "");
  symlinkSync("../outside", join(folder, "in/linked"));
  symlinkSync("../outside/x.yaml", join(folder, "in/file.yaml"));
  symlinkSync("..", join(folder, "in/b/up"));
  const found = entriesIn(join(folder, "in")).map(({ path, isLink }) => [relative(folder, path), isLink]);
  expect(found).toEqual([
    ["in/a.yaml", false],
    ["in/b.yaml", false],
    ["in/b/c/d.yaml", false],
    ["in/b/up", true],
    ["in/file.yaml", true],
    ["in/linked", true],
  ]);
});
