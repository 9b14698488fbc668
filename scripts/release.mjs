/**
 * `npm run release`: everything that a release consists of, into `release/`: the packages' tarballs, an SBOM of each, the
 * CHANGELOG's section and SHA-256 sums of all. Refuses where no such tag was set; `-- --dry-run` needs none, so that it can
 * be run on any commit. It publishes nothing.
 */
import { execFileSync } from "node:child_process";
import { createHash } from "node:crypto";
import { readdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { basename, join, resolve } from "node:path";
import { parseArgs } from "node:util";
import { build } from "./build.mjs";
import { ensureInstalled, ensureNode, root } from "./ensure.mjs";
import { packAll } from "./pack.mjs";
import { refusals, releaseNotes } from "./release-checks.mjs";
import { sbomOf } from "./sbom.mjs";

const { values } = parseArgs({
  options: { "dry-run": { type: "boolean", default: false }, output: { type: "string", default: "release" } },
});
const isDryRun = values["dry-run"];
const changelog = readFileSync(join(root, "CHANGELOG.md"), "utf8");
const versions = versionsOfPackages();
const version = versions["."];

ensureNode();
ensureInstalled();
const against = refusals({ versions, changelog, git: isDryRun ? undefined : gitState() });
for (const line of against) console.error(`no release: ${line}`);
if (against.length > 0) process.exit(1);
await build();
await makeRelease(resolve(root, values.output));

async function makeRelease(output) {
  const packages = await packAll(output);
  for (const one of packages) {
    const file = one.tarball.replace(/\.tgz$/, ".cdx.json");
    writeFileSync(file, `${JSON.stringify(await sbomOf(one), null, 2)}\n`);
  }
  rmSync(join(output, "stage"), { recursive: true, force: true });
  // What is deployed without a checkout: the chart as Helm takes it, and everything else of deploy/.
  archive(join(output, `svc-chart-${version}.tar.gz`), "deploy/helm", "svc");
  archive(join(output, `svc-deploy-${version}.tar.gz`), ".", "deploy");
  writeFileSync(join(output, "NOTES.md"), `${releaseNotes({ version, changelog, isDryRun })}\n`);
  const files = readdirSync(output).sort();
  const sums = files.map((name) => `${sha256(join(output, name))}  ${name}\n`);
  writeFileSync(join(output, "SHA256SUMS"), sums.join(""));
  console.log(`svc ${version}${isDryRun ? " (dry run)" : ""} in ${output}:`);
  for (const { tarball, unpackedSize, dependencies } of packages)
    console.log(
      `  ${basename(tarball)}: ${(unpackedSize / 1e6).toFixed(1)} MB unpacked, ${Object.keys(dependencies).length} dependencies on all machines`,
    );
}

function versionsOfPackages() {
  const ofFolder = (folder) => JSON.parse(readFileSync(join(root, folder, "package.json"), "utf8"));
  const own = ofFolder(".");
  const folders = [".", ...own.workspaces];
  const chart = readFileSync(join(root, "deploy/helm/svc/Chart.yaml"), "utf8");
  const ofChart = [...chart.matchAll(/^(version|appVersion): (.+)$/gm)].map(([, key, version]) => [
    `deploy/helm/svc ${key}`,
    version,
  ]);
  return Object.fromEntries([...folders.map((folder) => [folder, ofFolder(folder).version]), ...ofChart]);
}

function gitState() {
  const git = (...args) => execFileSync("git", args, { cwd: root, encoding: "utf8" }).trim();
  return {
    tags: git("tag", "--points-at", "HEAD").split("\n"),
    isClean: git("status", "--porcelain") === "",
  };
}

/** Packs a folder alike on every machine: in order of names, without times and owners. */
function archive(file, folder, name) {
  const alike = ["--sort=name", "--mtime=2020-01-01 00:00Z", "--owner=0", "--group=0", "--numeric-owner"];
  const args = ["-I", "gzip -n", "-cf", file, ...alike, "-C", join(root, folder), name];
  execFileSync("tar", args, { stdio: "inherit" });
}

function sha256(path) {
  return createHash("sha256").update(readFileSync(path)).digest("hex");
}
