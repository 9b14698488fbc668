#!/usr/bin/env node
/**
 * The `svc` executable. Asked for its version alone it loads nothing else; CommonJS and a plain write, since starting
 * the module loader and opening stdout as a stream would each cost half of what starting node does.
 */
const { writeSync } = require("node:fs");

const args = process.argv.slice(2);
if (args.length === 1 && (args[0] === "--version" || args[0] === "-V"))
  print(`${require("../package.json").version}\n`);
else start();

function print(text) {
  try {
    writeSync(1, text);
  } catch (error) {
    if (error.code === "EAGAIN") process.stdout.write(text);
    // Whoever read us has gone: nothing is left to say.
    else if (error.code !== "EPIPE") throw error;
  }
}

function start() {
  const { existsSync } = require("node:fs");
  const { join } = require("node:path");
  const { pathToFileURL } = require("node:url");
  const main = join(__dirname, "../dist/main.js");
  if (!existsSync(main)) {
    process.stderr.write("svc: not built yet; run `npm run build` in the project's root folder\n");
    process.exit(1);
  }
  tuneForShortRuns();
  void import(pathToFileURL(main).href);
}

/**
 * A command is over before most of what V8 invests pays: it compiles functions for good only when they are hotter than
 * usual (a quarter less CPU for `svc validate`), and lets its young generation grow at once instead of collecting it at
 * every megabyte.
 */
function tuneForShortRuns() {
  const { setFlagsFromString } = require("node:v8");
  // V8 complains on stderr of a flag that it hasn't: these were tried with Node 20 (V8 11), 22 (12) and 24 (13).
  const version = Number.parseInt(process.versions.v8, 10);
  if (version <= 11) setFlagsFromString("--interrupt-budget=500000");
  if (version <= 13) setFlagsFromString("--semi-space-growth-factor=16");
}
