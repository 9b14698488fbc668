/** Bundles the programs: our packages inlined, npm's left outside but for zod. Does nothing when no source changed. */
import { createHash } from "node:crypto";
import { existsSync, mkdirSync, readdirSync, readFileSync, rmSync, statSync, writeFileSync } from "node:fs";
import { basename, join } from "node:path";
import { fileURLToPath } from "node:url";
import { buildDashboard, DASHBOARD_OUTPUT } from "./build-dashboard.mjs";
import { buildDriver, DRIVER_OUTPUTS } from "./build-driver.mjs";
import { bundledFile, writeBundled } from "./bundled-packages.mjs";
import { ensureInstalled, ensureNode, root } from "./ensure.mjs";
import { SOURCE_FOLDERS } from "./source-folders.mjs";

/** Each program's folder, with the files that are started in it: by name, the source. A worker thread has a file of its own. */
const PROGRAMS = [
  {
    folder: "control-plane/dist",
    entries: {
      main: "control-plane/src/app/cli.ts",
      "job-thread": "control-plane/src/app/job-thread.ts",
      "openapi-worker": "openapi/src/worker/entry.ts",
    },
  },
  {
    folder: "runner-agent/dist",
    entries: { main: "runner-agent/src/main.ts", "openapi-worker": "openapi/src/worker/entry.ts" },
  },
];
/** The command line starts often: everything is inlined, in chunks that a command loads when it is typed. */
const CLI = {
  source: "cli/src/main.ts",
  folder: "cli/dist",
  output: "cli/dist/main.js",
  /** Schemas of what commands answer, which only `svc schema` needs. */
  answers: { sources: ["cli/src/answers", "cli/src/runtime/output-schema.ts"], folder: "cli/dist/answers" },
};

/** Builds what is stale. */
export async function build() {
  const stamp = sourcesStamp();
  const stampFile = join(root, "node_modules", ".cache", "svc-build-stamp");
  const ofPrograms = PROGRAMS.flatMap(({ folder, entries }) =>
    Object.keys(entries).map((name) => `${folder}/${name}.js`),
  );
  const lists = [...PROGRAMS, CLI].map(({ folder }) => bundledFile(folder));
  const outputs = [...ofPrograms, CLI.output, DASHBOARD_OUTPUT, ...DRIVER_OUTPUTS, ...lists];
  const isFresh =
    existsSync(stampFile) &&
    readFileSync(stampFile, "utf8") === stamp &&
    outputs.every((output) => existsSync(join(root, output)));
  if (isFresh) return;
  const esbuild = await import("esbuild");
  for (const program of PROGRAMS) await buildProgram(esbuild, program);
  await buildDriver(esbuild);
  await buildCli(esbuild);
  await buildDashboard();
  // Its service process would stay for as long as we do, which with `npm start` is long.
  await esbuild.stop();
  mkdirSync(join(root, "node_modules", ".cache"), { recursive: true });
  writeFileSync(stampFile, stamp);
}

/**
 * Builds a program. What a file imports only when it is needed becomes a chunk of its own, so that a process loads only what
 * it runs.
 */
async function buildProgram(esbuild, { folder, entries }) {
  removeChunks(folder);
  const { metafile } = await esbuild.build({
    absWorkingDir: root,
    metafile: true,
    entryPoints: entries,
    outdir: folder,
    bundle: true,
    splitting: true,
    platform: "node",
    format: "esm",
    target: "node20",
    sourcemap: true,
    logLevel: "error",
    plugins: [
      { name: "zod-in-english", setup: zodInEnglish },
      { name: "npm-outside", setup: npmOutside },
    ],
  });
  writeBundled(bundledFile(folder), metafile);
}

/** Removes the chunks of former builds, whose names end in a hash. */
function removeChunks(folder) {
  if (!existsSync(join(root, folder))) return;
  for (const name of readdirSync(join(root, folder)))
    if (/-[A-Z0-9]{8}\.js(\.map)?$/.test(name)) rmSync(join(root, folder, name));
}

