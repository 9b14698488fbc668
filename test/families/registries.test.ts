/** Every definition of a member stands in the registry beside its file; reads the sources. */
import { existsSync, readFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { expect, test } from "vitest";
import { ROOT } from "../harness/control-plane.ts";
import { readProjectFiles } from "../harness/project-files.ts";

const DEFINITION = /^export const (\w+)(?::[^=]+)? =\s+(define[A-Z]\w*)\(/gm;

/** Returns the names that a source exports and whose value a function `define...` made. */
function definedIn(source: string): string[] {
  return [...source.matchAll(DEFINITION)].flatMap(([, name = "", definer]) =>
    definer === "defineFamily" ? [] : [name],
  );
}

const sources = readProjectFiles().filter(
  (file) => /^[\w-]+\/src\/.*\.ts$/.test(file) && !file.endsWith(".test.ts"),
);

const definitions = sources.flatMap((file) => {
  const registry = join(dirname(file), "registry.ts");
  if (file === registry || !existsSync(join(ROOT, registry))) return [];
  return definedIn(readFileSync(join(ROOT, file), "utf8")).map((name) => ({ file, name, registry }));
});

test("there are definitions in both packages that hold members, so the pattern still finds them", () => {
  for (const folder of ["contract/", "control-plane/"])
    expect(definitions.filter(({ file }) => file.startsWith(folder)).length).toBeGreaterThan(20);
});

test("each definition of a member has its line in the registry beside it", () => {
  const missing = definitions
    .filter(({ name, registry }) => !listsMember(readFileSync(join(ROOT, registry), "utf8"), name))
    .map(({ file, name, registry }) => `${registry} does not list ${name} of ${file}`);
  expect(missing).toEqual([]);
});

test("an import alone is no line of a registry", () => {
  const source = `import { pigeon } from "./pigeon.ts";\nexport const senders = defineFamily("sender", []);`;
  expect([listsMember(source, "pigeon"), listsMember(source.replace("[]", "[pigeon]"), "pigeon")]).toEqual([
    false,
    true,
  ]);
});

/** True when the source names the member beside importing it. */
function listsMember(source: string, name: string): boolean {
  const withoutImports = source.replaceAll(/^import [\s\S]*?;$/gm, "");
  return new RegExp(`\\b${name}\\b`).test(withoutImports);
}
