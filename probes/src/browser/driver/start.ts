/**
 * The file that a driver's process begins with: runs the bundle beside it from what V8 compiled of it when it was built, since
 * compiling Playwright anew costs more than a small page does. `--write-code-cache` makes that file. A cache of another version of
 * Node is refused by V8 and the bundle is compiled as if there were none.
 */
import { readFileSync, writeFileSync } from "node:fs";
import { createRequire } from "node:module";
import { dirname, join } from "node:path";
import vm from "node:vm";

const bundle = join(__dirname, "lib", "driver.cjs");
const cache = join(__dirname, "lib", "driver.cache");
const isBuilding = process.argv.includes("--write-code-cache");

// The bundle has ASCII only, and Latin-1 is copied where UTF-8 is decoded.
const source = readFileSync(bundle, "latin1");
const script = new vm.Script(`(function (exports, require, module, __filename, __dirname) {${source}\n})`, {
  filename: bundle,
  cachedData: isBuilding ? undefined : findCache(),
});
const program = { exports: {} as { loadLibraries?: () => Promise<unknown>; serve?: () => void } };
script.runInThisContext()(program.exports, createRequire(bundle), program, bundle, dirname(bundle));
if (isBuilding) {
  // What ran to load them is in the cache too, and need not be compiled when it first runs.
  void Promise.resolve(program.exports.loadLibraries?.()).then(() =>
    writeFileSync(cache, script.createCachedData()),
  );
} else program.exports.serve?.();

function findCache(): Buffer | undefined {
  try {
    return readFileSync(cache);
  } catch {
    return undefined;
  }
}
