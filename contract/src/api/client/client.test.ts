import { createServer, type IncomingMessage, type Server } from "node:http";
import type { AddressInfo } from "node:net";
import { afterAll, beforeAll, beforeEach, describe, expect, it } from "vitest";
import { ApiError } from "./api-error.ts";
import { type ApiClient, createApiClient } from "./client.ts";

let server: Server;
let client: ApiClient;
let seen: { method?: string; url?: string; headers: IncomingMessage["headers"]; body: string };
let answer: { status: number; body: string; headers?: Record<string, string> };

beforeAll(async () => {
  server = createServer((request, response) => {
    let body = "";
    request.on("data", (chunk) => {
      body += chunk;
    });
    request.on("end", () => {
      seen = { method: request.method, url: request.url, headers: request.headers, body };
      response.writeHead(answer.status, answer.headers).end(answer.body);
    });
  });
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  const baseUrl = `http://127.0.0.1:${(server.address() as AddressInfo).port}//`;
  client = createApiClient({ baseUrl, apiKey: "sk_test", headers: { "X-Svc-Source": "yaml" } });
});
afterAll(() => server.close());
beforeEach(() => {
  answer = { status: 200, body: "{}" };
});

describe("requests", () => {
  const body = { name: "a" };
  it.each([
    ["listChecks", () => client.listChecks(), "GET /api/checks"],
    ["listCheckSummaries", () => client.listCheckSummaries(), "GET /api/checks?view=summary"],
    ["listSlos", () => client.listSlos(), "GET /api/slos?limit=200"],
    ["listCheckHealth", () => client.listCheckHealth(), "GET /api/checks/health?limit=200"],
    [
      "listAllAlertInstances",
      () => client.listAllAlertInstances({ state: ["active"] }),
      "GET /api/alerts/instances?limit=200&state=active",
    ],
    ["getCheck", () => client.getCheck("chk_1"), "GET /api/checks/chk_1"],
    ["updateCheck", () => client.updateCheck("chk_1", body), "PUT /api/checks/chk_1"],
    ["deleteCheck", () => client.deleteCheck("chk_1"), "DELETE /api/checks/chk_1"],
    ["triggerCheck", () => client.triggerCheck("chk_1"), "POST /api/checks/chk_1/trigger"],
    ["listResults", () => client.listResults("chk_1"), "GET /api/checks/chk_1/results"],
    [
      "listResults with a page",
      () => client.listResults("chk_1", { limit: 5, offset: 0, detail: true }),
      "GET /api/checks/chk_1/results?limit=5&offset=0&detail=true",
    ],
    ["getResult", () => client.getResult("chk_1", "res_1"), "GET /api/checks/chk_1/results/res_1"],
    ["getCoverage", () => client.getCoverage("chk_1", "1h"), "GET /api/checks/chk_1/coverage?range=1h"],
    ["listSpecs", () => client.listSpecs(), "GET /api/specs"],
    [
      "createSpec",
      () => client.createSpec({ sourceType: "upload", content: "openapi: 3.0.0" }),
      "POST /api/specs",
    ],
    ["getSpec", () => client.getSpec("spec_1"), "GET /api/specs/spec_1"],
    ["updateSpec", () => client.updateSpec("spec_1"), "PUT /api/specs/spec_1"],
    ["deleteSpec", () => client.deleteSpec("spec_1"), "DELETE /api/specs/spec_1"],
    [
      "generateChecks",
      () => client.generateChecks({ spec: { source: "id", specId: "spec_1" }, locations: ["loc_a"] }),
      "POST /api/checks/generate",
    ],
    ["getCheckAsCode", () => client.getCheckAsCode("chk_1"), "GET /api/checks/chk_1/as-code"],
    ["getSloAsCode", () => client.getSloAsCode("slo_1"), "GET /api/slos/slo_1/as-code"],
    [
      "getChannelAsCode",
      () => client.getChannelAsCode("nch_1"),
      "GET /api/notification-channels/nch_1/as-code",
    ],
    [
      "getMaintenanceWindowAsCode",
      () => client.getMaintenanceWindowAsCode("mw_1"),
      "GET /api/maintenance-windows/mw_1/as-code",
    ],
    ["getAlertRuleAsCode", () => client.getAlertRuleAsCode("alert_1"), "GET /api/alerts/alert_1/as-code"],
    ["getRotaAsCode", () => client.getRotaAsCode("rota_1"), "GET /api/rotas/rota_1/as-code"],
    ["getStatusPageAsCode", () => client.getStatusPageAsCode("stp_1"), "GET /api/status-pages/stp_1/as-code"],
    ["listLocations", () => client.listLocations(), "GET /api/locations"],
    [
      "listLocations, all",
      () => client.listLocations({ includeDeprecated: true }),
      "GET /api/locations?include_deprecated=true",
    ],
    ["updateLocation", () => client.updateLocation("loc_1", body), "PUT /api/locations/loc_1"],
    ["deleteLocation", () => client.deleteLocation("loc_1"), "DELETE /api/locations/loc_1"],
    ["listRunners", () => client.listRunners("loc_1"), "GET /api/locations/loc_1/runners"],
    ["createRunnerKey", () => client.createRunnerKey("loc_1"), "POST /api/locations/loc_1/keys"],
    ["listRunnerKeys", () => client.listRunnerKeys("loc_1"), "GET /api/locations/loc_1/keys"],
    [
      "deleteRunnerKey",
      () => client.deleteRunnerKey("loc_1", "rkey_1"),
      "DELETE /api/locations/loc_1/keys/rkey_1",
    ],
    ["createApiKey", () => client.createApiKey(body), "POST /api/api-keys"],
    ["listApiKeys", () => client.listApiKeys(), "GET /api/api-keys"],
    ["deleteApiKey", () => client.deleteApiKey("key_1"), "DELETE /api/api-keys/key_1"],
    ["revokeOwnApiKey", () => client.revokeOwnApiKey(), "DELETE /api/api-keys/self"],
  ])("%s", async (_name, act, request) => {
    await act();
    expect(`${seen.method} ${seen.url}`).toBe(request);
    expect(seen.headers).toMatchObject({ authorization: "Bearer sk_test", "x-svc-source": "yaml" });
  });

  it("a body goes out as JSON, and its absence without a content type", async () => {
    answer.body = '{"check": {"id": "chk_1"}}';
    const check = {
      name: "é",
      type: "http" as const,
      locations: ["loc_us_east"],
      httpConfig: { url: "http://a/" },
    };
    expect(await client.createCheck(check)).toEqual({ id: "chk_1" });
    expect(seen.headers["content-type"]).toBe("application/json");
    expect(JSON.parse(seen.body)).toEqual(check);
    await client.triggerCheck("chk_1");
    expect(seen.headers["content-type"]).toBeUndefined();
  });

  it("a read names the version of its record, and a change the one that it was made from", async () => {
    answer = { status: 200, body: '{"rota": {"id": "rota_1"}}', headers: { etag: '"v1"' } };
    expect(await client.readRota("rota_1")).toEqual({ rota: { id: "rota_1" }, etag: '"v1"' });
    expect(`${seen.method} ${seen.url}`).toBe("GET /api/rotas/rota_1");
    await client.updateRota("rota_1", { name: "a" }, '"v1"');
    expect(seen.headers["if-match"]).toBe('"v1"');
    await client.updateRota("rota_1", { name: "a" });
    expect(seen.headers).not.toHaveProperty("if-match");
    answer = { status: 200, body: '{"check": {"id": "chk_1"}, "results": []}' };
    expect(await client.readCheck("chk_1")).toEqual({ check: { id: "chk_1" }, etag: undefined });
  });

  it("an id can't become another path", async () => {
    await client.getCheck("a/b?c#d");
    expect(seen.url).toBe("/api/checks/a%2Fb%3Fc%23d");
    for (const id of ["", ".", ".."])
      await expect(async () => client.deleteRunnerKey("loc_1", id)).rejects.toThrow(RangeError);
  });
});

describe("error answers", () => {
  it("carry status and envelope", async () => {
    const envelope = {
      error: "Validation failed",
      details: { fieldErrors: { name: ["required"] }, formErrors: [] },
    };
    answer = { status: 400, body: JSON.stringify(envelope) };
    const error = await client.listChecks().catch((error: unknown) => error);
    expect(error).toBeInstanceOf(ApiError);
    expect(error).toMatchObject({ status: 400, message: "Validation failed", envelope });
  });

  it("a rate limit says when to come back", async () => {
    answer = { status: 429, body: '{"error": "slow down"}', headers: { "retry-after": "7" } };
    await expect(client.listChecks()).rejects.toMatchObject({ status: 429, retryAfterSeconds: 7 });
  });

  it.each(["<html>Bad gateway</html>", "", "[]", '{"error": 5}'])(
    "a proxy's %j is an error without an envelope",
    async (body) => {
      answer = { status: 502, body };
      await expect(client.listChecks()).rejects.toMatchObject({
        status: 502,
        envelope: undefined,
        message: "The service answered 502",
      });
    },
  );
});
