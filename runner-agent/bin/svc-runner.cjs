#!/usr/bin/env node
/**
 * Host names are looked up on libuv's threads, of which slow lookups may take half: with the default of 4, two slow
 * names hold up all others. The number counts from the first use of a thread, which loading an ES module is already:
 * hence CommonJS, and first.
 */
process.env.UV_THREADPOOL_SIZE ??= "64";

const { existsSync } = require("node:fs");
const { join } = require("node:path");
const { pathToFileURL } = require("node:url");

const main = join(__dirname, "../dist/main.js");
if (!existsSync(main)) {
  process.stderr.write("svc-runner: not built yet; run `npm run build` in the project's root folder\n");
  process.exit(1);
}
void import(pathToFileURL(main).href);
