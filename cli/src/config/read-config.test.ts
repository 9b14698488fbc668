/** Mistakes in a config, and the messages about them: file, line, column, path and the way out. */
import { spawnSync } from "node:child_process";
import { chmodSync, mkdirSync, symlinkSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { runSvc, testFolder } from "../../test-support/run-svc.ts";

let folder: ReturnType<typeof testFolder>;
beforeEach(() => {
  folder = testFolder();
});
afterEach(() => folder.remove());

function write(path: string, text: string): void {
  mkdirSync(dirname(join(folder.path, path)), { recursive: true });
  writeFileSync(join(folder.path, path), text);
}

const problemsOf = (ran: { json(): { error: { details: { problems: Record<string, unknown>[] } } } }) =>
  ran
    .json()
    .error.details.problems.map(
      ({ file, line, column, path, message }) => `${file}:${line ?? ""}:${column ?? ""} ${path} ${message}`,
    );

async function validate(files: string | Record<string, string>, env: Record<string, string> = {}) {
  for (const [path, text] of Object.entries(typeof files === "string" ? { "svc.config.yaml": files } : files))
    write(path, text);
  const ran = await runSvc(["validate", "--json"], { cwd: folder.path, env });
  return { ...ran, problems: ran.code === 0 ? [] : problemsOf(ran) };
}

const MONITOR = "  - { name: a, type: http, url: https://a.example.com }\n";

const ELEVEN = Array.from({ length: 11 }, (_, i) => `m${i}`);

describe("refused, with the position and the way out", () => {
  it.each<[string, string, string[]]>([
    ["broken YAML", "project: [a\n", ["svc.config.yaml:2:1  not valid YAML: "]],
    [
      "a tab as indentation",
      `project: p\nmonitors:\n\t- name: a\n`,
      ["svc.config.yaml:3:1  YAML takes no tabs as indentation; use spaces"],
    ],
    [
      "a key that is there twice",
      `project: p\nproject: q\n`,
      ['svc.config.yaml:2:1  the key "project" is there twice'],
    ],
    [
      "a channel reference without quotes, with the way to write it",
      "project: p\nx-a:\n  - @ops\n",
      ['a channel reference needs quotes: "@ops"'],
    ],
    [
      "channels that no incident event is sent to, in a rota and in a step of the incident policy",
      `project: p
alertChannels:
  hook: { type: webhook, url: https://hook.example.com, incidentSubscribed: false }
rotas:
  - { name: r, startsAt: 2026-01-05T09:00:00Z, handover: { type: hourly, everyHours: 12 }, members: [{ name: Ada, channels: ["@hook"] }] }
incidentPolicy:
  steps:
    - { afterMinutes: 5, channels: ["@hook"] }
`,
      [
        "rotas[0].members[0].channels[0] with incidentSubscribed: false no incident event is sent: @hook",
        "svc.config.yaml:8:37 incidentPolicy.steps[0].channels[0] with incidentSubscribed: false no incident event is sent: @hook",
      ],
    ],
    [
      "the location of reports for a monitor that is probed, its own or inherited",
      `project: p
defaults: { locations: [loc_us_east, loc_push] }
monitors:
  - { name: a, type: tcp, host: a.example.com, port: 25, locations: [loc_push] }
  - { name: b, type: http, url: https://a.example.com }
  - { name: c, type: heartbeat, period: 5m }
`,
      [
        'monitors[0].locations[0] loc_push is for monitors that report by themselves; "a" is probed',
        'defaults.locations[1] loc_push is for monitors that report by themselves; "b" is probed',
      ],
    ],
    [
      "a monitor that depends on one that is not there",
      `project: p\nmonitors:\n  - { name: ab, type: http, url: https://a.example.com }\n  - { name: b, type: http, url: https://a.example.com, dependsOn: [AB] }\n`,
      ['svc.config.yaml:4:68 monitors[1].dependsOn[0] there is no monitor "AB"; did you mean "ab"?'],
    ],
    [
      "monitors that depend on each other in a circle, once for each circle",
      `project: p\nmonitors:\n  - { name: a, type: http, url: https://a.example.com, dependsOn: [b] }\n  - { name: b, type: http, url: https://a.example.com, dependsOn: [c] }\ngroups:\n  - name: g\n    monitors:\n      - { name: c, type: http, url: https://a.example.com, dependsOn: [b, a] }\n      - { name: d, type: http, url: https://a.example.com, dependsOn: [a, d] }\n`,
      [
        "svc.config.yaml:8:72 groups[0].monitors[0].dependsOn[0] the monitors depend on each other in a circle: b -> c -> b",
        "svc.config.yaml:8:75 groups[0].monitors[0].dependsOn[1] the monitors depend on each other in a circle: a -> b -> c -> a",
        "svc.config.yaml:9:75 groups[0].monitors[1].dependsOn[1] the monitors depend on each other in a circle: d -> d",
      ],
    ],
    [
      "more dependencies than a monitor may have",
      `project: p\nmonitors:\n  - { name: a, type: http, url: https://a.example.com, dependsOn: [${ELEVEN.join(", ")}] }\n${ELEVEN.map((name) => MONITOR.replace("name: a", `name: ${name}`)).join("")}`,
      ["monitors[0].dependsOn at most 10 monitors"],
    ],
    [
      "a tag of another tool, which would leave its text",
      "project: p\nmonitors:\n  - { name: a, type: http, url: https://a.example.com, body: !include b.json }\n",
      ["svc.config.yaml:3:62  not valid YAML: Unresolved tag: !include"],
    ],
    [
      "a placeholder in a key, which would stay as it is",
      "project: p\nalertChannels:\n  '{{env.TEAM}}': { type: email, addresses: [a@example.com] }\n",
      ["svc.config.yaml:3:3 alertChannels.{{env.TEAM}} placeholders are filled in in values, not in keys"],
    ],
    ["lists within lists without end", `project: p\nx-a: ${"[".repeat(20_000)}\n`, ["nested too deeply"]],
    ["a second document", "project: p\n---\nproject: q\n", ["only one YAML document per file"]],
    ["no map", "- a\n", ["expected a map with project and monitors"]],
    ["an empty file", "", ["expected a map with project and monitors"]],
    [
      "a placeholder as other tools write it",
      "project: p\nmonitors:\n  - { name: a, type: http, url: 'https://a.example.com/${HOST:-x}', auth: { type: bearer, token: '{{secret.T}}' } }\n",
      [
        "monitors[0].url ${HOST:-x} is no placeholder; write {{secrets.NAME}}, {{env.NAME}} or ${NAME}, or \\${HOST:-x} for the text itself",
        "monitors[0].auth.token {{secret.T}} is no placeholder",
      ],
    ],
    [
      "a text that can't be stored, beside everything else",
      'project: p\nmonitors:\n  - { name: "a\\0", type: http, url: x }\n',
      ["monitors[0].name ", "monitors[0].url "],
    ],
    ["no project", `monitors:\n${MONITOR}`, ["project required"]],
    [
      "an unknown key, with the nearest known one",
      "project: p\nmonitors:\n  - name: a\n    type: http\n    url: https://a.example.com\n    timeoutMS: 5\n",
      ['svc.config.yaml:6:5 monitors[0] unknown field "timeoutMS"; did you mean "timeoutMs"?'],
    ],
    [
      "an unknown type",
      "project: p\nmonitors:\n  - { name: a, type: htp, url: x }\n",
      ["monitors[0].type expected one of http, browser, mcp, tcp, tls, dns"],
    ],
    [
      "a frequency out of range",
      `project: p\ndefaults: { frequency: 5s }\nmonitors:\n${MONITOR}`,
      ["svc.config.yaml:2:13 defaults.frequency 5s is 5 s; smallest is 10 s, largest is 86400 s"],
    ],
    [
      "a duration that is none",
      `project: p\ndefaults: { frequency: often }\n`,
      ['defaults.frequency expected a duration like 30s, 5m or 1h; got "often"'],
    ],
    [
      "a monitor's name that is taken",
      `project: p\nmonitors:\n${MONITOR}${MONITOR}`,
      ['svc.config.yaml:4:7 monitors[1].name there is another monitor "a"'],
    ],
    [
      "an SLO of no monitor",
      `project: p\nmonitors:\n${MONITOR}slos:\n  - { name: s, monitor: A, target: 99%, window: 7d }\n`,
      ['slos[0].monitor there is no monitor "A"; did you mean "a"?'],
    ],
    [
      "an SLO of nothing",
      `project: p\nslos:\n  - { name: s, target: 99%, window: 7d }\n`,
      ["svc.config.yaml:3:5 slos[0].monitor required, unless the SLO is of a third-party pattern"],
    ],
    [
      "an SLO of a monitor and a pattern",
      `project: p\nmonitors:\n${MONITOR}thirdPartyPatterns: [{ name: CDN, hostPattern: cdn.example.com }]\nslos:\n  - { name: s, monitor: a, pattern: CDN, target: 99%, window: 7d }\n`,
      ["slos[0].pattern an SLO is of a monitor or of a pattern, not of both"],
    ],
    [
      "an SLO of no pattern",
      `project: p\nthirdPartyPatterns: [{ name: CDN, hostPattern: cdn.example.com }]\nslos:\n  - { name: s, pattern: cdn, target: 99%, window: 7d }\n`,
      ['slos[0].pattern there is no third-party pattern "cdn"; did you mean "CDN"?'],
    ],
    [
      "a third party's response time",
      `project: p\nthirdPartyPatterns: [{ name: CDN, hostPattern: cdn.example.com }]\nslos:\n  - { name: s, pattern: CDN, target: 99%, window: 7d, sliType: performance, perfThresholdMs: 9 }\n`,
      ["slos[0].sliType an SLO of type third_party is about availability"],
    ],
    [
      "a pattern that is no host, and a name that is taken",
      `project: p\nthirdPartyPatterns:\n  - { name: CDN, hostPattern: "https://cdn.example.com/x.js" }\n  - { name: CDN, hostPattern: "cdn.*.com" }\n`,
      [
        "thirdPartyPatterns[0].hostPattern expected a host without scheme, path or user",
        'thirdPartyPatterns[1].name there is another third-party pattern "CDN"',
        "thirdPartyPatterns[1].hostPattern * stands for the hosts below a domain",
      ],
    ],
    [
      "an SLO's target beyond two decimals",
      `project: p\nmonitors:\n${MONITOR}slos:\n  - { name: s, monitor: a, target: 99.999%, window: 8d }\n`,
      [
        'slos[0].target expected a percentage from 0.01% to 99.99% with at most two decimals; got "99.999%"',
        "slos[0].window expected 7d, 14d or 30d",
      ],
    ],
    [
      "a channel that is not there",
      `project: p\nalertChannels: { ops: { type: email, addresses: [a@example.com] } }\ndefaults:\n  alerts: [{ conditions: [{ type: consecutive_failures }], channels: ["@opps", "ops"] }]\n`,
      [
        'defaults.alerts[0].channels[0] there is no channel "opps"; did you mean "ops"?',
        'defaults.alerts[0].channels[1] expected "@" and the name of a channel of alertChannels',
      ],
    ],
    [
      "a window that ends before it begins, of no monitor",
      `project: p\nmonitors:\n${MONITOR}maintenanceWindows:\n  - { name: w, checks: [b], startsAt: "2030-01-02T00:00:00Z", endsAt: "2030-01-01T00:00:00Z" }\n`,
      [
        'maintenanceWindows[0].checks[0] there is no monitor "b"',
        "maintenanceWindows[0].endsAt has to be after startsAt",
      ],
    ],
    [
      "a recurring window without a rule",
      `project: p\nmaintenanceWindows:\n  - { name: w, checks: all, recurring: true, startsAt: "2030-01-01T00:00:00Z", endsAt: "2030-01-02T00:00:00Z" }\n`,
      ["maintenanceWindows[0].recurrenceRule required when recurring is true"],
    ],
    [
      "a recurring window with a rule that is none",
      `project: p\nmaintenanceWindows:\n  - { name: w, checks: all, recurring: true, recurrenceRule: FREQ=OFTEN, startsAt: "2030-01-01T00:00:00Z", endsAt: "2030-01-02T00:00:00Z" }\n`,
      ["maintenanceWindows[0].recurrenceRule FREQ is one of YEARLY, MONTHLY, WEEKLY, DAILY, HOURLY"],
    ],
    [
      "a placeholder that is not set",
      "project: p\nmonitors:\n  - name: a\n    type: http\n    url: https://${HOST}/{{secrets.KEY}}\n",
      [
        "svc.config.yaml:5:10 monitors[0].url ${HOST} is not set: HOST is not in the environment",
        "svc.config.yaml:5:10 monitors[0].url {{secrets.KEY}} is not set: neither SVC_SECRET_KEY nor KEY is in the environment",
      ],
    ],
    [
      "a placeholder whose name no variable can have",
      'project: "{{env.MY-TEAM}} {{secrets.}}"\n',
      [
        "svc.config.yaml:1:10 project {{env.MY-TEAM}} is not set: MY-TEAM is not in the environment",
        "svc.config.yaml:1:10 project {{secrets.}} is not set: ",
      ],
    ],
    [
      "a placeholder that begins a value without quotes",
      "project: p\nmonitors:\n  - { name: a, type: http, url: {{env.URL}} }\n",
      ['a placeholder at the beginning of a value needs quotes: "{{...}}"', "monitors[0].url required"],
    ],
    [
      "an alias of no anchor",
      "project: *name\n",
      ["there is no anchor &name before this alias", "project required"],
    ],
    [
      "an alias within what it refers to",
      "project: p\nx-a: &a [*a]\n",
      ["the alias *a lies within what it refers to"],
    ],
    ["a merge of what is no map", "project: p\n<<: 5\n", ["<< takes a map, or a list of maps"]],
    [
      "a browser monitor of a URL",
      "project: p\nmonitors:\n  - { name: b, type: browser, url: https://a.example.com }\n",
      ["a browser monitor is deployed from a script", "monitors[0].script required"],
    ],
    [
      "a script that is not there",
      "project: p\nmonitors:\n  - { name: b, type: browser, script: ./no.ts }\n",
      ["monitors[0].script the script no.ts: there is no such file"],
    ],
    [
      "a former name that is another monitor's",
      `project: p\nmonitors:\n${MONITOR}  - { name: b, renamedFrom: a, type: http, url: https://a.example.com }\n`,
      ['monitors[1].renamedFrom "a" is the name of another monitor here'],
    ],
  ])("%s", async (_title, text, expected) => {
    const { code, problems } = await validate(text);
    expect(code).toBe(1);
    for (const one of expected) expect(problems.join("\n")).toContain(one);
    expect(problems).toHaveLength(expected.length);
  });

  it("aliases that multiply beyond measure, without the memory they would take", async () => {
    const levels = Array.from(
      { length: 12 },
      (_, i) => `x-${i + 1}: &l${i + 1} [${Array(10).fill(`*l${i}`).join(", ")}]`,
    );
    const { problems } = await validate(`project: p\nx-0: &l0 [1]\n${levels.join("\n")}\n`);
    expect(problems.join("\n")).toContain("aliases that multiply");
  });

  it("a file of more than 10 MB, unread", async () => {
    const { problems } = await validate(`# ${"x".repeat(10 * 1024 * 1024)}\nproject: p\n`);
    expect(problems).toEqual([expect.stringMatching(/is 1048\d{4} bytes; at most 10485760 are read/)]);
  });

  it("nesting that no reader survives", async () => {
    const { code, problems } = await validate(`project: p\nx-a: ${"[".repeat(20_000)}\n`);
    expect(code).toBe(1);
    expect(problems).not.toEqual([]);
  });

  it("bytes that are no UTF-8", async () => {
    writeFileSync(join(folder.path, "svc.config.yaml"), Buffer.from([0x61, 0xff, 0xfe]));
    const ran = await runSvc(["validate", "--json"], { cwd: folder.path });
    expect(problemsOf(ran)).toEqual(["svc.config.yaml::  is not UTF-8 text"]);
  });

  it.skipIf(process.getuid?.() === 0)("a file that may not be read", async () => {
    write("svc.config.yaml", "project: p\n");
    chmodSync(join(folder.path, "svc.config.yaml"), 0);
    const ran = await runSvc(["validate", "--json"], { cwd: folder.path });
    expect(problemsOf(ran).join()).toContain("may not be read (permissions)");
  });

  it("a folder where a file should be", async () => {
    mkdirSync(join(folder.path, "flow.ts"));
    const { problems } = await validate(
      "project: p\nmonitors:\n  - { name: b, type: browser, script: flow.ts }\n",
    );
    expect(problems.join()).toContain("the script flow.ts: is a folder");
  });

  it("a script's path with a backslash, which only Windows would follow", async () => {
    const { problems } = await validate({
      "svc.config.yaml": "project: p\nmonitors:\n  - { name: b, type: browser, script: 'flows\\a.ts' }\n",
      "flows/a.ts": "",
    });
    expect(problems).toEqual([
      String.raw`svc.config.yaml:3:31 monitors[0].script "flows\a.ts" has a backslash; write / between folders, on Windows too`,
    ]);
  });

  it("a placeholder of a script and a step that it has not, with their places", async () => {
    const { problems } = await validate({
      "flow.ts": "// @step: One\nfill('{{secrets.PIN}}');\n",
      "svc.config.yaml":
        "project: p\nmonitors:\n  - name: b\n    type: browser\n    script: flow.ts\n    steps: [{ name: Two }]\n",
    });
    expect(problems).toEqual([
      "flow.ts:2:7 monitors[0].script {{secrets.PIN}} is not set: neither SVC_SECRET_PIN nor PIN is in the environment",
      'svc.config.yaml:6:15 monitors[0].steps[0].name the script has no line "// @step: Two"',
    ]);
  });

  it("everything wrong at once, in the order of the file", async () => {
    const { problems } = await validate(
      "project: p\nmonitors:\n  - { name: a, type: http, url: ftp://a }\n  - { name: a, type: mcp }\nslos:\n  - { name: s, monitor: x, target: 200, window: 7d }\n",
    );
    expect(problems.map((line) => line.split(" ")[1])).toEqual([
      "monitors[0].url",
      "monitors[1].endpoint",
      "monitors[1].name",
      "slos[0].monitor",
      "slos[0].target",
    ]);
  });

  it("a secret whose variables are empty, and not one whose first variable is", async () => {
    const text = "project: '{{secrets.TOKEN}}'\nmonitors: []\n";
    const { problems } = await validate(text, { SVC_SECRET_TOKEN: "", TOKEN: "" });
    expect(problems.join()).toContain("neither SVC_SECRET_TOKEN nor TOKEN is in the environment");
    expect((await validate(text, { SVC_SECRET_TOKEN: "", TOKEN: "t" })).problems).toEqual([]);
  });

  it("the API key in a config, which no config needs", async () => {
    const { problems } = await validate("project: '{{secrets.SVC_API_KEY}} ${SVC_API_KEY}'\n", {
      SVC_API_KEY: "svc_x",
    });
    expect(problems).toHaveLength(2);
    expect(problems.join()).toContain("can't be used in a config");
  });
});

it.runIf(process.platform !== "win32")(
  "a script that is a device or a pipe is refused instead of read for ever",
  async () => {
    spawnSync("mkfifo", [join(folder.path, "pipe.ts")]);
    const { problems } = await validate(
      "project: p\nmonitors:\n  - { name: b, type: browser, script: pipe.ts }\n",
    );
    expect(problems.join()).toContain("the script pipe.ts: is no regular file");
  },
);

it("lists what follows from fields that are right alone beside everything else", async () => {
  const { problems } = await validate({
    "svc.config.yaml":
      "project: p\nmonitors:\n" +
      "  - { name: a, type: mcp, endpoint: https://a.example.com, rejectUnauthenticated: true }\n" +
      "  - { name: b, type: browser, script: ./empty.ts }\n" +
      "  - { name: b, type: browser, script: ./absent.ts }\n",
    "empty.ts": "",
  });
  expect(problems).toEqual([
    expect.stringContaining("rejectUnauthenticated requires auth"),
    expect.stringContaining("monitors[1].script the script is empty"),
    expect.stringContaining('monitors[2].name there is another monitor "b"'),
    expect.stringContaining("monitors[2].script the script absent.ts"),
  ]);
});

describe("taken", () => {
  it.each([
    ["a text like a placeholder, after a backslash", "body: '\\{{secret.T}} \\${A:-b}', method: POST"],
    [
      "a text of another tool's templates",
      "body: '{{user.name}} ${user.name} {{vault.TOKEN}}', method: POST",
    ],
  ])("%s", async (_name, fields) => {
    const { code } = await validate(
      `project: p\nmonitors:\n  - { name: a, type: http, url: https://a.example.com, ${fields} }\n`,
    );
    expect(code).toBe(0);
  });

  it("a group's name in two files, and a window as a text", async () => {
    const group = (name: string) =>
      `groups:\n  - name: api\n    monitors:\n      - { name: ${name}, type: http, url: https://a.example.com }\n`;
    const { code } = await validate({
      "svc.config/project.yaml": "project: p\n",
      "svc.config/a.yaml": group("a"),
      "svc.config/b.yaml": `${group("b")}slos:\n  - { name: s, monitor: a, target: 99%, window: "7" }\n`,
    });
    expect(code).toBe(0);
  });

  it("anchors, merge keys and keys of one's own that begin with x-", async () => {
    const { code } = await validate(
      "project: p\nx-base: &base { type: http, timeoutMs: 5000 }\nmonitors:\n  - { <<: *base, name: a, url: https://a.example.com }\n",
    );
    expect(code).toBe(0);
  });

  it("a whole ${NAME} as a number and as a boolean, quoted as text", async () => {
    const text =
      'project: "${N}"\nmonitors:\n  - name: a\n    type: http\n    url: https://a.example.com\n    enabled: ${B}\n    timeoutMs: ${N}\n';
    expect((await validate(text, { N: "5000", B: "false" })).problems).toEqual([]);
    expect((await validate(text, { N: "5s", B: "false" })).problems.join()).toContain(
      "monitors[0].timeoutMs",
    );
  });

  it("a placeholder behind a backslash in a key as text", async () => {
    const text = "project: p\nmonitors:\n  - name: m\n    type: mcp\n    endpoint: https://a.example.com\n";
    const calls = "    testCalls: [{ toolName: t, arguments: { '\\${KEY}': 1 } }]\n";
    expect((await validate(text + calls, { KEY: "no" })).problems).toEqual([]);
  });

  it("a placeholder behind a backslash as text", async () => {
    expect((await validate('project: "\\\\{{env.NONE}} \\\\${NONE}"\n')).json().data.project).toBe(
      "{{env.NONE}} ${NONE}",
    );
  });
});

describe("the directory layout", () => {
  it("is joined; scripts lie beside the file that names them", async () => {
    const ran = await validate({
      "svc.config/project.yaml": "project: p\n",
      "svc.config/web/a.yaml": `x-own: &own { frequency: 1m }\nmonitors:\n${MONITOR}`,
      "svc.config/web/b.yaml": "monitors:\n  - { name: b, type: browser, script: ./flow.ts }\n",
      "svc.config/web/flow.ts": "1;",
    });
    expect(ran.json()).toMatchObject({ ok: true, data: { project: "p", monitors: 2 } });
  });

  it("takes no maintenance windows, and names what two files say", async () => {
    const { problems } = await validate({
      "svc.config/a.yaml": "project: p\nmaintenanceWindows: []\n",
      "svc.config/b.yaml": "project: q\nmonitors: 5\n",
    });
    expect(problems.join("\n")).toContain(
      "maintenance windows need the single-file layout (svc.config.yaml)",
    );
    expect(problems.join("\n")).toContain(
      "svc.config/b.yaml:1:1 project is there twice (also in svc.config/a.yaml)",
    );
    expect(problems.join("\n")).toMatch(/svc.config\/b.yaml:2:1 monitors expected an array, got a number/);
  });

  it("takes a link to a file like the file, and says that one to a folder is not followed", async () => {
    write("common/a.yaml", `monitors:\n${MONITOR}`);
    write("svc.config/project.yaml", "project: p\n");
    symlinkSync("../common/a.yaml", join(folder.path, "svc.config/a.yaml"));
    expect((await validate({})).json()).toMatchObject({ data: { monitors: 1 } });
    symlinkSync("../common", join(folder.path, "svc.config/more"));
    symlinkSync("../nowhere.yaml", join(folder.path, "svc.config/none.yaml"));
    expect((await validate({})).problems).toEqual([
      "svc.config/more::  is a link to a folder; only links to files are followed",
      "svc.config/none.yaml::  there is no such file",
    ]);
  });

  it("beside the single file is refused", async () => {
    write("svc.config/a.yaml", "project: p\n");
    write("svc.config.yaml", "project: p\n");
    const ran = await runSvc(["validate"], { cwd: folder.path });
    expect(ran).toMatchObject({ code: 1 });
    expect(ran.stderr).toContain("there are both svc.config.yaml and svc.config/");
  });
});

it("says where to begin when there is no config", async () => {
  const ran = await runSvc(["validate"], { cwd: folder.path });
  expect(ran.code).toBe(1);
  expect(ran.stderr).toContain("Run: svc init");
});
