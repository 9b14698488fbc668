/** Third-party patterns and their SLOs as code, against a real service: from a config to the service and back. */
import type { Slo, ThirdPartyPattern } from "@svc/contract";
import { afterAll, beforeAll, expect, test } from "vitest";
import { type CliStage, setCliStage } from "./stage.ts";

let stage: CliStage;
beforeAll(async () => {
  stage = await setCliStage();
});
afterAll(() => stage.strike(), 60_000);

const CONFIG = `
project: shop
alertChannels:
  people: { type: email, addresses: [a@example.com] }
thirdPartyPatterns:
  - { name: CDN, hostPattern: "*.CDN.example" }
  - { name: Fonts, hostPattern: fonts.example }
slos:
  - { name: CDN is up, pattern: CDN, target: 99.5%, window: 7d, channels: ["@people"] }
`;
const read = <Answer>(path: string) => stage.controlPlane.ok<Answer>("GET", path);
const patterns = async () =>
  (await read<{ patterns: ThirdPartyPattern[] }>("/api/third-party-patterns")).patterns;
const slos = async () => (await read<{ slos: Slo[] }>("/api/slos")).slos;
const unchanged = { create: 0, update: 0, delete: 0 };

test("deploy, diff, pull, validate and diff again: nothing is left to do, and nothing is lost", async () => {
  stage.write("svc.config.yaml", CONFIG);
  expect(await stage.json(["validate"])).toMatchObject({ code: 0, data: { thirdPartyPatterns: 2, slos: 1 } });
  expect(await stage.json(["deploy"])).toMatchObject({ code: 0, data: { applied: 4 } });
  expect(await stage.json(["diff"])).toMatchObject({ code: 0, data: { summary: unchanged, drift: [] } });
  const cdn = (await patterns()).find(({ name }) => name === "CDN");
  expect(cdn?.hostPattern).toBe("*.cdn.example");
  expect(await slos()).toMatchObject([
    { sloType: "third_party", patternId: cdn?.id, checkId: null, targetBasisPoints: 9950 },
  ]);

  const pulled = await stage.json(["pull", "--force"]);
  expect(pulled).toMatchObject({ code: 0, data: { problems: [], unmanaged: [], thirdPartyPatterns: 2 } });
  expect(stage.read("svc.config.yaml")).toMatch(/pattern: CDN/);
  expect(await stage.json(["validate"])).toMatchObject({ code: 0, data: { thirdPartyPatterns: 2, slos: 1 } });
  expect(await stage.json(["diff"])).toMatchObject({
    code: 0,
    data: { summary: { ...unchanged, unchanged: 4 }, drift: [] },
  });
  expect((await stage.run(["slos", "list"])).stdout).toMatch(/CDN is up +CDN +request/);
});

test("another target changes the SLO; another host replaces the pattern with the SLO; --prune deletes both", async () => {
  const [former] = await slos();
  stage.write("svc.config.yaml", CONFIG.replace("99.5%", "99%"));
  expect((await stage.json(["deploy"])).data.summary).toMatchObject({ update: 1, create: 0, delete: 0 });
  expect(await slos()).toMatchObject([{ id: former?.id, targetBasisPoints: 9900 }]);

  stage.write("svc.config.yaml", CONFIG.replace("*.CDN.example", "cdn2.example"));
  expect(await stage.json(["deploy"])).toMatchObject({
    code: 0,
    data: { summary: { create: 2, delete: 2, update: 0 } },
  });
  const cdn = (await patterns()).find(({ name }) => name === "CDN");
  expect([cdn?.hostPattern, (await slos())[0]?.patternId]).toEqual(["cdn2.example", cdn?.id]);
  expect(await stage.json(["diff"])).toMatchObject({ code: 0, data: { summary: unchanged } });

  stage.write("svc.config.yaml", "project: shop\nmonitors: []\n");
  expect(await stage.json(["deploy", "--prune"])).toMatchObject({ code: 0, data: { applied: 4 } });
  expect([await patterns(), await slos()]).toEqual([[], []]);
});

test("an SLO that somebody changed on the service is drift", async () => {
  stage.write("svc.config.yaml", CONFIG);
  await stage.json(["deploy"]);
  const [slo] = await slos();
  await stage.controlPlane.ok("PUT", `/api/slos/${slo?.id}`, { targetBasisPoints: 9000 });
  expect(await stage.json(["diff"])).toMatchObject({
    code: 5,
    data: { drift: [{ kind: "slo", name: "CDN is up", result: "drift" }] },
  });
  expect(await stage.json(["deploy", "--force"])).toMatchObject({ code: 0, data: { applied: 1 } });
});
