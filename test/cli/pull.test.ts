import { existsSync, readFileSync } from "node:fs";
import { join } from "node:path";
import type { Check } from "@svc/contract";
import { afterAll, beforeAll, expect, test } from "vitest";
import { SECRETS, storeOddRecords } from "./odd-records.ts";
import { type CliStage, setCliStage } from "./stage.ts";

let stage: CliStage;
beforeAll(async () => {
  stage = await setCliStage();
  await storeOddRecords(stage.controlPlane);
});
afterAll(() => stage.strike(), 60_000);

interface Pulled {
  code: number;
  data: {
    files: string[];
    secrets: { name: string; isSet: boolean }[];
    unmanaged: { name: string }[];
    problems: string[];
    maintenanceWindowsNotWritten: number;
  };
}

/** Values of the variables that a pull names, looked up by what they are about. */
function environment({ data }: Pulled): Record<string, string> {
  const byName: [RegExp, string][] = [
    [/CHAT_WEBHOOKURL/, "https://chat.example.com/s3cret-chat-hook"],
    [/WEB_URL$/, "https://hooks.example.com/s3cret-web-hook"],
    [/WEB_X_TOKEN/, "s3cret-web-header"],
    [/ROUTINGKEY/, "s3cret-routing"],
    [/DESK_USERNAME/, "s3cret-snow-user"],
    [/DESK_PASSWORD/, "s3cret-snow-password"],
    [/URL_USER$/, "s3cret-url-user"],
    [/URL_PASSWORD$/, "s3cret-url-password"],
    [/URL_TOKEN$/, "s3cret-url-token"],
    [/X_AUTH$/, "s3cret-header"],
    [/AUTHORIZATION$/, "s3cret-bearer"],
    [/USERNAME$/, "s3cret-basic-user"],
    [/PASSWORD$/, "s3cret-basic-password"],
    [/TOOLS_VALUE$/, "s3cret-mcp-key"],
    [/TOOLS_TOKEN$/, "s3cret-tool-token"],
  ];
  return Object.fromEntries(
    data.secrets.map(({ name }) => [name, byName.find(([pattern]) => pattern.test(name))?.[1] ?? name]),
  );
}

const unchanged = (answer: { data: { summary: Record<string, number> } }) => {
  const { unchanged: count = 0, ...rest } = answer.data.summary;
  expect(rest).toEqual({ create: 0, update: 0, delete: 0 });
  return count;
};

