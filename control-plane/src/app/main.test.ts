import { once } from "node:events";
import { mkdtempSync, rmSync } from "node:fs";
import net from "node:net";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { Validator } from "@seriousme/openapi-schema-validator";
import { pino } from "pino";
import { afterAll, afterEach, beforeAll, describe, expect, inject, it, vi } from "vitest";
import { checkAnswer } from "../../test-support/api-document.ts";
import { createTestDatabase, type TestDatabase } from "../../test-support/database.ts";
import { newKey } from "../accounts/identity/tokens.ts";
import { parseConfig } from "../platform/config.ts";
import { runProgram } from "./commands/program.ts";
import { type ControlPlane, startControlPlane } from "./main.ts";

const log = pino({ level: process.env.SVC_TEST_LOG_LEVEL ?? "silent" });
const API_KEY = newKey("sk_");

function configFor(databaseUrl: string, settings: Record<string, string> = {}) {
  return parseConfig({
    SVC_HTTP_PORT: "0",
    SVC_RUNNER_PORT: "0",
    DATABASE_URL: databaseUrl,
    SVC_SECRET_KEY: "a-secret-key-that-only-tests-use-0123456789",
    SVC_BOOTSTRAP_API_KEY: API_KEY,
    SVC_DATABASE_POOL_MAX: "6",
    ...settings,
  });
}

/** Fields of the answers that these tests read. Each answer has some of them. */
interface AnswerBody {
  error: string;
  reason: string;
  locations: unknown[];
  paths: Record<string, object>;
}

async function get(controlPlane: ControlPlane, path: string, headers: Record<string, string> = {}) {
  const response = await fetch(controlPlane.httpUrl + path, { headers });
  const { status } = response;
  const contentType = response.headers.get("content-type") ?? undefined;
  const body = await response.text();
  await checkAnswer({ method: "GET", path, status, contentType, body });
  return { status, body: JSON.parse(body) as AnswerBody };
}

async function until(condition: () => Promise<boolean>): Promise<void> {
  while (!(await condition())) await new Promise((resolve) => setTimeout(resolve, 50));
}

describe("a running control plane", () => {
  let database: TestDatabase;
  let controlPlane: ControlPlane;
  beforeAll(async () => {
    database = await createTestDatabase({ template: false });
    controlPlane = await startControlPlane(configFor(database.url), log);
    await controlPlane.ready;
  });
  afterAll(async () => {
    await controlPlane.close();
    await database.drop();
  });

  it("has migrated and provisioned an empty database, and is ready", async () => {
    expect(await get(controlPlane, "/readyz")).toEqual({ status: 200, body: { status: "ready" } });
    const byKey = { authorization: `Bearer ${API_KEY}` };
    expect(await get(controlPlane, "/api/checks", byKey)).toEqual({ status: 200, body: { checks: [] } });
    expect((await get(controlPlane, "/api/locations", byKey)).body.locations).toHaveLength(14);
  });

  it("describes its whole API in a valid OpenAPI 3.1 document", async () => {
    const { body } = await get(controlPlane, "/api/openapi.json");
    const validation = await new Validator().validate({ ...structuredClone(body) });
    expect(validation).toMatchObject({ valid: true });
    expect(Object.keys(body.paths)).toEqual(
      expect.arrayContaining([
        "/api/checks",
        "/api/checks/{id}",
        "/api/checks/{id}/results",
        "/api/checks/{id}/trigger",
        "/api/checks/{id}/coverage",
        "/api/locations",
        "/api/locations/{id}/keys",
        "/api/locations/{id}/runners",
        "/api/runner/results",
        "/api/api-keys",
        "/api/auth/login",
        "/healthz",
      ]),
    );
    const operations = Object.values(body.paths).flatMap((path) => Object.values(path as object));
    expect(operations.filter(({ summary }) => !summary)).toEqual([]);
  });

  it("a second replica on the same database makes nothing anew", async () => {
    const replica = await startControlPlane(configFor(database.url), log);
    expect((await replica.ready).firstBoot).toBeUndefined();
    expect(await database.knex("teams")).toHaveLength(1);
    await replica.close();
  });

  it("a runners' port that is in use ends the start with the system's error, and nothing stays open", async () => {
    const occupied = net.createServer().listen(0, "127.0.0.1");
    await once(occupied, "listening");
    const port = String((occupied.address() as net.AddressInfo).port);
    const second = await startControlPlane(configFor(database.url, { SVC_RUNNER_PORT: port }), log);
    await expect(second.ready).rejects.toMatchObject({ code: "EADDRINUSE" });
    await second.close();
    const first = startControlPlane(configFor(database.url, { SVC_HTTP_PORT: port }), log);
    await expect(first).rejects.toMatchObject({ code: "EADDRINUSE" });
    occupied.close();
  });
});

