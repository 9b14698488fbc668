/**
 * `npm test`: everything that can run on this machine. Installs what is missing and builds; then two lines of work go on
 * side by side, so that the processor has something to do while tests wait. One line is the tests of whole processes, which
 * wait more than they compute. The other one, at a lower priority, checks types, style, the dependency rules and the
 * generated code, runs the tests beside the code, and the database's own once more on a PostgreSQL of the system when there
 * is one. What is left out is said, with the way to have it.
 */
import { existsSync, mkdtempSync, readdirSync, readFileSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join, relative } from "node:path";
import { stripVTControlCharacters } from "node:util";
import { build } from "./build.mjs";
import { bin, ensureInstalled, ensureNode, root, runBeside } from "./ensure.mjs";
import { staticChecks } from "./static-checks.mjs";
import { startSystemPostgres, systemPostgresBin, systemPostgresHasCitus } from "./system-postgres.mjs";

ensureNode();
ensureInstalled();
await build();

const failures = [];
const leftOut = [];
/** Each test that failed, with the begin of its message: the end of a long log is what a person reads first. */
const failedTests = [];
const counts = { passed: 0, failed: 0, skipped: 0 };
const only = process.argv.slice(2);

if (only.length === 0) await Promise.all([testsThatWait(), checksAndTestsThatCompute()]);
else await runTests("tests", only, { niceness: 0 });
if (!process.env.SVC_TEST_CITUS_URL)
  leftOut.push("tests on Citus: set SVC_TEST_CITUS_URL to a coordinator to have them, see docs/citus.md");
if (!systemPostgresHasCitus())
  leftOut.push("faults of a cluster of Citus: the installed PostgreSQL has no Citus, see docs/citus.md");

for (const line of leftOut) console.log(`left out: ${line}`);
for (const line of failedTests) console.log(`FAILED: ${line}`);
for (const line of failures) console.log(`FAILED: ${line}`);
console.log(`${counts.passed} passed, ${counts.failed} failed, ${counts.skipped} skipped`);
process.exit(failures.length > 0 || counts.failed > 0 || counts.passed === 0 ? 1 : 0);

/** Tests of whole processes, and those that measure: nothing goes before them. */
async function testsThatWait() {
  const projects = ["--project=across-packages", "--project=measuring"];
  await runTests("tests of processes", projects, { niceness: 0 });
}

async function checksAndTestsThatCompute() {
  failures.push(...(await staticChecks()));
  // Both cores of the smallest machine when nothing else runs; more would only wait for each other.
  await runTests("tests beside the code", ["--project=beside-code", "--maxWorkers=2"]);
  await databaseTestsOnSystemPostgres();
}

async function runTests(title, words, options = {}) {
  console.log(`\n== ${title}`);
  const folder = mkdtempSync(join(tmpdir(), "svc-tests-"));
  const report = join(folder, "report.json");
  const args = ["run", "--reporter=default", "--reporter=json", `--outputFile.json=${report}`, ...words];
  const { status } = await runBeside(bin("vitest"), args, options);
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

/**
 * The tests of one file that did not run or did not pass. A file that could not be loaded, or that left something behind in
 * its process, has a message instead of a failed test.
 */
function rememberNotPassed(file) {
  const path = relative(root, file.name);
  if (file.status === "failed" && !file.assertionResults.some(({ status }) => status === "failed"))
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
  return (
    lines
      // The report has the stack without the message of a test that ran out of time.
      .map((line) => line.replace("STACK_TRACE_ERROR", "ran out of its time limit"))
      .filter((line) => !/^\s+at .*(node_modules|node:)|^\s+at new Promise/.test(line))
      .join("\n")
      .slice(0, 2_000)
  );
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
    const words = [...databaseTests(), "--project=beside-code", "--project=measuring", "--maxWorkers=2"];
    await runTests(`the database's tests on PostgreSQL ${postgres.version}`, words, {
      environment: { SVC_TEST_POSTGRES_URL: postgres.url },
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