test.each(["file", "directory"])(
  "what a pull writes as a %s deploys to no change, and holds no secret",
  async (format) => {
    const folder = stage.otherFolder();
    const run = async (args: string[], env: Record<string, string> = {}) => {
      const { code, stdout, stderr } = await stage.run([...args, "--json"], { cwd: folder, env });
      return { code, stderr, ...JSON.parse(stdout) };
    };
    const pulled = await run(["pull", "--format", format]);
    expect(pulled).toMatchObject({
      code: 0,
      ok: true,
      data: { problems: [], maintenanceWindowsNotWritten: 1 },
    });
    expect(pulled.data.unmanaged).toMatchObject([{ name: "one page\n# up" }]);
    expect(pulled.stderr).toMatch(/"one page # up" .* is not written: a browser monitor of a single URL/);
    expect(pulled.data.secrets.every(({ isSet }: { isSet: boolean }) => !isSet)).toBe(true);
    const texts = pulled.data.files.map((path: string) => readFileSync(join(folder, path), "utf8"));
    for (const secret of SECRETS) {
      expect(texts.join("\n")).not.toContain(secret);
      expect(JSON.stringify(pulled)).not.toContain(secret);
    }
    expect(texts.join("\n")).toMatch(/^# Not written: "one page\\n# up" \(chk_\w+\)/m);
    const scripts = pulled.data.files.filter((path: string) => path.endsWith(".ts")).sort();
    const where = format === "file" ? "monitors" : "svc.config/monitors";
    expect(scripts).toEqual([`${where}/flow-2.ts`, `${where}/flow.ts`]);

    const env = environment(pulled);
    expect(Object.values(env).sort()).toEqual(
      SECRETS.map((secret) =>
        secret === "s3cret-chat-hook"
          ? `https://chat.example.com/${secret}`
          : secret === "s3cret-web-hook"
            ? `https://hooks.example.com/${secret}`
            : secret,
      ).sort(),
    );
    const diff = await run(["diff"], env);
    expect(diff).toMatchObject({ code: 0, data: { drift: [] } });
    expect(unchanged(diff)).toBe(7 + 4 + 4 + 2 + 1);
    // Nothing differs, and the variables are found again: another pull writes nothing.
    const again = await run(["pull", "--format", format], env);
    expect(again).toMatchObject({ code: 0, data: { problems: [] } });
    expect(again.data.secrets).toEqual(
      pulled.data.secrets.map(({ name }: { name: string }) => ({ name, isSet: true })),
    );
  },
);

test("a pull is a clean baseline: what changes on the service afterwards is drift", async () => {
  const folder = stage.otherFolder();
  const { stdout } = await stage.run(["pull", "--json"], { cwd: folder });
  const env = environment(JSON.parse(stdout));
  const { checks } = await stage.controlPlane.ok<{ checks: Check[] }>("GET", "/api/checks");
  const tools = checks.find(({ name }) => name === "tools") as Check;
  await stage.controlPlane.ok("PUT", `/api/checks/${tools.id}`, { frequencySeconds: 600 });
  expect((await stage.run(["diff"], { cwd: folder, env })).code).toBe(5);
  const refused = await stage.run(["pull"], { cwd: folder, env });
  expect(refused).toMatchObject({ code: 1 });
  expect(refused.stderr).toContain("svc.config.yaml would be overwritten; nothing was written");
  expect((await stage.run(["pull", "--force"], { cwd: folder, env })).code).toBe(0);
  expect((await stage.run(["diff"], { cwd: folder, env })).code).toBe(0);
});

test("one monitor is pulled by its name, with its channels; one of a single URL can't be", async () => {
  const folder = stage.otherFolder();
  const { code, stdout } = await stage.run(["pull", "--monitor", "TOOLS", "-o", "sub", "--json"], {
    cwd: folder,
  });
  expect({ code, ...JSON.parse(stdout) }).toMatchObject({
    code: 0,
    data: { monitors: 1, channels: 1, slos: 0, files: ["sub/svc.config.yaml"] },
  });
  expect(existsSync(join(folder, "sub/.svc/.deploy-state.json"))).toBe(true);
  const refused = await stage.run(["pull", "--monitor", "one page\n# up"], { cwd: folder });
  expect(refused).toMatchObject({ code: 1 });
  expect(refused.stderr).toContain("is a browser monitor of a single URL; a config can't describe it");
  const absent = await stage.run(["pull", "--monitor", "tolls"], { cwd: folder });
  expect(absent.stderr).toContain('no monitor "tolls"; did you mean "tools"?');
});

test("a secret in a header's name is not written; the pull tells that its config differs", async () => {
  const folder = stage.otherFolder();
  await stage.controlPlane.ok("POST", "/api/checks", {
    name: "key",
    type: "http",
    locations: ["loc_us_east"],
    frequencySeconds: 3600,
    httpConfig: { url: "https://a.example.com/", headers: { "X-s3cret-in-a-key": "another-one" } },
  });
  const env = { SVC_SECRET_K: "s3cret-in-a-key" };
  const { code, stdout, stderr } = await stage.run(["pull", "--monitor", "key", "--json"], {
    cwd: folder,
    env,
  });
  expect(code).toBe(4);
  const text = readFileSync(join(folder, "svc.config.yaml"), "utf8");
  expect(text).toContain("X-***REDACTED***");
  expect(JSON.parse(stdout).data.problems).not.toEqual([]);
  expect(text + stdout + stderr).not.toContain("s3cret-in-a-key");
});
