import { readdirSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { afterEach, beforeEach, expect, it } from "vitest";
import { runSvc, testFolder } from "../../../test-support/run-svc.ts";

let folder: ReturnType<typeof testFolder>;
beforeEach(() => {
  folder = testFolder();
});
afterEach(() => folder.remove());

const install = (...args: string[]) => runSvc(["dashboards", "install", ...args], { cwd: folder.path });
const URL_FLAGS = ["--url", "http://127.0.0.1:9/", "--token", "glsa_secret"];

/** Installs by API; the answers come in this order. */
async function push(answers: { status: number; body?: unknown }[], ...args: string[]) {
  const requests: { url: string; init: RequestInit | undefined }[] = [];
  const ran = await runSvc(["dashboards", "install", ...URL_FLAGS, ...args], {
    fetch: async (input, init) => {
      const { status, body = {} } = answers[requests.length] ?? { status: 500 };
      requests.push({ url: String(input), init });
      return Response.json(body, { status });
    },
  });
  return { ...ran, requests };
}

it("writes a file per pack, needs no key, and replaces nothing without --force", async () => {
  const ran = await install("--output", "out", "--json");
  expect(ran.code).toBe(0);
  expect(ran.json().data.installed).toHaveLength(8);
  expect(readdirSync(join(folder.path, "out"))).toHaveLength(8);
  const overview = join(folder.path, "out", "svc-overview.json");
  expect(JSON.parse(readFileSync(overview, "utf8")).title).toBe("svc: Overview");
  writeFileSync(overview, "mine");
  const again = await install("--output", "out");
  expect(again.code).toBe(1);
  expect(again.stderr).toContain("nothing was written");
  expect(readFileSync(overview, "utf8")).toBe("mine");
  expect((await install("--output", "out", "--force")).code).toBe(0);
  expect(readFileSync(overview, "utf8")).not.toBe("mine");
});

it("writes only the chosen packs, for the chosen backend", async () => {
  await install("--backend", "kibana", "--packs", "slo, tls-health", "--output", ".");
  expect(readdirSync(folder.path).sort()).toEqual(["svc-slo.ndjson", "svc-tls-health.ndjson"]);
});

it.each([
  [["--output", "x", "--packs", "overviw"], 'no pack "overviw"; did you mean "overview"?'],
  [[], "one of --output"],
  [["--output", "x", ...URL_FLAGS], "one of --output"],
  [["--url", "grafana.example.com"], "--url is not"],
  [["--backend", "other", "--output", "x"], "Allowed choices are grafana, kibana"],
])("refuses %j", async (args, message) => {
  const ran = await install(...args);
  expect([ran.code, readdirSync(folder.path)]).toEqual([1, []]);
  expect(ran.stderr).toContain(message);
});

it("installs by Grafana's API, with the token that is never shown, overwriting only by --force", async () => {
  const ran = await push([{ status: 200 }], "--packs", "overview", "--verbose");
  expect(ran.code).toBe(0);
  expect(ran.requests[0]?.url).toBe("http://127.0.0.1:9/api/dashboards/db");
  expect(new Headers(ran.requests[0]?.init?.headers).get("authorization")).toBe("Bearer glsa_secret");
  expect(JSON.parse(String(ran.requests[0]?.init?.body))).toMatchObject({
    overwrite: false,
    dashboard: { uid: "svc-overview" },
  });
  expect(ran.stdout + ran.stderr).not.toContain("glsa_secret");
  const forced = await push([{ status: 200 }], "--packs", "overview", "--force");
  expect(JSON.parse(String(forced.requests[0]?.init?.body)).overwrite).toBe(true);
});

it("a refusal names the pack and the reason; after others were installed it exits 4", async () => {
  const first = await push([{ status: 412 }], "--packs", "overview");
  expect(first.code).toBe(1);
  expect(first.stderr).toContain("did not take the pack overview: it is there already");
  const second = await push(
    [{ status: 200 }, { status: 403, body: { message: "no permission" } }],
    "--packs",
    "overview,slo",
    "--json",
  );
  expect(second.code).toBe(4);
  expect(second.json().error).toMatchObject({
    code: "partial_failure",
    message: expect.stringContaining("403: no permission"),
    details: { installed: [{ pack: "overview" }] },
  });
});

it("installs by Kibana's import, which says in its body whether it did", async () => {
  const args = ["--backend", "kibana", "--packs", "slo"];
  const ran = await push([{ status: 200, body: { success: true } }], ...args);
  expect(ran.code).toBe(0);
  expect(ran.requests[0]?.url).toBe("http://127.0.0.1:9/api/saved_objects/_import");
  const headers = new Headers(ran.requests[0]?.init?.headers);
  expect([headers.get("kbn-xsrf"), headers.get("authorization")]).toEqual(["svc", "ApiKey glsa_secret"]);
  const conflict = { success: false, errors: [{ id: "svc-slo", error: { type: "conflict" } }] };
  expect((await push([{ status: 200, body: conflict }], ...args)).stderr).toContain("--force replaces it");
});
