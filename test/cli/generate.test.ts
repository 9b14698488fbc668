/** `svc generate` against a real service: what it writes is what `svc validate` and `svc diff` accept. */
import { readFileSync } from "node:fs";
import { join } from "node:path";
import { afterAll, beforeAll, expect, test } from "vitest";
import { stringify } from "yaml";
import { startModelEndpoint } from "../harness/model-endpoint.ts";
import { SECRETS, storeOddRecords } from "./odd-records.ts";
import { type CliStage, setCliStage } from "./stage.ts";

let stage: CliStage;
let model: Awaited<ReturnType<typeof startModelEndpoint>>;
beforeAll(async () => {
  model = await startModelEndpoint();
  stage = await setCliStage(model.environment);
  await storeOddRecords(stage.controlPlane);
});
afterAll(async () => {
  model?.close();
  await stage?.strike();
});

const FRAGMENT_OF = (name: string) =>
  stringify({
    monitors: [
      {
        name,
        alerts: [{ name: "Proposed", conditions: [{ type: "missed_runs" }], channels: ["@proposed"] }],
      },
    ],
    alertChannels: { proposed: { type: "email", addresses: ["oncall@example.com"] } },
  });

test("a rule for each monitor, however oddly it is made, comes as a whole config that a deploy accepts", async () => {
  const { checks } = await stage.controlPlane.ok<{ checks: { name: string }[] }>(
    "GET",
    "/api/checks?view=summary",
  );
  const described = checks.filter(({ name }) => !name.startsWith("one page"));
  expect(described.length).toBeGreaterThan(3);
  for (const { name } of described) {
    model.answerWith(() => `It adds a rule.\n\`\`\`yaml\n${FRAGMENT_OF(name)}\`\`\``);
    const folder = stage.otherFolder();
    const args = ["generate", "tell me when runs are missing", "--output", "svc.config.yaml", "--json"];
    const generated = await stage.run(args, { cwd: folder });
    expect(generated).toMatchObject({ code: 0 });
    const { data } = JSON.parse(generated.stdout);
    expect(data.plan.changes).toMatchObject([
      { type: "create", kind: "channel", name: "proposed" },
      { type: "create", kind: "alert" },
    ]);
    for (const path of data.files)
      for (const secret of SECRETS) expect(readFileSync(join(folder, path), "utf8")).not.toContain(secret);
    const env = Object.fromEntries(
      data.secrets.map((variable: string) => [variable, "https://a.example.com/x"]),
    );
    expect(await stage.run(["validate"], { cwd: folder, env })).toMatchObject({ code: 0 });
  }
});

test("it prints the config, and beside it what it would change and what it could not do", async () => {
  const fragment = "slos: [{ name: S, monitor: nowhere, target: 99%, window: 7d }]";
  model.answerWith(({ input }) => {
    const isFirst = !("lastTry" in input && input.lastTry);
    const words = "An SLO.\nWarning: nothing was said about its window.";
    return `${words}\n\`\`\`yaml\n${isFirst ? fragment : `${fragment.replace("monitor: nowhere", "pattern: CDN")}\nthirdPartyPatterns: [{ name: CDN, hostPattern: "*.cdn.example.com" }]`}\n\`\`\``;
  });
  const { code, stdout, stderr } = await stage.run(["generate", "an SLO for the CDN"], {
    cwd: stage.otherFolder(),
  });
  expect([code, stdout]).toEqual([0, expect.stringContaining("pattern: CDN")]);
  expect(stderr).toMatch(/nothing was said about its window[\s\S]*\+ SLO "S"[\s\S]*Nothing was applied/);
  expect(model.asked).toHaveLength(2);
  const { slos } = await stage.controlPlane.ok<{ slos: { name: string }[] }>("GET", "/api/slos");
  expect(slos.some(({ name }) => name === "S")).toBe(false);
});

test("a model that writes nothing valid ends it with what was wrong, and no file", async () => {
  model.answerWith(() => "```yaml\nmonitors: [{ name: X, type: carrier_pigeon }]\n```");
  const folder = stage.otherFolder();
  const { code, stderr } = await stage.run(["generate", "watch the pigeons, please", "--output", "a.yaml"], {
    cwd: folder,
  });
  expect([code, stderr]).toEqual([expect.any(Number), expect.stringMatching(/no valid config[\s\S]*type/)]);
  expect(code).not.toBe(0);
  expect(() => readFileSync(join(folder, "a.yaml"))).toThrow();
});
