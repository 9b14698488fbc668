import { readdirSync, readFileSync } from "node:fs";
import { auditActions, MINUTE_MS } from "@svc/contract";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { createTestApp, type TestApp } from "../../../test-support/app.ts";
import { registerCheckRoutes } from "../../checks/routes.ts";
import { registerChannelRoutes } from "../../outbox/channels/routes.ts";
import { OPERATOR } from "../../platform/team-context.ts";
import { registerApiKeyRoutes } from "../api-keys/routes.ts";
import { hashPassword } from "../identity/passwords.ts";
import { registerIdentityRoutes } from "../identity/routes.ts";
import { createTeam } from "../teams/create-team.ts";
import { forgetAuditEntries } from "./forget-audit-entries.ts";
import { recordAudit } from "./record-audit.ts";
import { registerAuditRoutes } from "./routes.ts";

let app: TestApp;
const browser = { "user-agent": "Mozilla/5.0 (test)" };

beforeAll(async () => {
  app = await createTestApp({
    register: (api, services) => {
      registerIdentityRoutes(api, services);
      registerApiKeyRoutes(api, services);
      registerChannelRoutes(api, services);
      registerCheckRoutes(api, services, []);
      registerAuditRoutes(api, services);
    },
  });
});
afterAll(() => app?.close());

async function entries(query = "", headers: Record<string, string> = app.team.bySession) {
  const { status, body } = await app.call("GET", `/api/audit${query}`, undefined, headers);
  expect(status, JSON.stringify(body)).toBe(200);
  return body.entries;
}

async function emailWithPassword(password: string): Promise<string> {
  const { userId } = app.team;
  await app.services
    .knex("users")
    .where({ id: userId })
    .update({ passwordHash: await hashPassword(password) });
  return `${userId}@example.com`;
}

describe("people", () => {
  it("a sign-in and a sign-out name the person, the address, the browser and the way", async () => {
    const email = await emailWithPassword("a long password");
    const login = await app.call("POST", "/api/auth/login", { email, password: "a long password" }, browser);
    const [cookie] = [login.headers["set-cookie"]].flat().map((text) => text?.split(";", 1)[0]);
    await app.call("POST", "/api/auth/logout", undefined, {
      ...browser,
      origin: app.team.bySession.origin,
      cookie: cookie as string,
    });
    const [ended, started] = await entries(`?actor=${encodeURIComponent(email.toUpperCase())}`);
    expect(started).toMatchObject({
      action: "session.started",
      actor: app.team.userId,
      actorKind: "user",
      actorName: email,
      via: "ui",
      address: "127.0.0.1",
      userAgent: browser["user-agent"],
      detail: { by: "password" },
    });
    expect(ended).toMatchObject({ action: "session.ended", actor: app.team.userId, actorName: email });
  });

  it("a wrong password is recorded with the account that it was tried on, once an hour for an address", async () => {
    const email = await emailWithPassword("a long password");
    for (const password of ["wrong", "wronger"])
      await app.call("POST", "/api/auth/login", { email, password }, browser);
    await app.call("POST", "/api/auth/login", { email: "nobody@example.com", password: "x" }, browser);
    expect(await entries("?action=sign_in.failed")).toEqual([
      expect.objectContaining({
        actor: null,
        actorKind: "unknown",
        actorName: null,
        resourceId: app.team.userId,
        resourceName: email,
      }),
    ]);
    const ofNoTeam = await app.services
      .knex("auditEntries")
      .whereNull("teamId")
      .select("action", "resourceName");
    expect(ofNoTeam).toEqual([{ action: "sign_in.failed", resourceName: null }]);
  });
});

describe("keys", () => {
  it("a key that is made and revoked is recorded in the transaction of the change", async () => {
    const { body } = await app.call("POST", "/api/api-keys", { name: "CI" }, app.team.bySession);
    await app.call("DELETE", `/api/api-keys/${body.key.id}`, undefined, app.team.bySession);
    const about = (await entries()).filter(
      ({ resourceId }: { resourceId: string }) => resourceId === body.key.id,
    );
    expect(
      about.map(({ action, resourceName, via }: Record<string, string>) => [action, resourceName, via]),
    ).toEqual([
      ["api_key.revoked", "CI", "ui"],
      ["api_key.created", "CI", "ui"],
    ]);
  });

  it("a key's first request from an address is recorded, further ones are not", async () => {
    const { apiKeyId, byKey } = app.team;
    for (const remoteAddress of ["192.0.2.1", "192.0.2.1", "2001:db8::1", "2001:db8::2"])
      await app.app.inject({ url: "/api/audit", headers: byKey, remoteAddress });
    const uses = await entries(`?action=api_key.used_from_new_address&actor=${apiKeyId}`);
    expect(uses.map(({ address }: { address: string }) => address)).toEqual(["2001:db8::1", "192.0.2.1"]);
    expect(uses[0]).toMatchObject({ actorName: "Test key", actorKind: "api_key", via: "key" });
  });

  it("a request of the command line came by cli", async () => {
    const headers = { ...app.team.byKey, "user-agent": "svc-cli/1.0.0" };
    await app.app.inject({ url: "/api/audit", headers, remoteAddress: "192.0.2.77" });
    expect((await entries("?action=api_key.used_from_new_address"))[0]).toMatchObject({ via: "cli" });
  });
});

