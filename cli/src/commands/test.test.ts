import { once } from "node:events";
import { readFileSync, writeFileSync } from "node:fs";
import http from "node:http";
import net, { type AddressInfo } from "node:net";
import { join } from "node:path";
import { afterEach, beforeEach, expect, it } from "vitest";
import { runSvc, testFolder } from "../../test-support/run-svc.ts";

let folder: ReturnType<typeof testFolder>;
const servers: http.Server[] = [];
beforeEach(() => {
  folder = testFolder();
});
afterEach(() => {
  folder.remove();
  for (const server of servers.splice(0)) server.close().closeAllConnections();
});

async function serve(listener: http.RequestListener): Promise<string> {
  const server = http.createServer(listener).listen(0, "127.0.0.1");
  servers.push(server);
  await once(server, "listening");
  return `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
}

function config(...monitors: object[]): void {
  writeFileSync(join(folder.path, "svc.config.yaml"), JSON.stringify({ project: "p", monitors }));
}

const test = (args: string[] = ["--allow-private-network"], env: Record<string, string> = {}) =>
  runSvc(["test", "--json", ...args], { cwd: folder.path, env });
const monitor = (more: object) => ({ name: "m", type: "http", ...more });

it("assertions are judged and answered one by one; what fails makes the exit code 1", async () => {
  const url = await serve((_request, response) => response.end("x".repeat(500)));
  const assertions = [
    { type: "status_code", value: 200 },
    { type: "body_contains", value: "nowhere" },
    { type: "openapi_conformance", specId: "spec_01h455vb4pex5vsknk084sn02q" },
  ];
  config(
    monitor({ url, assertions }),
    { name: "plain", type: "http", url },
    { name: "tools", type: "mcp", endpoint: url },
  );
  const ran = await test();
  expect(ran.code).toBe(1);
  const { data, ok } = ran.json();
  expect(ok).toBe(true);
  expect(data.summary).toEqual({ passed: 1, failed: 1, notRun: 1 });
  expect(data.results[0]).toMatchObject({
    name: "m",
    passed: false,
    status: 200,
    skipped: ["openapi_conformance"],
  });
  expect(data.results[0].assertions).toMatchObject([
    { type: "status_code", passed: true, expected: 200, actual: 200 },
    { type: "body_contains", passed: false, expected: "nowhere" },
  ]);
  expect(JSON.stringify(data).length).toBeLessThan(2_000);
});

it("a private address is refused on the first URL, before any connection", async () => {
  let asked = 0;
  const url = await serve((_request, response) => {
    asked++;
    response.end();
  });
  config(monitor({ url }));
  const ran = await test([]);
  expect(ran.code).toBe(1);
  expect(ran.json().data.results[0].error).toContain("--allow-private-network");
  expect(asked).toBe(0);
});

it("a redirect to another origin takes no header with a secret along, and no body", async () => {
  const seen: http.IncomingMessage[] = [];
  const other = await serve((request, response) => {
    seen.push(request);
    response.end();
  });
  const url = await serve((_request, response) => response.writeHead(307, { location: other }).end());
  config(monitor({ url, headers: { "User-Agent": "me/{{secrets.S}}", "Accept-Language": "de" } }), {
    name: "b",
    type: "http",
    url,
    method: "POST",
    body: "form",
  });
  const ran = await test(undefined, { S: "topsecret" });
  expect(seen.map(({ headers }) => headers["user-agent"])).toEqual([undefined]);
  expect(seen[0]?.headers["accept-language"]).toBe("de");
  expect(ran.json().data.results[1].error).toContain(
    "another origin, and the request body may not be sent there",
  );
});

it("a secret that the response repeats is shown nowhere", async () => {
  const url = await serve((_request, response) => response.end(`${"y".repeat(195)}topsecret-value`));
  config(
    monitor({
      url,
      assertions: [{ type: "body_contains", value: "nope" }],
      headers: { "X-K": "{{secrets.S}}" },
    }),
  );
  const ran = await test(undefined, { S: "topsecret-value" });
  const text = await runSvc(["test", "--allow-private-network"], {
    cwd: folder.path,
    env: { S: "topsecret-value" },
  });
  for (const output of [ran.stdout, ran.stderr, text.stdout, text.stderr])
    expect(output).not.toContain("topse");
});

it("a secret that the answer has as a key is redacted, too", async () => {
  const url = await serve((request, response) => {
    request.on("data", (body: Buffer) => response.end(JSON.stringify({ form: { [`${body}`]: "" } })));
  });
  config(
    monitor({
      url,
      method: "POST",
      body: "{{secrets.PIN}}",
      assertions: [{ type: "body_json_path", path: "form", operator: "equals", value: 1 }],
    }),
  );
  const ran = await test(undefined, { SVC_SECRET_PIN: "hunterhunter" });
  expect(ran.json().data.results[0].assertions[0]).toMatchObject({
    passed: false,
    actual: { "***REDACTED***": "" },
  });
  expect(ran.stdout + ran.stderr).not.toContain("hunterhunter");
});

const fails = async () => {
  const url = await serve((_request, response) => response.writeHead(503).end());
  const assertions = [{ type: "status_code", value: 200 }];
  writeFileSync(
    join(folder.path, "svc.config.yaml"),
    `project: "p & q"
monitors:
  - { name: fine, type: http, url: "${url}" }
  - { name: '<home> "x",: 50%', type: http, url: "${url}", assertions: ${JSON.stringify(assertions)} }
  - { name: gone, type: http, url: "http://127.0.0.1:1/" }
  - { name: tools, type: mcp, endpoint: "${url}" }
`,
  );
};
const report = (args: string[], env: Record<string, string> = {}) =>
  runSvc(["test", "--allow-private-network", ...args], { cwd: folder.path, env });
const withoutTimes = (xml: string) => xml.replaceAll(/time="[\d.]+"/g, 'time="T"');

it("a report in JUnit's XML has a case for each monitor", async () => {
  await fails();
  const { code, stdout } = await report(["--reporter", "junit"]);
  expect(code).toBe(1);
  const lines = withoutTimes(stdout).trimEnd().split("\n");
  const gone = lines.findIndex((line) => line.includes('name="gone"')) + 1;
  expect(lines[gone]).toMatch(/^ {6}<error message="[^"<>]*connection refused[^"<>]*"\/>$/);
  lines[gone] = "      (error)";
  expect(lines).toEqual([
    '<?xml version="1.0" encoding="UTF-8"?>',
    '<testsuites name="svc test" tests="4" failures="1" errors="1" skipped="1" time="T">',
    '  <testsuite name="p &amp; q" tests="4" failures="1" errors="1" skipped="1" time="T">',
    '    <testcase classname="p &amp; q" name="fine" time="T"/>',
    '    <testcase classname="p &amp; q" name="&lt;home&gt; &quot;x&quot;,: 50%" time="T">',
    '      <failure message="status_code: expected status 200, got 503"/>',
    "    </testcase>",
    '    <testcase classname="p &amp; q" name="gone" time="T">',
    "      (error)",
    "    </testcase>",
    '    <testcase classname="p &amp; q" name="tools" time="T">',
    '      <skipped message="not run here: mcp"/>',
    "    </testcase>",
    "  </testsuite>",
    "</testsuites>",
  ]);
});

it("a report goes to a file beside the text, and beside --json", async () => {
  await fails();
  const { stdout } = await report(["--reporter", "junit", "-o", "report.xml"]);
  expect(stdout).toContain("1 passed, 2 failed, 1 not run");
  expect(readFileSync(join(folder.path, "report.xml"), "utf8")).toContain("</testsuites>");
  const json = await report(["--reporter", "junit", "-o", "again.xml", "--json"]);
  expect(json.json().data.summary.failed).toBe(2);
  expect(readFileSync(join(folder.path, "again.xml"), "utf8")).toContain("</testsuites>");
});

it.each([
  [["--output", "x.xml"], "--output names the file of --reporter junit"],
  [["--reporter", "junit", "--json"], "both write to stdout"],
])("%s is refused", async (args, message) => {
  await fails();
  const { code, stdout, stderr } = await report(args);
  expect([code, stdout + stderr]).toEqual([1, expect.stringContaining(message)]);
});

it("on GitHub Actions each failure is shown beside the monitor, and a name is no command of its own", async () => {
  await fails();
  const { stdout } = await report([], { GITHUB_ACTIONS: "true" });
  const commands = stdout.split("\n").filter((line) => line.startsWith("::"));
  expect(commands).toEqual([
    '::error file=svc.config.yaml,line=4,title=monitor <home> "x"%2C%3A 50%25 fails::status_code: expected status 200, got 503',
    expect.stringMatching(
      /^::error file=svc\.config\.yaml,line=5,title=monitor gone fails::.*connection refused/,
    ),
  ]);
  expect((await report([])).stdout).not.toContain("::error");
});

it("monitors of ports and names run here, too, and show their time and why they fail", async () => {
  const server = net.createServer((socket) => socket.on("error", () => {}).end("+PONG\r\n"));
  server.listen(0, "127.0.0.1");
  await once(server, "listening");
  const { port } = server.address() as AddressInfo;
  const tcp = { type: "tcp", host: "127.0.0.1", port };
  config(
    { name: "answers", ...tcp, expectContains: "+PONG" },
    { name: "differs", ...tcp, expectContains: "+OK" },
    { name: "slow", ...tcp, assertions: [{ type: "response_time", max: 0 }] },
    { name: "plain", type: "tls", host: "127.0.0.1", port },
    { name: "nowhere", type: "dns", domain: "a.example", resolver: "127.0.0.1:1", timeoutMs: 500 },
  );
  const ran = await test();
  const refused = await test([]);
  server.close();
  expect(ran.json().data).toMatchObject({
    results: [
      { name: "answers", passed: true, status: null, responseTimeMs: expect.any(Number) },
      { name: "differs", passed: false, error: expect.stringContaining('does not contain "+OK"') },
      { name: "slow", passed: false, assertions: [{ type: "response_time", passed: false }] },
      { name: "plain", passed: false, responseTimeMs: null, error: expect.stringContaining("TLS handshake") },
      { name: "nowhere", passed: false, responseTimeMs: null, error: expect.any(String) },
    ],
    notRun: [],
  });
  expect(refused.json().data.results[0].error).toContain("--allow-private-network");
});

it("a monitor that reports by itself is not run, and the reason is given", async () => {
  config({ name: "backup", type: "heartbeat", period: "1d" });
  const ran = await test();
  expect([ran.code, ran.json().data.notRun]).toEqual([
    0,
    [{ name: "backup", type: "heartbeat", reason: "it reports by itself, so there is nothing to try" }],
  ]);
});
