/** What `npm test` checks without running the code: types, style, layers, unused code, and that what is generated is current. */
import { spawnSync } from "node:child_process";
import { existsSync, mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { bin, root, runBeside } from "./ensure.mjs";
import { SOURCE_FOLDERS } from "./source-folders.mjs";

const withTools = { PATH: `${join(root, "node_modules", ".bin")}:${process.env.PATH}` };

/** Runs one check after the other. Resolves with the titles of those that failed. */
export async function staticChecks() {
  const checks = {
    types: () => passes([bin("tsc"), "-p", "tsconfig.json"]),
    "types of the dashboard": () => passes([bin("tsc"), "-p", "dashboard"]),
    style: () => passes([bin("biome"), "check", "--files-ignore-unknown=true", ...trackedFiles()]),
    "dependency rules": dependencyRules,
    "unused files, exports and dependencies": () => passes([bin("knip"), "--no-progress"]),
    "protocol lint": () => passes([bin("buf"), "lint"], withTools),
    // Compares the runner protocol with that of the last release, which `npm run proto:release` writes.
    "protocol compatibility": () =>
      passes([bin("buf"), "breaking", "--against", "proto/released.binpb"], withTools),
    "generated code is current (or run: npm run proto)": generatedCodeIsCurrent,
    "generated tables of the docs": () => passes([bin("tsx"), "scripts/generate-docs.mjs", "--check"]),
    "members that the script editor completes": () =>
      passes([process.execPath, "scripts/playwright-members.mjs", "--check"]),
  };
  const failed = [];
  for (const [title, check] of Object.entries(checks)) {
    console.log(`\n== ${title}`);
    if (!(await check())) failed.push(title);
  }
  return failed;
}

async function passes([command, ...args], environment = {}) {
  return (await runBeside(command, args, { environment })).status === 0;
}

/**
 * Files of the project; somebody's own that lie beside them are not judged. All of the folder where git does not know
 * it.
 */
function trackedFiles() {
  const { status, stdout } = spawnSync("git", ["ls-files", "-z"], { cwd: root, encoding: "utf8" });
  if (status !== 0) return ["."];
  return stdout.split("\0").filter((file) => file !== "" && existsSync(join(root, file)));
}

/** The cruiser reports success when it finds nothing to look at: the count is checked too. */
async function dependencyRules() {
  const { status, stdout } = await runBeside(bin("depcruise"), [
    "--config",
    ".dependency-cruiser.cjs",
    ...SOURCE_FOLDERS,
    "test",
  ]);
  const cruised = Number(/(\d+) modules/.exec(stdout)?.[1] ?? 0);
  if (cruised < 1_000) console.log(`${cruised} modules seen, at least 1,000 expected`);
  return status === 0 && cruised >= 1_000;
}

async function generatedCodeIsCurrent() {
  const folder = mkdtempSync(join(tmpdir(), "svc-generated-"));
  try {
    if (!(await passes([bin("buf"), "generate", "-o", folder], withTools))) return false;
    return await passes(["diff", "-r", join(folder, "proto/gen"), "proto/gen"]);
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
}