describe("secrets", () => {
  it("reads of configurations in clear are recorded once an hour for a reader", async () => {
    const { byKey, bySession } = app.team;
    const reveals = () => entries("?action=secrets.revealed");
    await app.call("GET", "/api/checks?view=summary");
    expect(await reveals()).toEqual([]);
    for (const headers of [byKey, byKey, bySession]) await app.call("GET", "/api/checks", undefined, headers);
    await app.call("GET", "/api/notification-channels");
    expect((await reveals()).map(({ detail, via }: Record<string, unknown>) => [detail, via])).toEqual([
      [{ of: "channels" }, "key"],
      [{ of: "checks" }, "ui"],
      [{ of: "checks" }, "key"],
    ]);
    app.clock.advance(60 * MINUTE_MS);
    await app.call("GET", "/api/checks");
    expect(await reveals()).toHaveLength(4);
  });
});

describe("the log", () => {
  it("is restricted by time, paged, and shows a team its own entries alone", async () => {
    const all = await entries("?limit=200");
    const [newest, second] = all;
    const { body } = await app.call("GET", "/api/audit?limit=1", undefined, app.team.bySession);
    expect(body).toMatchObject({ entries: [newest], limit: 1, offset: 0 });
    const next = `/api/audit?limit=1&cursor=${body.nextCursor}`;
    expect((await app.call("GET", next, undefined, app.team.bySession)).body.entries).toEqual([second]);
    expect(await entries("?from=2999-01-01T00:00:00Z")).toEqual([]);
    expect(await entries(`?to=${all.at(-1).createdAt}`)).toEqual([]);
    expect((await app.call("GET", "/api/audit?from=yesterday")).status).toBe(400);
    const other = await app.createTeam();
    expect(await entries("", other.bySession)).toEqual([]);
  });

  it("names the operator of a command; an entry that fails undoes its transaction", async () => {
    const author = { ...OPERATOR, name: "root@host" };
    const { teamId } = await createTeam(app.services, { name: "Shop", ownerEmail: "o@example.com", author });
    const [entry] = await app.services.knex("auditEntries").where({ teamId }).select();
    expect(entry).toMatchObject({ action: "team.created", actorKind: "operator", actorName: "root@host" });
    const services = { ...app.services, onAudit: () => Promise.reject(new Error("full")) };
    await expect(createTeam(services, { name: "Lost", ownerEmail: "l@example.com", author })).rejects.toThrow(
      "full",
    );
    expect(await app.services.knex("teams").where({ name: "Lost" })).toEqual([]);
  });

  it("is exported as the telemetry event synthetics.audit", async () => {
    const [event] = await app.services
      .knex("derivedEvents")
      .where({ name: "synthetics.audit", teamId: app.team.teamId })
      .orderBy("id")
      .limit(1);
    expect(event.attributes).toMatchObject({ "synthetics.audit.action": "session.started" });
  });

  it("forgets old entries, and the oldest of a kind that a team has too many of", async () => {
    const { teamId, bySession } = await app.createTeam();
    const ctx = { services: app.services, teamId, author: OPERATOR };
    await recordAudit(ctx, { action: "team.plan_changed", detail: { plan: "free" } });
    for (const by of ["a", "b", "c"]) await recordAudit(ctx, { action: "session.started", detail: { by } });
    const kept = async () => (await entries("", bySession)).map(({ detail }: { detail: unknown }) => detail);
    await forgetAuditEntries(app.services.knex, { fromMs: 0, entriesMax: 2 });
    expect(await kept()).toEqual([{ by: "c" }, { by: "b" }, { plan: "free" }]);
    await forgetAuditEntries(app.services.knex, { fromMs: app.clock.nowMs() + 1, entriesMax: 2 });
    expect(await kept()).toEqual([]);
  });
});

it("every action of the contract is recorded somewhere", () => {
  const folder = new URL("../../", import.meta.url);
  const sources = readdirSync(folder, { recursive: true, encoding: "utf8" })
    .filter((file) => file.endsWith(".ts") && !file.endsWith(".test.ts") && !file.includes("forget-audit"))
    .map((file) => readFileSync(new URL(file, folder), "utf8"))
    .join("\n");
  expect(auditActions.types.filter((action) => !sources.includes(`"${action}"`))).toEqual([]);
});
