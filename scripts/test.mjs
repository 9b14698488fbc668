/**
 * `npm test`: everything that can run on this machine. Installs what is missing, builds, checks types, style, the
 * dependency rules and the generated code, then runs the tests; the database's own once more on a PostgreSQL of the
 * system when there is one. What is left out is said, with the way to have it.
 */
import { spawnSync } from "node:child_process";
import { existsSync, mkdtempSync, readdirSync, readFileSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join, relative } from "node:path";
import { stripVTControlCharacters } from "node:util";
import { build } from "./build.mjs";
import { bin, ensureInstalled, ensureNode, root, tryRun } from "./ensure.mjs";
import { SOURCE_FOLDERS } from "./source-folders.mjs";
import { startSystemPostgres, systemPostgresBin } from "./system-postgres.mjs";

ensureNode();
ensureInstalled();
await build();

const failures = [];
const leftOut = [];
/** Each test that failed, with the begin of its message: the end of a long log is what a person reads first. */
const failedTests = [];
const counts = { passed: 0, failed: 0, skipped: 0 };
const only = process.argv.slice(2);

if (only.length === 0) staticChecks();
runTests("tests", only, {});
if (only.length === 0) await databaseTestsOnSystemPostgres();
if (!process.env.SVC_TEST_CITUS_URL)
  leftOut.push("tests on Citus: set SVC_TEST_CITUS_URL to a coordinator to have them, see docs/citus.md");

for (const line of leftOut) console.log(`left out: ${line}`);
for (const line of failedTests) console.log(`FAILED: ${line}`);
for (const line of failures) console.log(`FAILED: ${line}`);
console.log(`${counts.passed} passed, ${counts.failed} failed, ${counts.skipped} skipped`);
process.exit(failures.length > 0 || counts.failed > 0 || counts.passed === 0 ? 1 : 0);

function staticChecks() {
  step("types", [bin("tsc"), "-p", "tsconfig.json"]);
  step("types of the dashboard", [bin("tsc"), "-p", "dashboard"]);
  step("style", [bin("biome"), "check", "--files-ignore-unknown=true", ...trackedFiles()]);
  dependencyRules();
  step("unused files, exports and dependencies", [bin("knip"), "--no-progress"]);
  const path = { PATH: `${join(root, "node_modules", ".bin")}:${process.env.PATH}` };
  step("protocol lint", [bin("buf"), "lint"], path);
  protocolCompatibility(path);
  generatedCodeIsCurrent(path);
  step("generated tables of the docs", [bin("tsx"), "scripts/generate-docs.mjs", "--check"]);
  step("members that the script editor completes", [
    process.execPath,
    "scripts/playwright-members.mjs",
    "--check",
  ]);
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

function step(title, [command, ...args], environment = {}) {
  console.log(`\n== ${title}`);
  if (tryRun(command, args, environment).status !== 0) failures.push(title);
}

/** The cruiser reports success when it finds nothing to look at: the count is checked too. */
function dependencyRules() {
  console.log("\n== dependency rules");
  const { status, stdout } = spawnSync(
    bin("depcruise"),
    ["--config", ".dependency-cruiser.cjs", ...SOURCE_FOLDERS, "test"],
    { cwd: root, encoding: "utf8" },
  );
  console.log(stdout.trim());
  const cruised = Number(/(\d+) modules/.exec(stdout)?.[1] ?? 0);
  if (status !== 0 || cruised < 1_000)
    failures.push(`dependency rules (${cruised} modules seen, at least 1,000 expected)`);
}

/** Compares the runner protocol with that of the last release, which `npm run proto:release` writes. */
function protocolCompatibility(path) {
  step("protocol compatibility", [bin("buf"), "breaking", "--against", "proto/released.binpb"], path);
}

function generatedCodeIsCurrent(path) {
  console.log("\n== generated code is current");
  const folder = mkdtempSync(join(tmpdir(), "svc-generated-"));
  try {
    const { status } = tryRun(bin("buf"), ["generate", "-o", folder], path);
    const same =
      status === 0 &&
      spawnSync("diff", ["-r", join(folder, "proto/gen"), "proto/gen"], { cwd: root }).status === 0;
    if (!same) failures.push("generated code is current (run: npm run proto)");
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
}

function runTests(title, filters, environment) {
  console.log(`\n== ${title}`);
  const folder = mkdtempSync(join(tmpdir(), "svc-tests-"));
  const report = join(folder, "report.json");
  const args = ["run", "--reporter=default", "--reporter=json", `--outputFile.json=${report}`, ...filters];
  const { status } = tryRun(bin("vitest"), args, environment);
  if (existsSync(report)) {
    const { numPassedTests, numFailedTests, numPendingTests, testResults } = JSON.parse(
      readFileSync(report, "utf8"),
    );
    counts.passed += numPassedTests;
    counts.failed += numFailedTests;
    counts.skipped += numPendingTests;
    for (const file of testResults) rememberNotPassed(file);
  }
  if (status !== 0) failures.push(title);
  rmSync(folder, { recursive: true, force: true });
}

/** The tests of one file that did not run or did not pass; a file that could not be loaded has none and a message. */
function rememberNotPassed(file) {
  const path = relative(root, file.name);
  if (file.status === "failed" && file.assertionResults.length === 0)
    failedTests.push(`${path}: ${begin(file.message)}`);
  for (const test of file.assertionResults) {
    if (test.status === "pending" || test.status === "skipped") leftOut.push(test.fullName);
    if (test.status === "failed")
      failedTests.push(`${path}: ${test.fullName}: ${test.failureMessages.map(begin).join("\n")}`);
  }
}

/** The first 2,000 characters of a message, without its colours and without the lines of a stack in other people's code. */
function begin(message) {
  const lines = stripVTControlCharacters(message).split("\n");
  return lines
    .filter((line) => !/^\s+at .*(node_modules|node:)|^\s+at new Promise/.test(line))
    .join("\n")
    .slice(0, 2_000);
}

async function databaseTestsOnSystemPostgres() {
  const postgresBin = systemPostgresBin();
  if (!postgresBin) {
    leftOut.push(
      "the database's tests on a second PostgreSQL version: install Debian's package postgresql to have them",
    );
    return;
  }
  const postgres = await startSystemPostgres(postgresBin);
  try {
    runTests(`the database's tests on PostgreSQL ${postgres.version}`, databaseTests(), {
      SVC_TEST_POSTGRES_URL: postgres.url,
    });
  } finally {
    postgres.stop();
  }
}

/** Those of the control plane's tests that ask for the shared server; the others have run already. */
function databaseTests() {
  return readdirSync(join(root, "control-plane"), { recursive: true, encoding: "utf8" })
    .filter((path) => path.endsWith(".test.ts") && !path.startsWith("node_modules"))
    .map((path) => join("control-plane", path))
    .filter((path) => readFileSync(join(root, path), "utf8").includes("/test-support/"));
}
