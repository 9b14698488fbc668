/** `svc dashboards install` by the real executable: into files, and into a stand-in for each backend's API. */
import { readdirSync, readFileSync, writeFileSync } from "node:fs";
import { createServer, type IncomingHttpHeaders, type Server } from "node:http";
import type { AddressInfo } from "node:net";
import { join } from "node:path";
import { afterEach, beforeEach, expect, test } from "vitest";
import { svc } from "../harness/cli.ts";
import { temporaryFolder } from "../harness/folders.ts";

const PACKS = [
  "anomaly-insights",
  "deep-dive",
  "events",
  "overview",
  "performance-forensics",
  "slo",
  "third-party",
  "tls-health",
];
let folder: ReturnType<typeof temporaryFolder>;
let backend: Server;
let url: string;
let asked: { route: string; headers: IncomingHttpHeaders; body: string }[];
let answer: (count: number) => { status: number; body: unknown };
beforeEach(async () => {
  folder = temporaryFolder();
  asked = [];
  answer = () => ({ status: 200, body: { success: true, status: "success" } });
  backend = createServer(async (request, response) => {
    let body = "";
    for await (const chunk of request) body += chunk;
    asked.push({ route: `${request.method} ${request.url}`, headers: request.headers, body });
    const { status, body: answered } = answer(asked.length);
    response.writeHead(status, { "content-type": "application/json", location: `${url}/elsewhere` });
    response.end(JSON.stringify(answered));
  });
  await new Promise<void>((resolve) => backend.listen(0, "127.0.0.1", resolve));
  url = `http://127.0.0.1:${(backend.address() as AddressInfo).port}`;
});
afterEach(() => {
  folder.remove();
  backend.close();
  backend.closeAllConnections();
});

const install = (...args: string[]) =>
  svc(["dashboards", "install", ...args], { cwd: folder.path, env: { SVC_DASHBOARDS_TOKEN: "glsa_t0ken" } });
const push = (...args: string[]) => install("--url", url, ...args);

test("files are written whole, kept unless --force is given, and need no key", async () => {
  expect(await install("--output", "out")).toMatchObject({ code: 0 });
  const out = join(folder.path, "out");
  expect(readdirSync(out).sort()).toEqual(PACKS.map((pack) => `svc-${pack}.json`));
  for (const file of readdirSync(out))
    expect(JSON.parse(readFileSync(join(out, file), "utf8")).panels.length).toBeGreaterThan(0);
  const mine = join(out, "svc-slo.json");
  writeFileSync(mine, "mine");
  const refused = await install("--output", "out", "--packs", "slo,overview", "--json");
  expect([refused.code, JSON.parse(refused.stdout).ok, readFileSync(mine, "utf8")]).toEqual([
    1,
    false,
    "mine",
  ]);
  expect((await install("--output", "out", "--packs", "slo", "--force")).code).toBe(0);
  expect(JSON.parse(readFileSync(mine, "utf8")).uid).toBe("svc-slo");
  expect((await install("--output", "kibana", "--backend", "kibana")).code).toBe(0);
  expect(readdirSync(join(folder.path, "kibana")).sort()).toEqual(PACKS.map((pack) => `svc-${pack}.ndjson`));
});

test("Grafana gets each pack by its API, with the token that nobody sees, and replaces only when asked to", async () => {
  const ran = await push("--json", "--verbose");
  expect(ran.code).toBe(0);
  expect(JSON.parse(ran.stdout).data.installed).toHaveLength(PACKS.length);
  expect(ran.stdout + ran.stderr).not.toContain("glsa_t0ken");
  expect(asked.map(({ route }) => route)).toEqual(PACKS.map(() => "POST /api/dashboards/db"));
  expect(asked.every(({ headers }) => headers.authorization === "Bearer glsa_t0ken")).toBe(true);
  expect(asked.every(({ body }) => JSON.parse(body).overwrite === false)).toBe(true);
  await push("--packs", "slo", "--force");
  expect(JSON.parse(asked.at(-1)?.body ?? "")).toMatchObject({
    overwrite: true,
    dashboard: { uid: "svc-slo" },
  });
});

test("Kibana gets saved objects as a file", async () => {
  expect((await push("--backend", "kibana", "--packs", "slo", "--force")).code).toBe(0);
  expect(asked).toMatchObject([
    {
      route: "POST /api/saved_objects/_import?overwrite=true",
      headers: { authorization: "ApiKey glsa_t0ken", "kbn-xsrf": "svc" },
      body: expect.stringContaining('"id":"svc-slo"'),
    },
  ]);
});

test.each([
  ["a refused token", 401, { message: "Invalid API key" }, "401: Invalid API key"],
  ["one that is there", 412, { message: "exists" }, "--force replaces it"],
  ["a redirect, which is not followed with the token", 302, {}, "it answered 302"],
])("%s is exit code 1 and ends it", async (_title, status, body, message) => {
  answer = () => ({ status, body });
  const ran = await push();
  expect([ran.code, ran.stderr, asked.length]).toEqual([1, expect.stringContaining(message), 1]);
});

test("a refusal after others were installed is exit code 4, and says which are", async () => {
  answer = (count) => ({ status: count < 3 ? 200 : 500, body: { success: true } });
  const ran = await push("--packs", "overview,slo,events", "--json");
  const { error } = JSON.parse(ran.stdout);
  expect([ran.code, error.code, error.details.installed.length, error.details.exitCode]).toEqual([
    4,
    "partial_failure",
    2,
    4,
  ]);
});
