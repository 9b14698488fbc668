/** Monitors that depend on others: written in any order, changed in any way, pulled as they are. */
import { readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { afterEach, beforeEach, expect, it } from "vitest";
import { type MemoryService, memoryService } from "../../test-support/memory-service.ts";
import { runSvc, testFolder } from "../../test-support/run-svc.ts";

let folder: ReturnType<typeof testFolder>;
let service: MemoryService;
let updates: unknown[];
beforeEach(() => {
  folder = testFolder();
  updates = [];
  service = memoryService(({ route, body }) => {
    if (route.startsWith("PUT /api/checks/") && body.dependsOn) updates.push(body.dependsOn);
    return undefined;
  });
});
afterEach(() => folder.remove());

/** Writes a config with these monitors, each with the names that it depends on. */
function write(monitors: Record<string, string[]>, type: Record<string, string> = {}): void {
  const lines = Object.entries(monitors).map(([name, dependsOn]) => {
    const target =
      type[name] === "ping" ? "type: ping, host: a.example" : "type: http, url: https://a.example/";
    return `  - { name: ${name}, ${target}, dependsOn: [${dependsOn.join(", ")}] }`;
  });
  writeFileSync(join(folder.path, "svc.config.yaml"), `project: p\nmonitors:\n${lines.join("\n")}\n`);
}
const svc = (...args: string[]) =>
  runSvc([...args, "--json"], { cwd: folder.path, fetch: service.fetch, env: { SVC_API_KEY: "sk_test" } });
const idOf = (name: string) => String(service.checks.find((check) => check.name === name)?.id);
const namesOf = (name: string) =>
  ((service.checks.find((check) => check.name === name)?.dependsOn ?? []) as string[])
    .map((id) => service.checks.find((check) => check.id === id)?.name ?? id)
    .sort();
const stepsOf = async () =>
  Object.fromEntries(
    (await svc("diff"))
      .json()
      .data.changes.map(({ name, type }: { name: string; type: string }) => [name, type]),
  );

it("a monitor is created before those that it depends on are there, and gets them then", async () => {
  write({ Shop: ["Database", "Cache"], Cache: ["Database"], Database: [] });
  expect((await svc("deploy")).code).toBe(0);
  expect([namesOf("Shop"), namesOf("Cache"), namesOf("Database")]).toEqual([
    ["Cache", "Database"],
    ["Database"],
    [],
  ]);
  expect(await stepsOf()).toEqual({ Shop: "unchanged", Cache: "unchanged", Database: "unchanged" });
});

it("the order of the names is no change; a name more, a name less and none at all are, and are all that is sent", async () => {
  write({ A: [], B: [], C: ["A", "B"] });
  await svc("deploy");
  write({ A: [], B: [], C: ["B", "A"] });
  expect((await stepsOf()).C).toBe("unchanged");
  write({ A: [], B: ["A"], C: ["B"] });
  const { changes } = (await svc("diff")).json().data;
  expect(changes.find(({ name }: { name: string }) => name === "C").fieldChanges).toEqual([
    { field: "dependsOn", oldValue: ["A", "B"], newValue: ["B"] },
  ]);
  await svc("deploy");
  expect([namesOf("B"), namesOf("C")]).toEqual([["A"], ["B"]]);
  write({ A: [], B: [], C: [] });
  await svc("deploy");
  expect([namesOf("B"), namesOf("C")]).toEqual([[], []]);
});

it("where a dependency turns round, the former one goes before the new one comes", async () => {
  write({ A: ["B"], B: [] });
  await svc("deploy");
  updates = [];
  write({ A: [], B: ["A"] });
  await svc("deploy");
  // A is sent without it first; then both are sent as the config has them.
  expect(updates[0]).toEqual([]);
  expect(updates.slice(1)).toEqual(expect.arrayContaining([[], [idOf("A")]]));
  expect([namesOf("A"), namesOf("B")]).toEqual([[], ["A"]]);
});

it("a monitor that is created again under its name has those sent again that depend on it", async () => {
  write({ A: [], B: ["A"] });
  await svc("deploy");
  write({ A: [], B: ["A"] }, { A: "ping" });
  expect((await stepsOf()).B).toBe("update");
});

it("a pull writes names, and the id of a check beyond the config; that deploys without a change", async () => {
  write({ A: [], B: ["A"] });
  await svc("deploy");
  const pulled = await svc("pull", "--force");
  expect(pulled.code).toBe(0);
  const text = readFileSync(join(folder.path, "svc.config.yaml"), "utf8");
  expect(text).toMatch(/dependsOn:\s*(\[ ?A ?\]|\n\s*- A)/);
  expect(await stepsOf()).toEqual({ A: "unchanged", B: "unchanged" });
});

it("ids of checks that the team does not have are named before anything is sent", async () => {
  write({ A: ["chk_01m8hk8sk2enas4y49jhvybya9"] });
  const ran = await svc("deploy");
  expect(ran.code).not.toBe(0);
  expect(ran.json().error.message).toContain(
    "A: dependsOn[0]: there is no monitor chk_01m8hk8sk2enas4y49jhvybya9",
  );
  expect(service.checks).toEqual([]);
});
