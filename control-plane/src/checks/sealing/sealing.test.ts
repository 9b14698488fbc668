import { type CheckType, checkTypes } from "@svc/contract";
import { afterAll, beforeAll, beforeEach, describe, expect, it } from "vitest";
import { TEST_CERTIFICATE, TEST_KEY } from "../../../../contract/test-support/tls.ts";
import { createTestApp, type TestApp } from "../../../test-support/app.ts";
import { aCheck } from "../../../test-support/builders.ts";
import { dumpDatabase, findPlanted } from "../../../test-support/dump.ts";
import { registerSpecRoutes } from "../api-specs/routes.ts";
import { describeCheckMasked } from "../described.ts";
import { seedHostedLocations } from "../locations/seed.ts";
import { registerCheckRoutes } from "../routes.ts";
import { CheckModel, checkFromRow } from "../row.ts";
import { sealStoredSecrets } from "./seal-stored-secrets.ts";

let test: TestApp;
beforeAll(async () => {
  test = await createTestApp({
    register: async (app, services) => {
      registerCheckRoutes(app, services, []);
      await registerSpecRoutes(app, services);
    },
  });
  await seedHostedLocations(test.services.knex);
});
afterAll(() => test.close());

beforeEach(async () => {
  test.team = await test.createTeam();
});

let planted: string[] = [];
beforeEach(() => {
  planted = [];
});
const plant = (where: string) => {
  planted.push(`planted-${where}`);
  return `planted-${where}`;
};

/** Body of POST /api/checks of whichever type. */
const aCheckOf = (typed: Record<string, unknown>) => {
  const { httpConfig, ...common } = aCheck() as Record<string, unknown>;
  return { ...common, ...typed };
};

/** The field of the request that holds the configuration. */
const keyOf = (body: Record<string, unknown>) => checkTypes.get(body.type as CheckType).configKey;

/** Bodies of checks of every type that can show a certificate or name a proxy, with the secrets of both. */
function checksWithOwnConnections(at: (where: string) => string) {
  return checkTypes.members.flatMap(({ type, configKey, monitorFields, starter }) => {
    const fields = monitorFields as Record<string, unknown>;
    if (!("proxyPassword" in fields)) return [];
    const url = "https://example.org/";
    const certificate = {
      clientCertificate: TEST_CERTIFICATE,
      // A comment is allowed before the key, and hidden with it.
      clientKey: `${at(`${type}-client-key`)}\n${TEST_KEY}`,
    };
    const config = {
      ...starter.fields(url),
      ...("tls" in fields ? { tls: true } : {}),
      ...("transport" in fields ? { transport: "https", resolver: url } : {}),
      ...("script" in fields ? { browserMode: "url", url } : {}),
      ...("clientKey" in fields ? certificate : {}),
      proxyUrl: "http://proxy.example.org:3128",
      proxyUsername: "watch",
      proxyPassword: at(`${type}-proxy-password`),
    };
    return [aCheckOf({ type, [configKey]: config })];
  });
}

/** Bodies of checks with a secret at every place where the masking of configurations finds one. */
function checksWithSecrets(prefix: string) {
  const at = (where: string) => plant(`${prefix}-${where}`);
  const url = (where: string) =>
    `https://${at(`${where}-user`)}:${at(`${where}-password`)}@example.org/?page=2&api_key=${at(`${where}-parameter`)}`;
  return [
    aCheckOf({
      type: "http",
      httpConfig: {
        url: url("http"),
        method: "POST",
        headers: { Accept: "text/plain", "X-Token": at("header"), Cookie: at("cookie") },
        body: at("body"),
        auth: { type: "basic", username: at("basic-user"), password: at("basic-password") },
      },
    }),
    aCheckOf({
      type: "browser",
      browserConfig: { browserMode: "url", url: url("browser") },
    }),
    aCheckOf({
      type: "browser",
      browserConfig: { browserMode: "scripted", script: `await page.fill("#password", "${at("script")}")` },
    }),
    aCheckOf({
      type: "mcp",
      mcpConfig: {
        endpoint: url("mcp"),
        auth: { type: "bearer", token: at("bearer") },
        testCalls: [
          {
            toolName: "login",
            arguments: { password: at("argument"), nested: [{ api_token: at("nested") }] },
          },
        ],
      },
    }),
    ...checksWithOwnConnections(at),
  ];
}

async function create(body: object) {
  const answer = await test.call("POST", "/api/checks", body);
  expect(answer.status, JSON.stringify(answer.body)).toBe(201);
  return answer.body.check;
}
const read = async (id: string) =>
  (await test.call("GET", "/api/checks")).body.checks.find((one: { id: string }) => one.id === id);
const rowOf = (id: string) => test.services.knex("checks").where({ id }).first();
const found = async () => findPlanted(await dumpDatabase(test.services.knex), planted);

