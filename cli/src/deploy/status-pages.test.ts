/** Status pages in a config: compared by slug, with names of monitors in place of ids, pruned, pulled. */
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
monitors:
  - { name: Shop, type: http, url: "https://shop.example/", labels: [team:shop] }
  - { name: Blog, type: http, url: "https://blog.example/" }
statusPages:
  - slug: example-shop
    title: Example Shop
    isPublished: true
    components:
      - { name: Website, monitor: Shop }
      - { name: All, labels: [team:shop, prod] }
`;
const write = (text: string) => writeFileSync(join(folder.path, "svc.config.yaml"), text);
const svc = (...args: string[]) =>
  runSvc([...args, "--json"], { cwd: folder.path, fetch: service.fetch, env: { SVC_API_KEY: "sk_test" } });
const pageStep = (ran: Awaited<ReturnType<typeof svc>>) =>
  ran.json().data.changes.find(({ kind }: { kind: string }) => kind === "status_page");

it("is created with the ids of its monitors, and then nothing is left to do", async () => {
  write(CONFIG);
  const first = await svc("deploy");
  expect([first.code, pageStep(first)]).toMatchObject([0, { type: "create", name: "example-shop" }]);
  const shop = service.checks.find(({ name }) => name === "Shop");
  expect(service.statusPages).toMatchObject([
    {
      slug: "example-shop",
      title: "Example Shop",
      isPublished: true,
      components: [
        { name: "Website", checkId: shop?.id },
        { name: "All", labels: ["prod", "team:shop"] },
      ],
    },
  ]);
  expect(pageStep(await svc("diff")).type).toBe("unchanged");
});

it("shows field by field what changes; the order of components is a change", async () => {
  write(CONFIG);
  await svc("deploy");
  const [website = "", all = ""] = CONFIG.match(/ {6}- .*\n/g) ?? [];
  write(
    CONFIG.replace(website + all, all + website.replace("Shop", "Blog")).replace(
      "isPublished: true",
      "isPublished: false",
    ),
  );
  const step = pageStep(await svc("diff"));
  expect(step.type).toBe("update");
  expect(step.fieldChanges.map(({ field }: { field: string }) => field).sort()).toEqual([
    "components",
    "isPublished",
  ]);
  await svc("deploy");
  const blog = service.checks.find(({ name }) => name === "Blog");
  expect(service.statusPages).toMatchObject([
    { isPublished: false, components: [{ name: "All" }, { name: "Website", checkId: blog?.id }] },
  ]);
});

it("is published by the former name of the field, too, and pulled by the name that the API has", async () => {
  write(CONFIG);
  await svc("deploy");
  write(CONFIG.replace("isPublished", "published"));
  expect(pageStep(await svc("diff")).type).toBe("unchanged");
  write(CONFIG.replace("isPublished: true", "published: false"));
  expect(pageStep(await svc("diff")).fieldChanges).toMatchObject([{ field: "isPublished" }]);
  await svc("pull", "--force");
  expect(readFileSync(join(folder.path, "svc.config.yaml"), "utf8")).toMatch(/^ +isPublished: true$/m);
});

it("stays without --prune when the config lacks it, and goes with it", async () => {
  write(CONFIG);
  await svc("deploy");
  write(CONFIG.replace(/statusPages:[\s\S]*/, ""));
  const kept = await svc("diff");
  expect([pageStep(kept), kept.json().data.prunable]).toEqual([
    undefined,
    [{ kind: "status_page", name: "example-shop" }],
  ]);
  expect((await svc("deploy", "--prune")).code).toBe(0);
  expect(service.statusPages).toEqual([]);
});

it("is drift when somebody has changed it on the service", async () => {
  write(CONFIG);
  await svc("deploy");
  Object.assign(service.statusPages[0] ?? {}, { title: "Other", updatedAt: "2026-06-02T00:00:00.000Z" });
  const ran = await svc("diff");
  expect([ran.code, pageStep(ran)]).toMatchObject([5, { type: "update", drift: "drift" }]);
});

it("is pulled in both layouts, as a config that changes nothing", async () => {
  write(CONFIG);
  await svc("deploy");
  const pulled = await svc("pull", "--force");
  expect([pulled.code, pulled.json().data]).toMatchObject([0, { statusPages: 1, problems: [] }]);
  expect(readFileSync(join(folder.path, "svc.config.yaml"), "utf8")).toContain("slug: example-shop");
  const elsewhere = join(folder.path, "parts");
  mkdirSync(elsewhere);
  expect((await svc("pull", "--format", "directory", "-o", elsewhere)).json().data.problems).toEqual([]);
  expect(readFileSync(join(elsewhere, CONFIG_FOLDER, "status-pages.yaml"), "utf8")).toContain(
    "monitor: Shop",
  );
});

it.each([
  [
    "an unknown monitor",
    "monitor: Shop",
    "monitor: Shob",
    'there is no monitor "Shob"; did you mean "Shop"?',
  ],
  ["a component without checks", ", monitor: Shop", "", "a component has a monitor, or labels"],
  ["a slug that is no part of an address", "slug: example-shop", "slug: Example", "lower case letters"],
  [
    "a field by both of its names",
    "isPublished: true",
    "isPublished: true\n    published: false",
    "the former name of isPublished, which is there, too",
  ],
  ["a slug twice", /(statusPages:\n)([\s\S]*)/, "$1$2$2", 'there is another status page "example-shop"'],
  [
    "a name of a component twice",
    "name: All",
    "name: Website",
    "another component of the page has this name",
  ],
])("with %s is refused by validate", async (_title, from, to, message) => {
  write(CONFIG.replace(from, to));
  const ran = await svc("validate");
  expect([ran.code, ran.stdout]).toEqual([1, expect.stringContaining(message.replaceAll('"', '\\"'))]);
});
