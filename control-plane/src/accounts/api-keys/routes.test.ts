import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { createTestApp, type TestApp } from "../../../test-support/app.ts";
import { registerApiKeyRoutes } from "./routes.ts";

let test: TestApp;
beforeAll(async () => {
  test = await createTestApp({ register: registerApiKeyRoutes });
});
afterAll(() => test.close());

const asPerson = (
  method: "GET" | "POST" | "DELETE",
  url: string,
  payload?: Record<string, unknown>,
  team = test.team,
) => test.call(method, url, payload, team.bySession);

describe("making a key", () => {
  it("shows the secret once; it works from then on", async () => {
    const { status, body } = await asPerson("POST", "/api/api-keys", { name: "  CI  ", source: "cli" });
    expect(status).toBe(200);
    expect(body.key).toEqual({
      id: expect.stringMatching(/^key_[0-9a-z]{26}$/),
      name: "CI",
      keyPrefix: body.key.secret.slice(0, 11),
      source: "cli",
      role: "member",
      expiresAt: null,
      secret: expect.stringMatching(/^sk_[0-9a-f]{64}$/),
      createdAt: new Date(test.clock.nowMs()).toISOString(),
    });
    const byNewKey = { authorization: `Bearer ${body.key.secret}` };
    expect((await test.call("GET", "/api/api-keys", undefined, byNewKey)).status).toBe(403);
    const listed = (await asPerson("GET", "/api/api-keys")).body.keys;
    expect(listed.find((key: { id: string }) => key.id === body.key.id)).not.toHaveProperty("secret");
  });

  it("needs no body", async () => {
    const { status, body } = await asPerson("POST", "/api/api-keys");
    expect([status, body.key.name, body.key.source]).toEqual([200, "Untitled Key", "manual"]);
  });

  it.each([
    ["n".repeat(150), "n".repeat(100)],
    ["   ", "Untitled Key"],
  ])("the name is trimmed and cut to 100 characters: %j", async (given, kept) => {
    const { status, body } = await asPerson("POST", "/api/api-keys", { name: given });
    expect([status, body.key.name]).toEqual([200, kept]);
  });

  it.each([
    ["a name that is no text", { name: 5 }, "name"],
    ["an unknown source", { source: "robot" }, "source"],
    ["an unknown field", { nmae: "x" }, "nmae"],
  ])("%s is 400 and named", async (_title, payload, field) => {
    const { status, body } = await asPerson("POST", "/api/api-keys", payload);
    expect([status, Object.keys(body.details.fieldErrors)]).toEqual([400, [field]]);
  });
});

describe("managing keys with a key", () => {
  it.each([
    ["POST", "/api/api-keys"],
    ["GET", "/api/api-keys"],
    ["DELETE", "/api/api-keys/key_x"],
  ] as const)("%s %s is 403 with code session_required", async (method, url) => {
    const { status, body } = await test.call(method, url);
    expect([status, body]).toEqual([403, { error: expect.any(String), code: "session_required" }]);
  });
});

describe("revoking", () => {
  it("any signed-in member revokes any key of the team; a second time is 404", async () => {
    const { body } = await asPerson("POST", "/api/api-keys");
    const path = `/api/api-keys/${body.key.id}`;
    expect(await asPerson("DELETE", path)).toMatchObject({ status: 200, body: { success: true } });
    expect(await asPerson("DELETE", path)).toMatchObject({
      status: 404,
      body: { error: "API key not found" },
    });
  });

  it("another team's key is 404 and stays", async () => {
    const other = await test.createTeam();
    const path = `/api/api-keys/${other.apiKeyId}`;
    expect((await asPerson("DELETE", path)).status).toBe(404);
    expect((await asPerson("GET", "/api/api-keys", undefined, other)).body.keys).toHaveLength(1);
  });

  it.each(["key_x", "chk_01h2xcejqtf2nbrexx3vqjhp41", "..%2f..", "key_'%20OR%201=1--", "%00"])(
    "%s is 404",
    async (id) =>
      expect((await asPerson("DELETE", `/api/api-keys/${id}`)).status).toBe(id === "%00" ? 400 : 404),
  );

  it("a key revokes itself, and only itself", async () => {
    const team = await test.createTeam();
    const answer = await test.call("DELETE", "/api/api-keys/self", undefined, team.byKey);
    expect([answer.status, answer.body]).toEqual([200, { revoked: true }]);
    expect((await test.call("DELETE", "/api/api-keys/self", undefined, team.byKey)).status).toBe(401);
    expect((await asPerson("GET", "/api/api-keys")).status).toBe(200);
  });

  it("a key that was deleted after it authenticated says so", async () => {
    const team = await test.createTeam();
    const { knex } = test.services;
    // Hold the row's deletion open until the request has authenticated and waits for it.
    const deletion = await knex.transaction();
    await deletion("api_keys").where({ id: team.apiKeyId }).delete();
    await knex("api_keys").where({ id: team.apiKeyId }).first();
    const answer = test.call("DELETE", "/api/api-keys/self", undefined, {
      ...team.byKey,
    });
    for (let waiting = false; !waiting; ) {
      const { rows } = await knex.raw(
        "SELECT 1 FROM pg_stat_activity WHERE datname = current_database() AND wait_event_type = 'Lock'",
      );
      waiting = rows.length > 0;
    }
    await deletion.commit();
    expect((await answer).body).toEqual({ revoked: true, alreadyRevoked: true });
  });

  it("a session has no key of its own to revoke", async () => {
    expect((await asPerson("DELETE", "/api/api-keys/self")).status).toBe(400);
  });
});

it("a key that was revoked keeps its name beside what it did", async () => {
  const { body } = await test.call("POST", "/api/api-keys", { name: "Former" }, test.team.bySession);
  await test.call("DELETE", `/api/api-keys/${body.key.id}`, undefined, test.team.bySession);
  const { rows } = await test.services.knex.raw("SELECT actor_name(?) AS name", [body.key.id]);
  expect(rows).toEqual([{ name: "Former" }]);
});
