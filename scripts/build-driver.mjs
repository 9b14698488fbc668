/**
 * Builds the browser driver: a folder of its own, all of which its sandbox shows it. A script's driver is a new process
 * each time, and most of what that costs would be Playwright: so it is inlined without the parts that no driver uses,
 * and compiled ahead.
 */
import { execFileSync } from "node:child_process";
import { copyFileSync, mkdirSync, readFileSync, rmSync } from "node:fs";
import { createRequire } from "node:module";
import { dirname, join } from "node:path";
import { bundledFile, writeBundled } from "./bundled-packages.mjs";
import { root } from "./ensure.mjs";

const SOURCES = "probes/src/browser/driver";
const FOLDER = "runner-agent/dist/browser-driver";
/** Below it Playwright looks for its version and for what it knows of browsers. */
const LIBRARY = `${FOLDER}/lib`;
/** Files that {@link buildDriver} writes, relative to the repository. */
export const DRIVER_OUTPUTS = [`${FOLDER}/start.cjs`, `${LIBRARY}/driver.cjs`, `${LIBRARY}/driver.cache`];

const OPTIONS = {
  absWorkingDir: root,
  bundle: true,
  platform: "node",
  format: "cjs",
  target: "node20",
  logLevel: "error",
};

/**
 * Builds the driver.
 * @param esbuild the module `esbuild`
 */
export async function buildDriver(esbuild) {
  const { playwright, core } = playwrightFolders();
  rmSync(join(root, FOLDER), { recursive: true, force: true });
  const start = { entryPoints: [`${SOURCES}/start.ts`], outfile: `${FOLDER}/start.cjs` };
  await esbuild.build({ ...OPTIONS, ...start });
  const { metafile } = await esbuild.build({
    ...OPTIONS,
    metafile: true,
    entryPoints: [`${SOURCES}/main.ts`],
    outfile: `${LIBRARY}/driver.cjs`,
    // Names stay: Playwright shows some of them. ASCII: it is read as bytes.
    minifySyntax: true,
    minifyWhitespace: true,
    charset: "ascii",
    legalComments: "none",
    external: ["chromium-bidi/*", "electron/*"],
    define: { "import.meta.url": "__filename" },
    plugins: [{ name: "playwright-for-drivers", setup: (builder) => trimPlaywright(builder, playwright) }],
  });
  writeBundled(bundledFile("runner-agent/dist", "driver"), metafile);
  mkdirSync(join(root, LIBRARY), { recursive: true });
  for (const file of ["package.json", "browsers.json", "LICENSE", "NOTICE", "ThirdPartyNotices.txt"])
    copyFileSync(join(core, file), join(root, FOLDER, file));
  copyFileSync(join(core, "lib/utilsBundle.js.LICENSE"), join(root, LIBRARY, "utilsBundle.LICENSE"));
  copyFileSync(join(playwright, "lib/matchers/expect.js.LICENSE"), join(root, LIBRARY, "expect.LICENSE"));
  execFileSync(process.execPath, [join(root, FOLDER, "start.cjs"), "--write-code-cache"], {
    stdio: "inherit",
  });
}

/** Looked up when it is built: on a new checkout this file is loaded before anything is installed. */
function playwrightFolders() {
  const fromProbes = createRequire(join(root, "probes/package.json"));
  const playwright = dirname(fromProbes.resolve("playwright/package.json"));
  const fromPlaywright = createRequire(join(playwright, "package.json"));
  return { playwright, core: dirname(fromPlaywright.resolve("playwright-core/package.json")) };
}

function trimPlaywright(builder, playwright) {
  // Of the test library only this is used, and the whole would load Playwright's own runner.
  builder.onResolve({ filter: /^playwright\/test$/ }, () => ({
    path: join(playwright, "lib/matchers/expect.js"),
  }));
  builder.onLoad({ filter: /playwright-core\/lib\/coreBundle\.js$/ }, ({ path }) => ({
    contents: withoutTools(readFileSync(path, "utf8")),
    loader: "js",
  }));
  builder.onLoad({ filter: /playwright-core\/lib\/utilsBundle\.js$/ }, ({ path }) => ({
    contents: withoutProtocolLibraries(readFileSync(path, "utf8")),
    loader: "js",
  }));
}

/**
 * Its command line, MCP server, dashboard and remote server are loaded whenever Playwright is, and take half of that
 * time.
 */
function withoutTools(source) {
  const { start, end } = between(source, '"packages/playwright-core/src/coreBundle.ts"() {', "});");
  let parts = source.slice(start, end);
  for (const part of ["program3", "programWithTestStub", "outofprocess", "playwrightServer", "tools2"]) {
    if (!parts.includes(`init_${part}();`)) throw new Error(`Playwright's coreBundle.js has no part ${part}`);
    parts = parts.replace(`init_${part}();`, "");
  }
  return source.slice(0, start) + parts + source.slice(end);
}

/** Removes the libraries that only those tools use: zod, the MCP SDK and its web server, one after the other in the file. */
function withoutProtocolLibraries(source) {
  const { start, end } = between(
    source,
    "\n// node_modules/zod/index.js",
    "\n// packages/playwright-core/src/utilsBundle.ts\nvar colors =",
  );
  return source.slice(0, start) + source.slice(end);
}

/** @throws when another version of Playwright is built otherwise: then look which parts its driver needs */
function between(source, from, to) {
  const start = source.indexOf(from);
  const end = source.indexOf(to, start);
  if (start === -1 || end === -1) throw new Error(`Playwright's bundle has no part from ${from} to ${to}`);
  return { start, end };
}
