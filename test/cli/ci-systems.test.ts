/**
 * The files of deploy/ for GitHub Actions, GitLab CI and Jenkins: their steps are run as the CI system would, with the same variables, against a
 * real service. GitHub's own API is played by a server that keeps comments.
 */
import { execFileSync, spawnSync } from "node:child_process";
import { once } from "node:events";
import { mkdirSync, readFileSync, writeFileSync } from "node:fs";
import { createServer, type Server } from "node:http";
import type { AddressInfo } from "node:net";
import { join } from "node:path";
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, test } from "vitest";
import { parse } from "yaml";
import { ROOT } from "../harness/control-plane.ts";
import { temporaryFolder } from "../harness/folders.ts";
import { runScript } from "../harness/run-script.ts";
import { startTarget, type Target } from "../harness/target.ts";
import { type CliStage, setCliStage } from "./stage.ts";

let stage: CliStage;
let target: Target;
let tarball: string;
const tools = temporaryFolder();
beforeAll(async () => {
  [stage, target] = [await setCliStage(), await startTarget()];
  tarball = packCli(tools.path);
});
afterAll(async () => {
  await stage.strike();
  await target.close();
  tools.remove();
});

/** A package that is installed as svc and runs this checkout's. */
function packCli(folder: string): string {
  const source = join(folder, "source");
  mkdirSync(source);
  writeFileSync(
    join(source, "package.json"),
    JSON.stringify({ name: "@svc/cli", version: "0.0.0", bin: { svc: "svc.cjs" } }),
  );
  writeFileSync(
    join(source, "svc.cjs"),
    `#!/usr/bin/env node\nrequire(${JSON.stringify(join(ROOT, "cli/bin/svc.cjs"))});\n`,
  );
  const name = execFileSync("npm", ["pack", "--silent"], { cwd: source, encoding: "utf8" }).trim();
  return join(source, name);
}

let work: ReturnType<typeof temporaryFolder>;
beforeEach(() => {
  work = temporaryFolder();
  mkdirSync(join(work.path, "repository/monitors as code"), { recursive: true });
});
afterEach(() => work.remove());

const config = (path: string) => `project: ${JSON.stringify(work.path)}
monitors:
  - { name: "page of ${path}", type: http, url: "${target.url}/${path}", locations: [loc_us_east] }
`;
const repository = () => join(work.path, "repository");
const inRepository = (path: string) => join(repository(), path);
const service = () => ({ SVC_API_URL: stage.controlPlane.url, SVC_API_KEY: stage.controlPlane.apiKey });
const checkNames = async () =>
  (await stage.controlPlane.ok<{ checks: { name: string }[] }>("GET", "/api/checks?limit=200")).checks.map(
    ({ name }) => name,
  );

