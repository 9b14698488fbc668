import { readFileSync } from "node:fs";
import { join } from "node:path";
import type { CheckAsCode, TeamAsCode } from "@svc/contract";
import { afterAll, beforeAll, expect, test } from "vitest";
import { SECRETS, storeOddRecords } from "./odd-records.ts";
import { type CliStage, setCliStage } from "./stage.ts";

let stage: CliStage;
beforeAll(async () => {
  stage = await setCliStage();
  await storeOddRecords(stage.controlPlane);
}, 120_000);
afterAll(() => stage.strike(), 60_000);

const asCode = (id: string) => stage.controlPlane.ok<CheckAsCode>("GET", `/api/checks/${id}/as-code`);

async function checkIds(): Promise<Map<string, string>> {
  const { checks } = await stage.controlPlane.ok<{ checks: { id: string; name: string }[] }>(
    "GET",
    "/api/checks?view=summary",
  );
  return new Map(checks.map(({ id, name }) => [name, id]));
}

test("a check as code is what pull writes of it, valid, and without a secret", async () => {
  for (const [name, id] of await checkIds()) {
    if (name.startsWith("one page")) continue;
    const { files, secrets, reason, project } = await asCode(id);
    expect({ reason, project }).toEqual({ reason: null, project: null });
    const folder = stage.otherFolder();
    const pulled = await stage.run(["pull", "--monitor", id, "-o", "project", "--json"], { cwd: folder });
    const { data } = JSON.parse(pulled.stdout);
    expect(data.secrets.map((one: { name: string }) => one.name)).toEqual(secrets);
    expect(files.map(({ path }) => join("project", path)).sort()).toEqual(data.files.toSorted());
    for (const { path, text } of files) {
      expect(text).toBe(readFileSync(join(folder, "project", path), "utf8"));
      for (const secret of SECRETS) expect(text).not.toContain(secret);
    }
    const env = Object.fromEntries(secrets.map((variable) => [variable, "https://a.example.com/x"]));
    const validated = await stage.run(["validate"], { cwd: join(folder, "project"), env });
    expect(validated).toMatchObject({ code: 0 });
  }
}, 180_000);

test("all that a team has is exported as pull writes it", async () => {
  const exported = await stage.controlPlane.ok<TeamAsCode>("GET", "/api/as-code?project=exported");
  expect(exported).toMatchObject({ reason: null, unmanaged: [{ kind: "check", name: "one page\n# up" }] });
  const folder = stage.otherFolder();
  const pulled = await stage.run(["pull", "-o", "exported", "--json"], { cwd: folder });
  const { data } = JSON.parse(pulled.stdout);
  expect(data.problems).toEqual([]);
  expect(data.secrets.map(({ name }: { name: string }) => name)).toEqual(exported.secrets);
  expect(exported.files.map(({ path }) => join("exported", path)).sort()).toEqual(data.files.toSorted());
  for (const { path, text } of exported.files) {
    expect([path, text]).toEqual([path, readFileSync(join(folder, "exported", path), "utf8")]);
    for (const secret of SECRETS) expect(text).not.toContain(secret);
  }
}, 180_000);

test("a check that no config can describe is answered with the reason", async () => {
  const id = (await checkIds()).get("one page\n# up") as string;
  expect(await asCode(id)).toEqual({
    project: null,
    files: [],
    secrets: [],
    reason: expect.stringContaining("a browser check of a single URL"),
  });
});

test("a check that a deploy manages names its project, also in the config", async () => {
  const id = (await checkIds()).get("tools") as string;
  await stage.controlPlane.ok("PUT", "/api/deploy-baselines/shop", {
    resources: [{ kind: "check", name: "tools", resourceId: id, hash: "0", updatedAt: "now" }],
  });
  const { project, files } = await asCode(id);
  expect(project).toBe("shop");
  expect(files[0]?.text).toContain("\nproject: shop\n");
});
