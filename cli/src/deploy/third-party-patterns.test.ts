/** Third-party patterns and their SLOs in a config: taken over by name, replaced, pruned, left alone. */
import { readFileSync, rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
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
thirdPartyPatterns:
  - { name: CDN, hostPattern: "*.cdn.example" }
slos:
  - { name: CDN is up, pattern: CDN, target: 99%, window: 7d }
`;
const OTHER_HOST = CONFIG.replace("*.cdn.example", "*.cdn2.example");
const write = (text: string) => writeFileSync(join(folder.path, "svc.config.yaml"), text);
const svc = (...args: string[]) =>
  runSvc([...args, "--json"], { cwd: folder.path, fetch: service.fetch, env: { SVC_API_KEY: "sk_test" } });
const deploy = async (text: string, ...args: string[]) => {
  write(text);
  return await svc("deploy", ...args);
};
const stepsOf = (ran: Awaited<ReturnType<typeof svc>>) =>
  ran.json().data.changes.map(({ type, kind }: { type: string; kind: string }) => `${type} ${kind}`);
/** A pattern or an SLO that somebody made on the service, by no config. */
const madeThere = async (path: string, body: object) => {
  await service.fetch(`http://svc/api/${path}`, { method: "POST", body: JSON.stringify(body) });
};
const writes = () => service.routes.filter((route) => !/^GET|baselines/.test(route));

it("a pattern is created before its SLO, and then nothing is left to do", async () => {
  const first = await deploy(CONFIG);
  expect([first.code, stepsOf(first)]).toEqual([0, ["create third_party_pattern", "create slo"]]);
  expect(service.slos).toMatchObject([
    { sloType: "third_party", patternId: service.patterns[0]?.id, checkId: null },
  ]);
  expect(stepsOf(await svc("diff"))).toEqual(["unchanged third_party_pattern", "unchanged slo"]);
  const pulled = await svc("pull", "--force");
  expect([pulled.code, pulled.json().data]).toMatchObject([
    0,
    { thirdPartyPatterns: 1, slos: 1, problems: [] },
  ]);
  expect(readFileSync(join(folder.path, "svc.config.yaml"), "utf8")).toContain("pattern: CDN");
});

it("a pattern of the name that is there already is taken over", async () => {
  await madeThere("third-party-patterns", { name: "CDN", hostPattern: "*.cdn.example" });
  expect(stepsOf(await deploy(CONFIG))).toEqual(["unchanged third_party_pattern", "create slo"]);
  expect(service.patterns).toHaveLength(1);
});

it("another host replaces the pattern together with its SLO; the plan shows both hosts", async () => {
  await deploy(CONFIG);
  const [former] = service.patterns;
  service.routes.length = 0;
  const ran = await deploy(OTHER_HOST);
  expect([ran.code, stepsOf(ran)]).toEqual([
    0,
    ["delete third_party_pattern", "create third_party_pattern", "delete slo", "create slo"],
  ]);
  expect(ran.json().data.changes[1].fieldChanges).toEqual([
    { field: "hostPattern", oldValue: "*.cdn.example", newValue: "*.cdn2.example" },
  ]);
  expect(writes().map((route) => route.replace(/_\d+$/, ""))).toEqual([
    "DELETE /api/slos/slos",
    "DELETE /api/third-party-patterns/patterns",
    "POST /api/third-party-patterns",
    "POST /api/slos",
  ]);
  const [now] = service.patterns;
  expect([now?.hostPattern, now?.id === former?.id]).toEqual(["*.cdn2.example", false]);
  expect(service.slos).toMatchObject([{ patternId: now?.id }]);
});

it("a pattern of another host that was never deployed from here is a conflict; --accept-remote leaves it and its SLO", async () => {
  await madeThere("third-party-patterns", { name: "CDN", hostPattern: "*.cdn.example" });
  const { id } = service.patterns[0] as { id: string };
  await madeThere("slos", {
    name: "CDN is up",
    sloType: "third_party",
    patternId: id,
    targetBasisPoints: 9_900,
    windowDays: 7,
    burnRateAlertsEnabled: true,
    enabled: true,
    channelIds: [],
  });
  const refused = await deploy(OTHER_HOST);
  expect([refused.code, refused.json().error.code]).toEqual([5, "drift_detected"]);
  expect((await svc("deploy", "--accept-remote")).code).toBe(0);
  expect([service.patterns[0]?.id, service.slos[0]?.patternId]).toEqual([id, id]);
  expect((await svc("deploy", "--force")).code).toBe(0);
  expect(service.patterns).toMatchObject([{ hostPattern: "*.cdn2.example" }]);
});

it("a pattern that an SLO beyond the config is of can't get another host: the error names the SLO", async () => {
  await deploy(CONFIG);
  await madeThere("slos", {
    name: "by hand",
    sloType: "third_party",
    patternId: service.patterns[0]?.id,
    channelIds: [],
  });
  service.routes.length = 0;
  const ran = await deploy(OTHER_HOST);
  expect([ran.code, ran.json().error.message]).toEqual([
    1,
    'the third-party pattern "CDN" can\'t become another host: the SLO "by hand", which is not in the config, is of it',
  ]);
  expect(writes()).toEqual([]);
});

it("an SLO that moves to another pattern, or to a monitor, is deleted and created again", async () => {
  await deploy(CONFIG);
  const twoPatterns = CONFIG.replace("slos:", "  - { name: Fonts, hostPattern: fonts.example }\nslos:");
  const moved = await deploy(twoPatterns.replace("pattern: CDN", "pattern: Fonts"));
  expect(stepsOf(moved).slice(2)).toEqual(["delete slo", "create slo"]);
  expect(service.slos).toMatchObject([{ patternId: service.patterns[1]?.id }]);
  const ofMonitor = await deploy(
    `${twoPatterns.replace("pattern: CDN", "monitor: a")}monitors: [{ name: a, type: http, url: "https://a.example.com" }]\n`,
  );
  expect([ofMonitor.code, stepsOf(ofMonitor).slice(-2)]).toEqual([0, ["delete slo", "create slo"]]);
  expect(service.slos).toMatchObject([{ sloType: "check", checkId: service.checks[0]?.id }]);
});

it("only --prune deletes a pattern and an SLO that the config no longer has, and none that another project's SLO is of", async () => {
  await deploy(CONFIG);
  const empty = "project: p\nmonitors: []\n";
  // Without the state file the other project is not a new name of this one.
  rmSync(join(folder.path, ".svc"), { recursive: true });
  const others = await deploy("project: q\nmonitors: []\n", "--prune");
  expect(others.json().data.leftAlone).toMatchObject([
    {
      kind: "third_party_pattern",
      name: "CDN",
      reason: 'the SLO "CDN is up", which deploys leave alone, is of it',
    },
    { kind: "slo", name: "CDN is up", reason: "deployed by the project p" },
  ]);
  expect((await deploy(empty)).json().data.prunable).toEqual([
    { kind: "third_party_pattern", name: "CDN" },
    { kind: "slo", name: "CDN is up" },
  ]);
  expect([service.patterns, service.slos].map(({ length }) => length)).toEqual([1, 1]);
  expect((await deploy(empty, "--prune")).code).toBe(0);
  expect([service.patterns, service.slos]).toEqual([[], []]);
});

it("the directory layout has patterns too, joined from its files", async () => {
  await deploy(CONFIG);
  folder.remove();
  folder = testFolder();
  expect((await svc("pull", "--format", "directory")).code).toBe(0);
  expect(stepsOf(await svc("diff"))).toEqual(["unchanged third_party_pattern", "unchanged slo"]);
});