describe("the GitHub action", () => {
  const folder = join(ROOT, "deploy/github-action");
  const action = parse(readFileSync(join(folder, "action.yml"), "utf8")) as Action;
  let api: Server;
  let comments: { id: number; body: string; url: string; user: { type: string } }[];
  let asked: string[];
  beforeEach(async () => {
    [comments, asked] = [[], []];
    api = createServer(async (request, response) => {
      let text = "";
      for await (const chunk of request) text += chunk;
      asked.push(`${request.method} ${request.url}`);
      if (request.headers.authorization !== "Bearer gh-token") return response.writeHead(403).end("{}");
      // A job's own token may not ask who it is.
      if (request.url === "/user") return response.writeHead(403).end("{}");
      if (request.method === "GET") return response.end(JSON.stringify(comments));
      const { body } = JSON.parse(text) as { body: string };
      const id = Number(/comments\/(\d+)$/.exec(request.url ?? "")?.[1] ?? comments.length + 1);
      const url = `${apiUrl()}/repos/shop/monitors/issues/comments/${id}`;
      comments = [
        ...comments.filter((comment) => comment.id !== id),
        { id, body, url, user: { type: "Bot" } },
      ];
      return response.writeHead(201).end("{}");
    }).listen(0, "127.0.0.1");
    await once(api, "listening");
  });
  afterEach(() => api.close().closeAllConnections());
  const apiUrl = () => `http://127.0.0.1:${(api.address() as AddressInfo).port}`;

  interface Action {
    inputs: Record<string, { default?: string }>;
    outputs: Record<string, { value: string }>;
    runs: { using: string; steps: Step[] };
  }
  interface Step {
    name: string;
    id?: string;
    if?: string;
    shell: string;
    run: string;
    env?: Record<string, string>;
    "working-directory"?: string;
  }

  /** Runs the action's steps as GitHub's runner does: each a script of its own, until one fails. */
  async function run(
    inputs: Record<string, string>,
    { event = "pull_request", token = "gh-token", apiUrl: githubUrl = "" } = {},
  ) {
    const temp = join(work.path, `temp-${asked.length}-${Math.random()}`);
    mkdirSync(temp);
    const file = (name: string) => {
      writeFileSync(join(temp, name), "");
      return join(temp, name);
    };
    const [output, path, summary] = ["output", "path", "summary"].map(file) as [string, string, string];
    writeFileSync(join(temp, "event.json"), JSON.stringify({ pull_request: { number: 7 } }));
    const given: Record<string, string> = {
      ...Object.fromEntries(Object.entries(action.inputs).map(([name, one]) => [name, one.default ?? ""])),
      cli: tarball,
      "api-url": service().SVC_API_URL,
      "api-key": service().SVC_API_KEY,
      "working-directory": "monitors as code",
      token,
      ...inputs,
    };
    const outputs: Record<string, Record<string, string>> = {};
    const value = (expression: string) => {
      const name = expression.trim();
      if (name === "github.event_name") return event;
      const [, step = "", key = ""] = /^steps\.(\w+)\.outputs\.(\w+)$/.exec(name) ?? [];
      if (step) return outputs[step]?.[key] ?? "";
      const [, input = ""] = /^inputs\.([\w-]+)$/.exec(name) ?? [];
      if (!(input in given)) throw new Error(`unknown expression ${name}`);
      return given[input] ?? "";
    };
    const filled = (text: string) =>
      text.replaceAll(/\$\{\{([^}]*)\}\}/g, (_, expression) => value(expression));
    const isMet = (condition: string) =>
      condition.split("&&").every((part) => {
        const [left = "", right = ""] = part.split("==");
        return value(left) === right.trim().replaceAll("'", "");
      });
    const ran: Record<string, { code: number; text: string }> = {};
    for (const step of action.runs.steps) {
      if (step.if && !isMet(step.if)) continue;
      const cwd = join(repository(), filled(step["working-directory"] ?? "."));
      const before = readFileSync(output, "utf8").length;
      const env = {
        PATH: [
          ...readFileSync(path, "utf8").trim().split("\n").filter(Boolean).reverse(),
          process.env.PATH,
        ].join(":"),
        HOME: work.path,
        GITHUB_ACTIONS: "true",
        GITHUB_ACTION_PATH: folder,
        GITHUB_API_URL: githubUrl || apiUrl(),
        GITHUB_EVENT_PATH: join(temp, "event.json"),
        GITHUB_OUTPUT: output,
        GITHUB_PATH: path,
        GITHUB_REPOSITORY: "shop/monitors",
        GITHUB_STEP_SUMMARY: summary,
        GITHUB_WORKSPACE: repository(),
        RUNNER_TEMP: temp,
        ...Object.fromEntries(Object.entries(step.env ?? {}).map(([name, text]) => [name, filled(text)])),
      };
      ran[step.name] = await runScript("bash", ["-eo", "pipefail", "-c", step.run], { cwd, env });
      const lines = readFileSync(output, "utf8").slice(before).trim().split("\n").filter(Boolean);
      if (step.id)
        outputs[step.id] = Object.fromEntries(lines.map((line) => line.split("=", 2) as [string, string]));
      if (ran[step.name]?.code !== 0) break;
    }
    return {
      ran,
      summary: readFileSync(summary, "utf8"),
      outputs,
      codes: Object.values(ran).map(({ code }) => code),
    };
  }

  test("no input is code within a script", () => {
    expect(action.runs.using).toBe("composite");
    for (const { run: script, shell } of action.runs.steps) {
      expect(script).not.toContain("${{");
      expect(shell).toBe("bash");
    }
  });

  test("a pull request is tested and gets its plan as one comment, which the next run replaces", async () => {
    const file = inRepository("monitors as code/svc.config.yaml");
    writeFileSync(file, config("first"));
    const first = await run({ test: "false" });
    expect(first.codes, JSON.stringify(first.ran)).toEqual([0, 0, 0, 0, 0]);
    expect(comments).toHaveLength(1);
    expect(comments[0]?.body).toMatch(/^<!-- svc plan of monitors%20as%20code -->\n### svc: plan for /);
    expect(comments[0]?.body).toContain("| create | monitor `page of first` |");
    expect(first.summary).toContain("**1 to create, 0 to update, 0 to delete, 0 unchanged**");
    writeFileSync(file, config("second"));
    await run({ test: "false" });
    expect(comments).toHaveLength(1);
    expect(comments[0]?.body).toContain("page of second");
    expect(asked.filter((one) => !one.startsWith("GET"))).toEqual([
      "POST /repos/shop/monitors/issues/7/comments",
      "PATCH /repos/shop/monitors/issues/comments/1",
    ]);
    expect(await checkNames()).toEqual([]);
  });

  test("a failing monitor ends the run beside its line, with the report there", async () => {
    writeFileSync(inRepository("monitors as code/svc.config.yaml"), config("failing"));
    // From a runner no private address is reached.
    const { ran, outputs, codes } = await run({});
    expect(codes).toEqual([0, 0, 1]);
    expect(ran["Test the monitors"]?.text).toContain(
      "::error file=svc.config.yaml,line=3,title=monitor page of failing fails::",
    );
    expect(readFileSync(outputs.test?.report ?? "", "utf8")).toContain('<testcase classname="');
    expect(comments).toEqual([]);
  });

  test("deploys where asked to, and a key that is not valid ends the run before", async () => {
    writeFileSync(
      inRepository("monitors as code/svc.config.yaml"),
      config("deployed").replace("http, ", "http, enabled: false, "),
    );
    const refused = await run({ test: "false", deploy: "true", "api-key": "sk_wrong" }, { event: "push" });
    expect(refused.codes.at(-1)).not.toBe(0);
    expect(await checkNames()).toEqual([]);
    const { codes, ran } = await run({ test: "false", deploy: "true" }, { event: "push" });
    expect(codes, JSON.stringify(ran)).toEqual([0, 0, 0, 0, 0]);
    expect(comments).toEqual([]);
    expect(await checkNames()).toContain("page of deployed");
  });

  test("a token that may not comment is a warning, since a fork's pull request has no other", async () => {
    writeFileSync(inRepository("monitors as code/svc.config.yaml"), config("fork"));
    const { codes, ran } = await run({ test: "false" }, { token: "none" });
    expect(codes).toEqual([0, 0, 0, 0, 0]);
    expect(ran["Comment the plan"]?.text).toContain("::warning title=The plan is not commented::GET ");
  });

  test("a comment of somebody else that begins like the plan's is left alone", async () => {
    writeFileSync(inRepository("monitors as code/svc.config.yaml"), config("spoofed"));
    const body = "<!-- svc plan of monitors%20as%20code -->\nnothing changes";
    comments = [
      { id: 1, body, url: `${apiUrl()}/repos/shop/monitors/issues/comments/1`, user: { type: "User" } },
    ];
    await run({ test: "false" });
    expect(comments).toHaveLength(2);
    expect(comments[0]?.body).toBe(body);
    expect(comments[1]?.body).toContain("page of spoofed");
  });

  test("an API that can't be reached is a warning, too", async () => {
    writeFileSync(inRepository("monitors as code/svc.config.yaml"), config("away"));
    api.close().closeAllConnections();
    const port = (
      await new Promise<AddressInfo>((resolve) => {
        const other = createServer().listen(0, "127.0.0.1", () => {
          const address = other.address() as AddressInfo;
          other.close(() => resolve(address));
        });
      })
    ).port;
    const { codes, ran } = await run({ test: "false" }, { apiUrl: `http://127.0.0.1:${port}` });
    expect(codes).toEqual([0, 0, 0, 0, 0]);
    expect(ran["Comment the plan"]?.text).toContain("can't be reached: ECONNREFUSED");
  });

  test("drift is shown, and then fails the run", async () => {
    const file = inRepository("monitors as code/svc.config.yaml");
    writeFileSync(file, config("drifted").replace("http, ", "http, enabled: false, "));
    await run({ test: "false", deploy: "true" }, { event: "push" });
    const { checks } = await stage.controlPlane.ok<{ checks: { id: string; name: string }[] }>(
      "GET",
      "/api/checks?limit=200",
    );
    const check = checks.find(({ name }) => name === "page of drifted");
    await stage.controlPlane.ok("PUT", `/api/checks/${check?.id}`, { frequencySeconds: 600 });
    const { ran, codes } = await run({ test: "false" });
    expect(codes.at(-1)).toBe(5);
    expect(Object.keys(ran).at(-1)).toBe("Judge the plan");
    expect(comments[0]?.body).toContain("**changed on the service**");
  });
});

