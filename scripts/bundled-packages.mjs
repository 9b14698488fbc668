/** Notes, at each build, which packages of npm's lie in a bundle and which it imports: a package is made of that. */
import { writeFileSync } from "node:fs";
import { isBuiltin } from "node:module";
import { join } from "node:path";
import { root } from "./ensure.mjs";

/**
 * Path of the list of a built part, relative to the repository.
 * @param folder the program's `dist`
 * @param part what is built there besides the program; default: the program itself
 */
export function bundledFile(folder, part) {
  return `${folder}/bundled${part === undefined ? "" : `-${part}`}.json`;
}

/**
 * Writes the list of a bundle.
 * @param metafile esbuild's, or one of the same form: `inputs` by path, `outputs` with their imports
 */
export function writeBundled(file, { inputs, outputs }) {
  const bundled = new Set(Object.keys(inputs).map(packageFolderOf).filter(Boolean));
  const imported = new Set();
  for (const { imports } of Object.values(outputs))
    for (const { path, external } of imports)
      if (external && !isBuiltin(path) && /^[@a-z]/.test(path)) imported.add(packageNameOf(path));
  const list = { bundled: [...bundled].sort(), imported: [...imported].sort() };
  writeFileSync(join(root, file), `${JSON.stringify(list, null, 2)}\n`);
}

/** Returns the folder of the package that a file belongs to, relative to the repository; undefined for our own files. */
function packageFolderOf(path) {
  return /^(?:.*\/)?node_modules\/(?:@[^/]+\/)?[^/]+(?=\/)/.exec(path.replace(/^\0/, ""))?.[0];
}

function packageNameOf(specifier) {
  return specifier
    .split("/")
    .slice(0, specifier.startsWith("@") ? 2 : 1)
    .join("/");
}
