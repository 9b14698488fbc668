import { readFileSync } from "node:fs";
import { expect, it } from "vitest";
import { fakeService, runSvc } from "../../test-support/run-svc.ts";
import { VERSION } from "../runtime/version.ts";

const key = { SVC_API_KEY: "sk_test" };

it("the version is that of the package", () => {
  const { version } = JSON.parse(readFileSync(new URL("../../package.json", import.meta.url), "utf8"));
  expect(VERSION).toBe(version);
});

it("no word, help and --help list the commands", async () => {
  for (const args of [[], ["help"], ["--help"], ["-h"]]) {
    const { code, stdout } = await runSvc(args);
    expect(code).toBe(0);
    expect(stdout).toContain("api");
  }
});

it("--version is answered with any other flag, too", async () => {
  expect((await runSvc(["--version"])).stdout).toBe(`${VERSION}\n`);
  expect((await runSvc(["--json", "-V"])).json()).toEqual({ ok: true, data: { version: VERSION } });
  expect((await runSvc(["api", "-V"])).stdout).toBe(`${VERSION}\n`);
});

it("a mistyped command names the nearest one and exits 1", async () => {
  const { code, stderr, stdout } = await runSvc(["apo"]);
  expect(code).toBe(1);
  expect(stdout).toBe("");
  expect(stderr).toContain('unknown command "apo"; did you mean "api"?');
});

it("an unknown flag names the nearest one", async () => {
  const { code, stderr } = await runSvc(["api", "/x", "--metod", "PUT"]);
  expect(code).toBe(1);
  expect(stderr).toContain("unknown option '--metod'");
  expect(stderr).toContain("--method");
});

it("global flags may stand before the command", async () => {
  const { fetch, requests } = fakeService({ "GET /api/checks": { checks: [] } });
  const ran = await runSvc(["--api-url", "http://127.0.0.1:9", "--json", "api", "/api/checks"], {
    env: key,
    fetch,
  });
  expect(ran.json()).toEqual({ ok: true, data: { checks: [] } });
  expect(requests[0]?.headers.get("authorization")).toBe("Bearer sk_test");
});

it("--verbose shows no stack trace for an error that was foreseen", async () => {
  const { fetch } = fakeService({});
  for (const options of [{}, { env: key, fetch }, { env: key, fetch: () => Promise.reject(unreachable()) }]) {
    const ran = await runSvc(["api", "/api/checks", "--verbose"], options);
    expect(ran.code).not.toBe(0);
    expect(ran.stderr).toContain("error: ");
    expect(ran.stderr).not.toContain("    at ");
  }
});

it("--verbose shows the stack trace of an error that nobody foresaw", async () => {
  const fetch = () => Promise.reject(new RangeError("nobody foresaw this"));
  const ran = await runSvc(["api", "/api/checks", "--verbose"], { env: key, fetch });
  expect(ran.stderr).toContain("    at ");
});

function unreachable(): TypeError {
  return new TypeError("fetch failed", { cause: new Error("connect ECONNREFUSED") });
}

it("without credentials the exit code is 2 and nothing is asked", async () => {
  const ran = await runSvc(["api", "/api/checks", "--json"]);
  expect(ran.code).toBe(2);
  expect(ran.json()).toMatchObject({ ok: false, error: { code: "auth_failure", details: { exitCode: 2 } } });
});

it.each([
  [401, { error: "Invalid or revoked credentials" }, 2, "auth_failure"],
  [403, { error: "The plan allows 1 location per check" }, 3, "plan_limit"],
  [403, { error: "A dashboard session is needed", code: "session_required" }, 2, "auth_failure"],
  [404, { error: "Check not found" }, 1, "general_error"],
  [409, { error: "taken" }, 1, "general_error"],
  [429, { error: "too many" }, 1, "general_error"],
  [500, { error: "Internal error" }, 1, "general_error"],
])("an answer %i is exit code by its kind", async (status, body, code, reason) => {
  const { fetch } = fakeService({ "GET /api/x": () => ({ status, body }) });
  const ran = await runSvc(["api", "/api/x", "--json"], { env: key, fetch });
  expect(ran.code).toBe(code);
  expect(ran.json().error.code).toBe(reason);
});

it("a service that can't be reached is named with its address", async () => {
  const fetch = () =>
    Promise.reject(new TypeError("fetch failed", { cause: new Error("connect ECONNREFUSED 127.0.0.1:9") }));
  const ran = await runSvc(["api", "/api/x"], { env: { ...key, SVC_API_URL: "http://127.0.0.1:9/" }, fetch });
  expect(ran.code).toBe(1);
  expect(ran.stderr).toContain("http://127.0.0.1:9 can't be reached: connect ECONNREFUSED");
});

it("the API key is never shown, not even when the service repeats it", async () => {
  const { fetch } = fakeService({
    "GET /api/x": () => ({ status: 400, body: { error: "bad key sk_test" } }),
  });
  for (const flags of [[], ["--json"], ["--verbose"]]) {
    const ran = await runSvc(["api", "/api/x", ...flags], { env: key, fetch });
    expect(ran.stdout + ran.stderr).not.toContain("sk_test");
  }
});

it("hostile text of the service reaches neither terminal nor CI runner", async () => {
  const evil = "\u001b[2J\n::error::x ##vso[task.setvariable variable=a]b \u202e";
  const { fetch } = fakeService({ "GET /api/x": { evil } });
  const text = await runSvc(["api", "/api/x"], { env: key, fetch });
  expect(text.stdout).not.toContain("\u001b");
  expect(text.stdout).not.toMatch(/\u202e|^\s*::|##\w*\[/m);
  expect((await runSvc(["api", "/api/x", "--json"], { env: key, fetch })).json().data.evil).toBe(evil);
});

it("Ctrl+C ends a request that waits, with the code of shells", async () => {
  const interruption = new AbortController();
  const fetch = (_input: unknown, init?: RequestInit) =>
    new Promise<Response>((_resolve, reject) => {
      init?.signal?.addEventListener("abort", () => reject(init.signal?.reason));
      interruption.abort();
    });
  const ran = await runSvc(["api", "/api/x"], {
    env: key,
    fetch: fetch as typeof globalThis.fetch,
    interrupted: interruption.signal,
  });
  expect(ran.code).toBe(130);
  expect(ran.stderr).toContain("interrupted");
});