describe("the files for GitLab CI and Jenkins", () => {
  test("GitLab's jobs validate, test, plan and deploy", async () => {
    const file = parse(readFileSync(join(ROOT, "deploy/gitlab-ci/svc.gitlab-ci.yml"), "utf8"));
    writeFileSync(
      inRepository("svc.config.yaml"),
      config("gitlab").replace("http, ", "http, enabled: false, "),
    );
    const job = (name: string) => {
      const lines = [...file[".svc"].before_script, ...file[name].script] as string[];
      // Its own folder for what the image keeps in /tmp.
      const script = lines.join("\n").replaceAll("/tmp/svc", join(work.path, "prefix"));
      const env = { PATH: process.env.PATH ?? "", HOME: work.path, SVC_CLI: tarball, ...service() };
      return runScript("bash", ["-eo", "pipefail", "-c", script], { cwd: repository(), env });
    };
    expect(file["svc-test"].artifacts.reports.junit).toBe("svc-test.xml");
    const tested = await job("svc-test");
    expect([tested.code, tested.text]).toEqual([1, expect.stringContaining("FAIL  page of gitlab")]);
    expect(readFileSync(inRepository("svc-test.xml"), "utf8")).toContain("</testsuites>");
    const planned = await job("svc-plan");
    expect(planned.code, planned.text).toBe(0);
    expect(planned.text).toContain("[The plan in the dashboard](<");
    const deployed = await job("svc-deploy");
    expect(deployed.code, deployed.text).toBe(0);
    expect(await checkNames()).toContain("page of gitlab");
  });

  test("Jenkins' steps do, too", async () => {
    const text = readFileSync(join(ROOT, "deploy/jenkins/Jenkinsfile"), "utf8");
    const steps = [...text.matchAll(/sh '([^']*)'/g)].map(([, script = ""]) => script);
    expect(steps.map((script) => script.split(" ").slice(0, 2).join(" "))).toEqual([
      "npm install",
      "svc validate",
      "svc test",
      "svc diff",
      "svc deploy",
    ]);
    writeFileSync(
      inRepository("svc.config.yaml"),
      config("jenkins").replace("http, ", "http, enabled: false, "),
    );
    const env = {
      PATH: `${repository()}/.svc-cli/bin:${process.env.PATH}`,
      HOME: work.path,
      WORKSPACE: repository(),
      SVC_CLI: tarball,
      ...service(),
    };
    for (const script of steps) {
      const { code, text: printed } = await runScript("sh", ["-e", "-c", script], { cwd: repository(), env });
      // From here no private address is reached.
      expect(code, printed).toBe(script.startsWith("svc test") ? 1 : 0);
    }
    expect(await checkNames()).toContain("page of jenkins");
  });
});

test("the shell scripts parse", () => {
  for (const name of ["install", "test", "plan"])
    expect(spawnSync("bash", ["-n", join(ROOT, `deploy/github-action/${name}.sh`)]).status).toBe(0);
});
