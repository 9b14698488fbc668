/**
 * The first file of a driver's process. It runs the bundle beside it from the code that V8 compiled when the bundle
 * was built, since compiling Playwright anew costs more than a small page does. `--write-code-cache` makes that file.
 * V8 refuses the cache of another version of Node, and the bundle is then compiled as if there were none.
 */
import { readFileSync, writeFileSync } from "node:fs";
import { createRequire } from "node:module";
import { dirname, join } from "node:path";
import vm from "node:vm";

const bundle = join(__dirname, "lib", "driver.cjs");
const cache = join(__dirname, "lib", "driver.cache");
const isBuilding = process.argv.includes("--write-code-cache");

// The bundle is ASCII only, and Latin-1 is copied where UTF-8 would be decoded.
const source = readFileSync(bundle, "latin1");
const script = new vm.Script(`(function (exports, require, module, __filename, __dirname) {${source}\n})`, {
  filename: bundle,
  cachedData: isBuilding ? undefined : findCache(),
});
const program = { exports: {} as { loadLibraries?: () => Promise<unknown>; serve?: () => void } };
script.runInThisContext()(program.exports, createRequire(bundle), program, bundle, dirname(bundle));
if (isBuilding) {
  // Functions that ran during loading are in the cache as well, and need not be compiled when they first run.
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
