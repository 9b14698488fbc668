/**
 * `npm run pack`: makes the packages that are installed without the repository, as tarballs in `release/`. Each is staged in
 * a folder of its own and packed by npm; docs/packages.md tells what is in them.
 */
import { execFile } from "node:child_process";
import { cpSync, existsSync, mkdirSync, readdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { basename, join, resolve } from "node:path";
import { fileURLToPath } from "node:url";
import { promisify } from "node:util";
import { build } from "./build.mjs";
import { bundledFile } from "./bundled-packages.mjs";
import { ensureInstalled, ensureNode, root } from "./ensure.mjs";
import { closureOf, lockedVersion } from "./lockfile-closure.mjs";
import { thirdPartyNotices } from "./third-party-notices.mjs";

const execute = promisify(execFile);

/**
 * The packages: their folder, what is built in their `dist` besides the program, and the dependencies that hold executables
 * for one kind of machine. Those are installed by npm; all others lie in the package.
 */
const PACKAGES = [
  { folder: "cli", parts: [], native: [] },
  // A script's TypeScript is compiled by the executable that esbuild brings.
  { folder: "runner-agent", parts: ["driver"], native: ["esbuild", "lmdb"] },
  { folder: "control-plane", parts: ["dashboard"], native: [] },
];
/** Packages that a bundled library tries to load and does without. */
const DONE_WITHOUT = new Set(["bufferutil", "utf-8-validate"]);

/**
 * Packs all packages. What is built must be fresh.
 * @param output folder of the tarballs; the staged folders are left in its `stage`. What is in `release/` is removed; another
 *   folder must be empty, so that nobody loses files by a mistyped path
 * @returns name, version, tarball, staged folder, size in bytes, folders of the inlined packages, and the dependencies by their
 *   paths in the lockfile, of each
 */
export async function packAll(output) {
  if (resolve(output) === join(root, "release")) rmSync(output, { recursive: true, force: true });
  if (existsSync(output) && readdirSync(output).length > 0) throw new Error(`${output} is not empty`);
  const lock = readJson("package-lock.json");
  const isAgent = ({ folder }) => folder === "runner-agent";
  const agent = await pack(PACKAGES.find(isAgent), { output, lock });
  const others = PACKAGES.filter((one) => !isAgent(one));
  // The control plane offers the agent's package to machines that have none.
  const packed = await Promise.all(
    others.map((one) => pack(one, { output, lock, agentTarball: agent.tarball })),
  );
  return PACKAGES.map((one) => (isAgent(one) ? agent : packed[others.indexOf(one)]));
}

async function pack({ folder, parts, native }, { output, lock, agentTarball }) {
  const stage = join(output, "stage", folder);
  mkdirSync(stage, { recursive: true });
  const program = readJson(bundledFile(`${folder}/dist`));
  const lists = [program, ...parts.map((part) => readJson(bundledFile(`${folder}/dist`, part)))];
  const inlined = [...new Set(lists.flatMap(({ bundled }) => bundled))].sort();
  const imported = program.imported.filter((one) => !DONE_WITHOUT.has(one) && !native.includes(one));
  const carried = withPeers(lock, imported);
  const manifest = manifestOf(folder, { carried, native, lock });
  const within = closureOf(lock, { required: carried, optional: [] });
  for (const part of ["bin", "dist"]) copy(join(root, folder, part), join(stage, part));
  for (const path of Object.keys(within)) copy(join(root, path), join(stage, path));
  if (folder === "control-plane") cpSync(agentTarball, join(stage, "agent-package", basename(agentTarball)));
  if (folder === "control-plane") copyDocumentation(join(stage, "docs"));
  if (folder === "runner-agent")
    cpSync(join(root, "deploy/systemd/svc-runner.service"), join(stage, "systemd/svc-runner.service"));
  cpSync(join(root, "LICENSE"), join(stage, "LICENSE"));
  cpSync(join(root, folder, "PACKAGE.md"), join(stage, "README.md"));
  writeFileSync(join(stage, "THIRD-PARTY-NOTICES"), thirdPartyNotices(inlined));
  writeFileSync(join(stage, "package.json"), `${JSON.stringify(manifest, null, 2)}\n`);
  const packing = ["pack", "--json", "--pack-destination", resolve(output)];
  const [{ filename, unpackedSize }] = JSON.parse(await npm(packing, stage));
  const needed = {
    required: [...carried, ...native],
    optional: Object.keys(manifest.optionalDependencies ?? {}),
  };
  return {
    manifest,
    stage,
    inlined,
    unpackedSize,
    dependencies: closureOf(lock, needed),
    tarball: join(resolve(output), filename),
  };
}

/** Adds what these packages and theirs want beside them: npm packs a dependency's dependencies and no peers. */
function withPeers(lock, names) {
  const entries = Object.values(closureOf(lock, { required: names, optional: [] }));
  const peers = entries.flatMap(({ peerDependencies = {}, peerDependenciesMeta = {} }) =>
    Object.keys(peerDependencies).filter((name) => !peerDependenciesMeta[name]?.optional),
  );
  return [...new Set([...names, ...peers])].sort();
}

/** The published `package.json`: every dependency in the one version that was tested. */
function manifestOf(folder, { carried, native, lock }) {
  const { name, version, description, bin, optionalDependencies } = readJson(`${folder}/package.json`);
  const required = [...carried, ...native].sort();
  return {
    name,
    version,
    description,
    license: "Apache-2.0",
    type: "module",
    engines: readJson("package.json").engines,
    bin,
    ...(required.length > 0 && {
      dependencies: Object.fromEntries(required.map((one) => [one, lockedVersion(lock, one)])),
    }),
    ...(carried.length > 0 && { bundleDependencies: carried }),
    ...(optionalDependencies && { optionalDependencies }),
  };
}

/**
 * What only its makers need: source maps, types, tests, texts but licences, and the lists of what is inlined. Each file costs
 * who installs the package time.
 */
const LEFT_OUT = [
  /(\.map|\.[cm]?ts|\.tsbuildinfo|\.ya?ml|\/bundled(-\w+)?\.json)$/,
  /\/(?!licen|notice|copying|third)[^/]*\.md$/i,
  /^\/(test|tests|benchmark|benchmarks|example|examples|\.[^/]*)$/,
  // A package's own packages have paths of their own in the lockfile.
  /\/node_modules$/,
];

function copy(from, to) {
  cpSync(from, to, {
    recursive: true,
    filter: (path) => !LEFT_OUT.some((pattern) => pattern.test(path.slice(from.length))),
  });
}

/** Copies the pages that the control plane serves as text: those that their index names. */
function copyDocumentation(to) {
  const index = readFileSync(join(root, "docs/llms-index.txt"), "utf8");
  const pages = [...index.matchAll(/\]\(\/docs\/([\w-]+\.(?:md|txt))\)/g)].map(([, page]) => page);
  for (const page of ["llms-index.txt", ...pages]) cpSync(join(root, "docs", page), join(to, page));
}

/** Runs npm and resolves with what it prints to stdout. Its errors appear here. */
export async function npm(args, cwd) {
  try {
    const { stdout } = await execute("npm", args, { cwd, maxBuffer: 64 * 1024 * 1024 });
    return stdout;
  } catch (error) {
    throw new Error(`npm ${args[0]} failed in ${cwd}: ${error.stderr ?? error.message}`, { cause: error });
  }
}

function readJson(path) {
  return JSON.parse(readFileSync(join(root, path), "utf8"));
}

if (process.argv[1] === fileURLToPath(import.meta.url)) {
  ensureNode();
  ensureInstalled();
  await build();
  const output = join(root, "release");
  for (const { tarball, unpackedSize } of await packAll(output))
    console.log(`${tarball}  ${(unpackedSize / 1e6).toFixed(1)} MB unpacked`);
}