describe("a database that is away", () => {
  const endings: (() => unknown)[] = [];
  afterEach(async () => {
    for (const end of endings.splice(0).reverse()) await end();
  });

  /** The test's server behind a port that can be closed and opened. */
  async function aDoorTo(database: TestDatabase) {
    const url = new URL(inject("testPostgresUrl").replace(/^postgres:\/\/\//, "postgres://socket/"));
    const folder = url.searchParams.get("host");
    const target = folder
      ? { path: join(folder, ".s.PGSQL.5432") }
      : { host: url.hostname, port: Number(url.port) };
    const sockets = new Set<net.Socket>();
    const server = net.createServer((client) => {
      const upstream = net.connect(target as net.NetConnectOpts);
      for (const socket of [client, upstream]) {
        sockets.add(socket);
        socket.on("error", () => undefined).on("close", () => sockets.delete(socket));
      }
      client.pipe(upstream).pipe(client);
      client.on("close", () => upstream.destroy());
      upstream.on("close", () => client.destroy());
    });
    const probe = net.createServer().listen(0, "127.0.0.1");
    await once(probe, "listening");
    const { port } = probe.address() as net.AddressInfo;
    probe.close();
    await once(probe, "close");
    const user = url.searchParams.get("user") ?? url.username;
    const door = {
      url: `postgres://${user}@127.0.0.1:${port}/${/\/([^/?]+)(\?|$)/.exec(database.url)?.[1]}`,
      open: async () => {
        server.listen(port, "127.0.0.1");
        await once(server, "listening");
      },
      close: async () => {
        if (!server.listening) return;
        server.close();
        for (const socket of sockets) socket.destroy();
        await once(server, "close");
      },
    };
    endings.push(door.close);
    return door;
  }

  it("at the start: /healthz is fine and /readyz says why it waits, until it comes up; the same when it goes later", async () => {
    const database = await createTestDatabase({ template: false });
    endings.push(() => database.drop());
    const door = await aDoorTo(database);
    const controlPlane = await startControlPlane(configFor(door.url), log);
    endings.push(() => controlPlane.close());
    await until(async () => (await get(controlPlane, "/readyz")).body.reason.includes("not ready"));
    expect(await get(controlPlane, "/readyz")).toMatchObject({
      status: 503,
      body: { status: "starting", reason: expect.stringMatching(/database.*ECONNREFUSED/) },
    });
    expect((await get(controlPlane, "/healthz")).status).toBe(200);
    expect((await get(controlPlane, "/api/checks")).status).toBe(503);

    await door.open();
    await controlPlane.ready;
    const byKey = { authorization: `Bearer ${API_KEY}` };
    expect((await get(controlPlane, "/api/checks", byKey)).status).toBe(200);

    await door.close();
    expect(await get(controlPlane, "/readyz")).toMatchObject({
      status: 503,
      body: { status: "unavailable" },
    });
    const answer = await get(controlPlane, "/api/checks", byKey);
    expect([answer.status, answer.body.error]).toEqual([
      503,
      "The database is not available at the moment; try again",
    ]);

    await door.open();
    await until(async () => (await get(controlPlane, "/api/checks", byKey)).status === 200);
    expect((await get(controlPlane, "/readyz")).status).toBe(200);
  });

  it("a control plane that waits for it ends at once when asked to", async () => {
    const database = await createTestDatabase({ template: false });
    endings.push(() => database.drop());
    const controlPlane = await startControlPlane(configFor((await aDoorTo(database)).url), log);
    await until(async () => (await get(controlPlane, "/readyz")).body.reason.includes("not ready"));
    await controlPlane.close();
    await expect(controlPlane.ready).rejects.toThrow();
  });
});

describe("the embedded database", () => {
  it("serves an operator's commands beside the service; a second control plane on its folder is refused", async () => {
    const folder = mkdtempSync(join(tmpdir(), "svc-main-"));
    const config = parseConfig({ SVC_HTTP_PORT: "0", SVC_RUNNER_PORT: "0", SVC_DATA_DIR: folder });
    const first = await startControlPlane(config, log);
    const { firstBoot } = await first.ready;
    expect(firstBoot).toMatchObject({
      // No agent runs beside it, and others would not find it at its loopback address.
      hasExampleCheck: false,
      signInLink: expect.stringContaining(first.httpUrl),
    });
    vi.stubEnv("SVC_DATA_DIR", folder);
    const printed: string[] = [];
    expect(
      await runProgram(["node", "svc-control-plane", "teams", "list"], (text) => printed.push(text)),
    ).toBe(0);
    expect(printed.join()).toContain("My team");
    vi.unstubAllEnvs();
    await expect(startControlPlane(config, log)).rejects.toThrow(/in use by another control plane/);
    expect((await get(first, "/readyz")).status).toBe(200);
    await first.close();
    rmSync(folder, { recursive: true, force: true });
  });
});
