/**
 * The promise of docs/develop/adding-a-member.md, kept with one made-up member per family: in a copy of the project
 * that has the members' own files and their lines in the registries, and no other edit, everything compiles, the parity
 * tests pass, the docs have the members' words, and each member works.
 */
import { readFileSync } from "node:fs";
import { join } from "node:path";
import { afterAll, beforeAll, expect, inject, test } from "vitest";
import { ROOT } from "../harness/control-plane.ts";
import { addMemberFiles, copyProject, type Ended, type ProjectCopy } from "./project-copy.ts";
import { REGISTRY_LINES } from "./registry-lines.ts";

/** Tests that say when a side of a member is missing. */
const FAMILY_TESTS = [
  "probes/src/families.test.ts",
  "control-plane/src/families.test.ts",
  "control-plane/src/outbox/incident-occasions/registry.test.ts",
  "control-plane/src/response/analysis/rules/registry.test.ts",
];
/** Further tests that look at every member. */
const MEMBER_TESTS = [
  "contract/src/assertions/assertions.test.ts",
  "contract/src/channels/channels.test.ts",
  "contract/src/conditions/conditions.test.ts",
  "cli/src/program/docs.test.ts",
  "contract/src/events/events.test.ts",
  "control-plane/src/outbox/channels/registry.test.ts",
  "control-plane/src/response/hypothesis/rules/registry.test.ts",
  "control-plane/src/telemetry/documentation.test.ts",
  "control-plane/src/telemetry/feed/sources/registry.test.ts",
  "control-plane/src/telemetry/records/derived-records.test.ts",
  "test/cli/dashboard-attributes.test.ts",
];

let copy: ProjectCopy;
beforeAll(() => {
  copy = copyProject();
  addMemberFiles(copy);
  copy.register(REGISTRY_LINES);
});
afterAll(() => copy?.remove());

/** Runs tests in the copy, on the server of this run. */
function runTests(files: readonly string[]): Promise<Ended> {
  const args = [
    "run",
    "--config",
    "test/families/scenarios/vitest.config.ts",
    "--reporter=verbose",
    ...files,
  ];
  return copy.run("vitest", args, {
    withinMs: 400_000,
    environment: { SVC_TEST_POSTGRES_URL: inject("testPostgresUrl") },
  });
}

/** Entries of the programs. What they import is checked in two thirds of the time that everything with its tests takes. */
const PROGRAMS = ["control-plane/src/app/cli.ts", "runner-agent/src/main.ts", "cli/src/main.ts"];

test("a member's files and lines compile", async () => {
  const settings = { extends: "./tsconfig.json", include: [], files: PROGRAMS };
  copy.write("tsconfig.programs.json", JSON.stringify(settings));
  const { code, output } = await copy.run("tsc", ["-p", "tsconfig.programs.json"], { withinMs: 500_000 });
  expect([code, output]).toEqual([0, ""]);
}, 510_000);

test("the members' words come into the docs", async () => {
  const { code, output } = await copy.run("tsx", ["scripts/generate-docs.mjs"], { withinMs: 120_000 });
  expect([code, output]).toEqual([0, expect.stringContaining("wrote docs/")]);
  const tables: [page: string, row: string][] = [
    ["http-checks", "| `body_size` | the body has at most `maxBytes` bytes |"],
    ["http-checks", "| `humans_txt` | `/humans.txt` names somebody |"],
    ["alerting", "| `status_code_seen` | `code` (418) |"],
    ["notifications", "| `balloon` | people | `landingUrl` | A note that a balloon can carry |"],
    ["rest-api", "| `check.dawdled` | a result came in, sooner or later |"],
    ["telemetry", "| `synthetics.balloon.lost` | a balloon did not come back | WARN |"],
    ["incidents", "| `handed_over` | someone handed the incident over |"],
    ["analysis", "| `too_quiet` | nobody complains | info |"],
    ["cli", "| `monitors praise <name>` | `--loudly` | praise a monitor | `praised` |"],
  ];
  const missing = tables.filter(([page, row]) => !copy.read(`docs/${page}.md`).includes(row));
  expect(missing).toEqual([]);
});

test("a command's file and line are enough for help, completion and running it", async () => {
  const svc = (...words: string[]) =>
    copy.run("tsx", ["cli/src/main.ts", ...words], { withinMs: 60_000, environment: { CI: "1" } });
  expect((await svc("monitors")).output).toMatch(/^ {2}monitors praise +praise a monitor$/m);
  expect((await svc("monitors", "praise", "--help")).output).toContain("so that all can hear it");
  expect((await svc("complete", "--", "monitors", "pr")).output).toBe("praise\n");
  expect(await svc("monitors", "praise", "Checkout", "--loudly")).toEqual({
    code: 0,
    output: "Well done, Checkout!\n",
  });
}, 250_000);

test("the parity tests pass, and every member works", async () => {
  const build = 'import("./scripts/build.mjs").then(({ build }) => build())';
  await copy.run("tsx", ["-e", build], { withinMs: 120_000 });
  const { code, output } = await runTests(["test/families/scenarios/", ...FAMILY_TESTS, ...MEMBER_TESTS]);
  expect(code, output).toBe(0);
}, 560_000);

test("a member that is described but works nowhere is named by a parity test", async () => {
  const works = REGISTRY_LINES.filter(({ registry }) => !registry.startsWith("contract/"));
  for (const { registry } of works) copy.write(registry, readFileSync(join(ROOT, registry), "utf8"));
  const { code, output } = await runTests(FAMILY_TESTS);
  expect(code).toBe(1);
  const named = [
    "body_size",
    "humans_txt",
    "status_code_seen",
    "balloon",
    "greeting",
    "too_quiet",
    "handed_over",
  ];
  expect(named.filter((name) => !output.includes(`"${name}"`))).toEqual([]);
}, 560_000);