describe("the configuration of a check", () => {
  it("comes back as it was given, and no row of the database shows a secret of it", async () => {
    for (const body of checksWithSecrets("new")) {
      const check = await create(body);
      expect(check.configJson).toMatchObject((body as Record<string, object>)[keyOf(body)] as object);
      expect((await read(check.id)).configJson).toEqual(check.configJson);
    }
    expect(await found()).toEqual([]);
  });

  it("keeps in the open where it leads, for statements that look for a host", async () => {
    const [body] = checksWithSecrets("target");
    const { config } = await rowOf((await create(body as object)).id);
    expect(new URL(config.url).host).toBe("example.org");
    expect(config.url).toContain("page=2");
  });

  it("that is changed leaves no secret either, in the row or in the change log", async () => {
    for (const [index, body] of checksWithSecrets("before").entries()) {
      const check = await create(body);
      const after = checksWithSecrets("after")[index] as Record<string, unknown>;
      const configJson = after[keyOf(after)];
      const answer = await test.call("PUT", `/api/checks/${check.id}`, { configJson });
      expect(answer.status, JSON.stringify(answer.body)).toBe(200);
      expect(answer.body.check.configJson).toMatchObject(configJson as object);
    }
    expect(await found()).toEqual([]);
  });
});

describe("secrets that an earlier version stored in the open", () => {
  /** Writes a check's row as versions before did: only the auth block apart. */
  async function storeOpenly(check: { id: string; configJson: Record<string, unknown> }) {
    const { auth, ...rest } = check.configJson;
    const { secrets, knex } = test.services;
    await knex("checks")
      .where({ id: check.id })
      .update({
        config: rest,
        configSecrets: auth ? secrets.seal(JSON.stringify({ auth }), check.id) : null,
      });
  }
  const seal = () => sealStoredSecrets(test.services, new AbortController().signal);

  it("are read as before, and sealed once; nothing else about the check changes", async () => {
    const checks = [];
    for (const body of checksWithSecrets("old")) checks.push(await create(body));
    for (const check of checks) {
      await storeOpenly(check);
      expect((await read(check.id)).configJson).toEqual(check.configJson);
    }
    expect(await found()).not.toEqual([]);
    const before = await Promise.all(checks.map(({ id }) => rowOf(id)));
    expect(await seal()).toEqual({ sealed: checks.length, unreadable: [] });
    expect(await found()).toEqual([]);
    for (const [index, check] of checks.entries()) {
      expect((await read(check.id)).configJson).toEqual(check.configJson);
      const { config, configSecrets, storedBytes, ...row } = await rowOf(check.id);
      expect(before[index]).toMatchObject(row);
    }
    expect(await seal()).toEqual({ sealed: 0, unreadable: [] });
  });

  it("are left alone and named when no known key opens the row", async () => {
    const check = await create(
      aCheck({ httpConfig: { url: "http://127.0.0.1:9/", headers: { "X-Token": "x" } } }),
    );
    const unknown = Buffer.alloc(64, 7);
    await test.services
      .knex("checks")
      .where({ id: check.id })
      .update({ config: { ...check.configJson, body: "open" }, configSecrets: unknown });
    expect((await seal()).unreadable).toEqual([check.id]);
    expect((await rowOf(check.id)).configSecrets).toEqual(unknown);
    await test.services.knex("checks").where({ id: check.id }).delete();
  });

  it("are sealed in the URL of an API spec", async () => {
    const { status, body } = await test.call("POST", "/api/specs", {
      sourceType: "upload",
      content: JSON.stringify({ openapi: "3.1.0", info: { title: "t", version: "1" }, paths: {} }),
    });
    expect(status, JSON.stringify(body)).toBe(201);
    const { id } = body.spec;
    const sourceUrl = `https://example.org/openapi.json?token=${plant("spec-url")}`;
    await test.services.knex("apiSpecs").where({ id }).update({ sourceType: "url", sourceUrl });
    expect((await seal()).sealed).toBe(1);
    expect(await found()).toEqual([]);
    expect((await test.call("GET", `/api/specs/${id}`)).body.spec.sourceUrl).toBe(sourceUrl);
    expect((await seal()).sealed).toBe(0);
  });
});

describe("a secret of a newer version", () => {
  it("that a replica sealed under a mark which is not known here is hidden in masked reads and in the change log", async () => {
    const { body } = await test.call("POST", "/api/checks", aCheck());
    const { secrets, knex } = test.services;
    const { id } = body.check;
    const sealed = secrets.seal(JSON.stringify({ newKey: plant("newer") }), id);
    await knex("checks").where({ id }).update({ configSecrets: sealed });
    const row = await CheckModel.query(knex).findOne({ id }).throwIfNotFound();
    const masked = [
      checkFromRow(secrets, row, "masked"),
      checkFromRow(secrets, row, "masked_credentials"),
      describeCheckMasked(secrets, row),
    ];
    for (const { configJson } of masked) expect(configJson).toMatchObject({ newKey: "***" });
    expect(JSON.stringify(masked)).not.toContain("planted-newer");
    expect(checkFromRow(secrets, row).configJson).toMatchObject({ newKey: "planted-newer" });
  });
});