async function buildCli(esbuild) {
  rmSync(join(root, CLI.folder), { recursive: true, force: true });
  const common = {
    absWorkingDir: root,
    metafile: true,
    bundle: true,
    splitting: true,
    platform: "node",
    format: "esm",
    target: "node20",
    sourcemap: true,
    minify: true,
    legalComments: "none",
    logLevel: "error",
  };
  const zod = { name: "zod-in-english", setup: zodInEnglish };
  const program = await esbuild.build({
    ...common,
    entryPoints: [CLI.source],
    outdir: CLI.folder,
    // CommonJS packages inlined into a module ask for node's own by `require`. Ink's dev tools are not for users.
    banner: {
      js: 'import{createRequire as svcRequire}from"node:module";const require=svcRequire(import.meta.url);',
    },
    // yaml's build for node asks the environment at every token, which costs a fifth of reading a large config.
    alias: {
      "react-devtools-core": "./scripts/empty.mjs",
      yaml: "./node_modules/yaml/browser/dist/index.js",
    },
    define: { "process.env.NODE_ENV": '"production"' },
    plugins: [zod, { name: "answers-apart", setup: answersApart }],
  });
  const { folder, sources } = CLI.answers;
  const entryPoints = sources.flatMap((source) =>
    source.endsWith(".ts") ? source : readdirSync(join(root, source)).map((name) => join(source, name)),
  );
  const answers = await esbuild.build({
    ...common,
    entryPoints,
    outdir: folder,
    entryNames: "[name]",
    plugins: [zod],
  });
  writeBundled(bundledFile(CLI.folder), {
    inputs: { ...program.metafile.inputs, ...answers.metafile.inputs },
    outputs: { ...program.metafile.outputs, ...answers.metafile.outputs },
  });
}

/**
 * Leaves the schemas of answers to a build of their own. In one build the modules that hold them would keep them for every command that needs
 * anything else of these modules, which costs each start of `svc` 3 ms.
 */
function answersApart(builder) {
  builder.onResolve({ filter: /\/(answers\/[\w-]+|output-schema)\.ts$/ }, ({ path, kind }) =>
    kind === "dynamic-import" ? { path: `./answers/${basename(path, ".ts")}.js`, external: true } : undefined,
  );
}

/**
 * Bundles zod with its English messages only. The sources import zod as a namespace, so its unused members are left out
 * too.
 */
function zodInEnglish(builder) {
  builder.onResolve({ filter: /\/locales\/index\.js$/ }, ({ importer }) =>
    importer.includes("/node_modules/zod/")
      ? { path: join(root, "node_modules/zod/v4/locales/en.js"), sideEffects: false }
      : undefined,
  );
}

/** Packages from npm stay imports; ours (@svc/...), relative files and zod, which would load all its languages, are inlined. */
function npmOutside(builder) {
  builder.onResolve({ filter: /^[^./]/ }, ({ path, kind }) =>
    kind === "entry-point" || path.startsWith("@svc/") || path === "zod"
      ? undefined
      : { path, external: true },
  );
}

/** Changes when any source file, the lockfile or this script does. */
function sourcesStamp() {
  // Code that is compiled ahead fits one version of Node only.
  const hash = createHash("sha256").update(process.version);
  for (const folder of SOURCE_FOLDERS)
    for (const file of readdirSync(join(root, folder), { recursive: true }).sort()) {
      const { mtimeMs, size, isDirectory } = statOf(join(root, folder, file));
      if (!isDirectory) hash.update(`${folder}/${file} ${mtimeMs} ${size}\n`);
    }
  for (const file of [
    "package-lock.json",
    "scripts/build.mjs",
    "scripts/build-dashboard.mjs",
    "scripts/build-driver.mjs",
    "scripts/bundled-packages.mjs",
    "dashboard/index.html",
    "dashboard/vite.config.ts",
  ])
    hash.update(readFileSync(join(root, file)));
  return hash.digest("hex");
}

function statOf(path) {
  const { mtimeMs, size, ...stat } = statSync(path);
  return { mtimeMs, size, isDirectory: (stat.mode & 0o170000) === 0o040000 };
}

if (process.argv[1] === fileURLToPath(import.meta.url)) {
  ensureNode();
  ensureInstalled();
  await build();
}
