/** `svc import`: what it writes and refuses. The conversions themselves are tested in the package as-code. */
import { existsSync, mkdirSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { afterEach, beforeEach, expect, it } from "vitest";
import { type RunOptions, runSvc, testFolder } from "../../test-support/run-svc.ts";

let folder: ReturnType<typeof testFolder>;
beforeEach(() => {
  folder = testFolder();
});
afterEach(() => folder.remove());

const GATUS = `
alerting: { slack: { webhook-url: "https://hooks.example.com/slack-path-1" } }
endpoints:
  - name: home
    url: "https://\${HOST}/"
    headers: { Authorization: "Bearer token-value-1" }
    conditions: ["[STATUS] == 200", "[IP] == 127.0.0.1"]
    alerts: [{ type: slack }]
`;
const BROWSER = [
  {
    checkType: "BROWSER",
    name: "Buy",
    frequency: 5,
    locations: ["eu-west-1"],
    script: 'import "@playwright/test";\n',
  },
];

function write(path: string, text: string | object): void {
  writeFileSync(join(folder.path, path), typeof text === "string" ? text : JSON.stringify(text));
}

const svc = (args: readonly string[], options: RunOptions = {}) =>
  runSvc(args, { cwd: folder.path, ...options });
const read = (path: string) => readFileSync(join(folder.path, path), "utf8");

it("writes a config that svc validate takes, and lists what is not carried over and which secrets to set", async () => {
  write("config.yaml", GATUS);
  const { code, stdout } = await svc(["import", "--from", "gatus", "config.yaml"]);
  expect(code).toBe(0);
  expect(stdout).toContain("1 monitor, 1 alert rule, 1 channel\n");
  expect(stdout).toContain('config.yaml, endpoints[0].conditions[1]: "home": no assertion says');
  expect(stdout).toMatch(/SVC_SECRET_HOME_AUTHORIZATION +not set here/);
  const text = read("svc.config.yaml");
  expect(text).toContain("url: https://{{secrets.HOST}}/");
  expect(text + stdout).not.toMatch(/token-value-1|slack-path-1/);
  const env = {
    HOST: "example.org",
    SVC_SECRET_HOME_AUTHORIZATION: "x",
    SVC_SECRET_SLACK_WEBHOOKURL: "https://a.example.com",
  };
  expect((await svc(["validate"], { env })).stdout).toContain("1 monitor");
});

it("tells in --json where each note stood, and which variables are set", async () => {
  write("config.yaml", GATUS);
  const { data } = (
    await svc(["import", "--from", "gatus", "config.yaml", "--json"], { env: { HOST: "a" } })
  ).json();
  expect(data).toMatchObject({
    from: "gatus",
    files: ["svc.config.yaml"],
    monitors: 1,
    alerts: 1,
    monitorsLeftOut: 0,
  });
  expect(data.notes[0]).toMatchObject({
    file: "config.yaml",
    path: "endpoints[0].conditions[1]",
    effect: "left_out",
  });
  expect(data.secrets).toContainEqual({ name: "SVC_SECRET_HOST", isSet: true });
});

it("an existing config stays unless --force is given, and keeps the name of its project", async () => {
  write("config.yaml", GATUS);
  write("svc.config.yaml", "project: mine\nmonitors: []\n");
  const refused = await svc(["import", "--from", "gatus", "config.yaml"]);
  expect([refused.code, refused.stderr]).toEqual([
    1,
    expect.stringContaining("svc.config.yaml would be overwritten"),
  ]);
  expect(read("svc.config.yaml")).toBe("project: mine\nmonitors: []\n");
  expect((await svc(["import", "--from", "gatus", "config.yaml", "--force"])).code).toBe(0);
  expect(read("svc.config.yaml")).toContain("project: mine");
});

it("reads a folder or stdin, and writes to the file and with the location that were asked for", async () => {
  mkdirSync(join(folder.path, "export"));
  write("export/checks.json", BROWSER);
  write("export/notes.txt", "no export");
  expect((await svc(["import", "--from", "checkly", "export", "--output", "out/shop.yaml"])).code).toBe(0);
  expect(read("out/monitors/buy.ts")).toBe('import "@playwright/test";\n');
  const options = { stdin: GATUS };
  const piped = await svc(
    ["import", "--from", "gatus", "-", "--output", "b", "--location", "loc_eu_west,loc_1"],
    options,
  );
  expect(piped.code).toBe(0);
  expect(read("b/svc.config.yaml")).toContain("- loc_eu_west\n    - loc_1");
});

it.each<[string, string[], string]>([
  ["no source", ["x"], "--from is required"],
  ["no path", ["--from", "gatus"], "the path of the export is required"],
  ["no such file", ["--from", "gatus", "none.yaml"], "none.yaml there is no such file"],
  ["an empty folder", ["--from", "gatus", "."], "holds no file with the extension"],
  ["an unknown source", ["--from", "nagios", "."], "nagios"],
  ["no location's id", ["--from", "gatus", ".", "--location", "Berlin"], '--location is "Berlin"'],
  ["stdin that is a terminal", ["--from", "gatus", "-"], "read from stdin"],
])("refuses %s", async (_title, args, message) => {
  const { code, stderr } = await svc(["import", ...args]);
  expect([code, stderr]).toEqual([1, expect.stringContaining(message)]);
});

it("names the tool that a file looks like", async () => {
  write("config.yaml", GATUS);
  const { code, stderr } = await svc(["import", "--from", "datadog", "config.yaml"]);
  expect([code, stderr]).toEqual([
    1,
    expect.stringContaining("looks like an export of Gatus (--from gatus)"),
  ]);
  expect(existsSync(join(folder.path, "svc.config.yaml"))).toBe(false);
});

it("a source that nothing is imported from yet is reported, with exit code 1, and nothing is written", async () => {
  const { code, json } = await svc(["import", "--from", "playwright", "--json"]);
  expect(code).toBe(1);
  expect(json().error.details).toMatchObject({ from: "playwright", path: null, output: ".", imported: 0 });
});

it("says that a location is looked up by the deploy alone, and where monitors run that name none", async () => {
  write("config.yaml", GATUS);
  const { code, stdout } = await svc(["import", "--from", "gatus", "config.yaml", "--location", "loc_nope"]);
  expect(code).toBe(0);
  expect(stdout).toContain("at loc_nope now (--location; svc deploy checks that there is such a location)");
  expect(stdout).toContain("Nothing was asked of svc: svc deploy checks that the locations are there.\n");
});
