/** Alert policies in a config: created after the labels that they need, compared by name, pruned, pulled; the plan names their monitors. */
import { mkdirSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { CONFIG_FOLDER } from "@svc/as-code";
import { afterEach, beforeEach, expect, it } from "vitest";
import { type MemoryService, memoryService } from "../../test-support/memory-service.ts";
import { runSvc, testFolder } from "../../test-support/run-svc.ts";

let folder: ReturnType<typeof testFolder>;
let service: MemoryService;
beforeEach(() => {
  folder = testFolder();
  service = memoryService();
});
afterEach(() => folder.remove());

const CONFIG = `project: p
alertChannels:
  ops: { type: email, addresses: [ops@example.com] }
monitors:
  - { name: Shop, type: http, url: "https://shop.example/", labels: [team:shop, prod] }
  - { name: Office, type: http, url: "http://office.example/", followRedirects: false, labels: [team:shop, prod] }
  - { name: Blog, type: http, url: "https://blog.example/", labels: [prod] }
alertPolicies:
  - name: Shop is down
    labels: [team:shop, prod]
    conditions: [{ type: consecutive_failures }]
    channels: ["@ops"]
`;
const write = (text: string) => writeFileSync(join(folder.path, "svc.config.yaml"), text);
const run = (...args: string[]) =>
  runSvc(args, { cwd: folder.path, fetch: service.fetch, env: { SVC_API_KEY: "sk_test" } });
const svc = (...args: string[]) => run(...args, "--json");
const policyStep = (ran: Awaited<ReturnType<typeof svc>>) =>
  ran.json().data.changes.find(({ kind }: { kind: string }) => kind === "alert_policy");

it("is created once the labels of its monitors are there, and then nothing is left to do", async () => {
  write(CONFIG);
  const first = await svc("deploy");
  expect([first.code, policyStep(first)]).toMatchObject([
    0,
    { type: "create", name: "Shop is down", monitors: ["Office", "Shop"] },
  ]);
  const writes = service.routes.filter((route) => /^(PUT|POST)/.test(route) && !/baselines/.test(route));
  expect(writes.at(-1)).toBe("POST /api/alert-policies");
  expect(service.policies).toMatchObject([
    { name: "Shop is down", labels: ["prod", "team:shop"], enabled: true, confirm: false },
  ]);
  expect(policyStep(await svc("diff")).type).toBe("unchanged");
});

it("shows the monitors for which it holds, without those for which a condition can never hold", async () => {
  write(CONFIG.replace("consecutive_failures", "ssl_expiry"));
  const { stdout } = await run("diff");
  expect(stdout).toContain('+ alert policy "Shop is down"');
  expect(stdout).toContain("    holds for 1 monitor: Shop");
});

it("shows field by field what changes, and which monitors it touches then", async () => {
  write(CONFIG);
  await svc("deploy");
  write(CONFIG.replace("labels: [team:shop, prod]\n    conditions", "labels: [prod]\n    conditions"));
  const step = policyStep(await svc("diff"));
  expect(step).toMatchObject({ type: "update", monitors: ["Blog", "Office", "Shop"] });
  expect(step.fieldChanges.map(({ field }: { field: string }) => field)).toEqual(["labels"]);
  await svc("deploy");
  expect(service.policies).toMatchObject([{ labels: ["prod"] }]);
});

it("also holds for monitors beyond the config, by the labels that the service has of them", async () => {
  write(CONFIG);
  await svc("deploy");
  const blog = service.checks.find(({ name }) => name === "Blog");
  service.labels[String(blog?.id)] = ["prod", "team:shop"];
  write(CONFIG.replace(/ {2}- \{ name: Blog.*\n/, "").replace("Shop is down", "Anything is down"));
  expect(policyStep(await svc("diff"))).toMatchObject({
    type: "create",
    monitors: ["Blog", "Office", "Shop"],
  });
});

it("stays without --prune when the config lacks it, and goes with it", async () => {
  write(CONFIG);
  await svc("deploy");
  write(CONFIG.replace(/alertPolicies:[\s\S]*/, ""));
  const kept = await svc("diff");
  expect([policyStep(kept), kept.json().data.prunable]).toEqual([
    undefined,
    [{ kind: "alert_policy", name: "Shop is down" }],
  ]);
  expect((await svc("deploy", "--prune")).code).toBe(0);
  expect(service.policies).toEqual([]);
});

it("is drift when somebody has changed it on the service", async () => {
  write(CONFIG);
  await svc("deploy");
  Object.assign(service.policies[0] ?? {}, { enabled: false, updatedAt: "2026-06-02T00:00:00.000Z" });
  const ran = await svc("diff");
  expect([ran.code, policyStep(ran)]).toMatchObject([5, { type: "update", drift: "drift" }]);
});

it("is pulled in both layouts, as a config that changes nothing", async () => {
  write(CONFIG);
  await svc("deploy");
  const pulled = await svc("pull", "--force");
  expect([pulled.code, pulled.json().data]).toMatchObject([0, { alertPolicies: 1, problems: [] }]);
  expect(readFileSync(join(folder.path, "svc.config.yaml"), "utf8")).toContain("alertPolicies:");
  const elsewhere = join(folder.path, "parts");
  mkdirSync(elsewhere);
  expect((await svc("pull", "--format", "directory", "-o", elsewhere)).json().data.problems).toEqual([]);
  expect(readFileSync(join(elsewhere, CONFIG_FOLDER, "alert-policies.yaml"), "utf8")).toContain(
    "name: Shop is down",
  );
});

it.each([
  ["an unknown channel", /"@ops"\]\n$/, '"@opps"]\n', 'did you mean "ops"?'],
  ["no labels", "labels: [team:shop, prod]\n    cond", "labels: []\n    cond", "at least one label"],
  ["no monitor's condition", "consecutive_failures", "burn_rate", "alertPolicies[0].conditions[0]"],
  ["a name twice", /(alertPolicies:\n)([\s\S]*)/, "$1$2$2", 'there is another alert policy "Shop is down"'],
])("with %s is refused by validate", async (_title, from, to, message) => {
  write(CONFIG.replace(from, to));
  const ran = await run("validate");
  expect([ran.code, ran.stderr]).toEqual([1, expect.stringContaining(message)]);
});
