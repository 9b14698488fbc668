import { API_ROUTES, DAY_MS, HOUR_MS, MINUTE_MS } from "@svc/contract";
import { afterAll, beforeAll, beforeEach, describe, expect, it } from "vitest";
import { createTestApp, type TestApp } from "../../../test-support/app.ts";
import { aCheck } from "../../../test-support/builders.ts";
import { addPerson } from "../../../test-support/people.ts";
import { seedHostedLocations } from "../../checks/locations/seed.ts";
import { registerCheckRoutes } from "../../checks/routes.ts";
import { registerOverviewRoutes } from "../../overview/routes.ts";
import { registerAuditRoutes } from "../audit/routes.ts";
import { registerIdentityRoutes } from "../identity/routes.ts";
import { registerPeopleRoutes } from "../people/routes.ts";
import { registerTeamRoutes } from "../teams/routes.ts";
import { registerDisplayLinkRoutes } from "./routes.ts";

let test: TestApp;
beforeAll(async () => {
  test = await createTestApp({
    register: (app, services) => {
      registerIdentityRoutes(app, services);
      registerPeopleRoutes(app, services);
      registerTeamRoutes(app, services, { dependents: [], exportSections: () => [] });
      registerDisplayLinkRoutes(app, services);
      registerCheckRoutes(app, services, []);
      registerOverviewRoutes(app, services);
      registerAuditRoutes(app, services);
    },
  });
});
afterAll(() => test?.close());
beforeAll(() => seedHostedLocations(test.services.knex));
beforeEach(async () => {
  test.team = await test.createTeam();
});

type Headers = Record<string, string>;
const make = (body: object = {}, headers: Headers = test.team.bySession) =>
  test.call("POST", "/api/display-links", body, headers);
const list = async (headers: Headers = test.team.bySession) =>
  (await test.call("GET", "/api/display-links", undefined, headers)).body.displayLinks;
const revoke = (id: string, headers: Headers = test.team.bySession) =>
  test.call("DELETE", `/api/display-links/${id}`, undefined, headers);
const open = (secret: string) => test.call("POST", "/api/auth/display", { secret }, {});
const show = (headers: Headers) => test.call("GET", "/api/auth/display", undefined, headers);
const summary = (headers: Headers) => test.call("GET", "/api/checks/summary", undefined, headers);
const secretOf = (url: string) => new URL(url).hash.slice(1);
const cookieOf = ({ headers }: { headers: Record<string, unknown> }) => String(headers["set-cookie"]);
const entries = async (action: string) =>
  (await test.call("GET", `/api/audit?action=${action}`, undefined, test.team.bySession)).body.entries;

/** Makes a link and opens it. Returns its id, its secret and the headers of the screen. */
async function aScreen(body: object = {}) {
  const { displayLink } = (await make(body)).body;
  const secret = secretOf(displayLink.url);
  const opened = await open(secret);
  expect(opened.status).toBe(200);
  const [cookie = ""] = cookieOf(opened).split(";");
  return { id: displayLink.id as string, secret, screen: { cookie } };
}

describe("a display link", () => {
  it("is shown once, with its secret behind the #, and stored as a hash", async () => {
    const view = { label: "team:api", groupBy: "location", rotateSeconds: 30 };
    const { status, body } = await make({ name: "Hall", ...view });
    const { url, ...link } = body.displayLink;
    expect([status, url]).toEqual([
      201,
      expect.stringMatching(/^http:\/\/[^?#]*\/wall\/open#dl_[0-9a-f]{64}$/),
    ]);
    expect(link).toMatchObject({ name: "Hall", ...view });
    expect(Date.parse(link.expiresAt) - test.clock.nowMs()).toBe(365 * DAY_MS);
    expect(await list()).toEqual([
      {
        ...link,
        createdBy: test.team.userId,
        createdByName: `${test.team.userId}@example.com`,
        lastUsedAt: null,
        lastUsedAddress: null,
      },
    ]);
    const stored = JSON.stringify(await test.services.knex("displayLinks").where({ id: link.id }));
    expect(stored).not.toContain(secretOf(url).slice(3));
  });

  it.each([
    ["expiresAt", { expiresAt: "2020-01-01T00:00:00Z" }],
    ["expiresAt", { expiresAt: "2099-01-01T00:00:00Z" }],
    ["label", { label: "no spaces" }],
    ["groupBy", { groupBy: "team" }],
    ["rotateSeconds", { rotateSeconds: 4 }],
    ["rotateSeconds", { rotateSeconds: 3601 }],
  ])("with a wrong %s is refused", async (field, body) => {
    const answer = await make(body);
    expect([answer.status, Object.keys(answer.body.details.fieldErrors)]).toEqual([400, [field]]);
    expect(await list()).toEqual([]);
  });

  it("of which a team has 100 makes no way for another, unless it has expired", async () => {
    const first = (await make({ expiresAt: new Date(test.clock.nowMs() + HOUR_MS).toISOString() })).body
      .displayLink;
    for (let made = 1; made < 100; made++) expect((await make()).status).toBe(201);
    const refused = await make();
    expect([refused.status, refused.body.error]).toEqual([403, expect.stringContaining("at most 100")]);
    expect(await list()).toHaveLength(100);
    test.clock.advance(HOUR_MS);
    expect((await make()).status).toBe(201);
    expect((await list()).map(({ id }: { id: string }) => id)).not.toContain(first.id);
  });

  it("is made and revoked by members, seen by viewers, and not found by another team", async () => {
    const { id } = (await make()).body.displayLink;
    const viewer = (await addPerson(test, { teamId: test.team.teamId, role: "viewer" })).bySession;
    expect([(await make({}, viewer)).status, (await revoke(id, viewer)).status]).toEqual([403, 403]);
    expect(await list(viewer)).toHaveLength(1);
    const foreign = await test.createTeam();
    expect((await revoke(id, foreign.bySession)).status).toBe(404);
    expect(await list(foreign.bySession)).toEqual([]);
    const member = (await addPerson(test, { teamId: test.team.teamId, role: "member" })).bySession;
    expect((await make({}, member)).status).toBe(201);
    expect([(await revoke(id, member)).status, (await revoke(id, member)).status]).toEqual([200, 404]);
  });

  it("stays when the person who made it leaves the team, and ends with the team", async () => {
    const person = await addPerson(test, { teamId: test.team.teamId, role: "member" });
    const secret = secretOf((await make({}, person.bySession)).body.displayLink.url);
    await test.call("DELETE", `/api/team/members/${person.userId}`, undefined, test.team.bySession);
    expect((await open(secret)).status).toBe(200);
    await test.call("DELETE", "/api/team", { name: "Test team" }, test.team.bySession);
    expect((await open(secret)).status).toBe(410);
  });
});

describe("a display session", () => {
  it("begins with a cookie that scripts can't read and other sites can't send, and says what it shows", async () => {
    const { displayLink } = (await make({ name: "Hall", label: "team:api" })).body;
    const opened = await open(secretOf(displayLink.url));
    expect(cookieOf(opened)).toMatch(
      /^svc_display=dl_[0-9a-f]{64}; Max-Age=31536000; Path=\/; HttpOnly; SameSite=Strict$/,
    );
    expect(opened.headers["cache-control"]).toBe("no-store");
    expect(opened.body.display).toEqual({
      id: displayLink.id,
      name: "Hall",
      label: "team:api",
      groupBy: null,
      rotateSeconds: null,
      teamName: "Test team",
      expiresAt: displayLink.expiresAt,
    });
    expect(JSON.stringify(opened.body)).not.toContain("dl_");
  });

  it("goes on after a restart of the browser: its cookie is renewed while the link lasts", async () => {
    const expiresAt = new Date(test.clock.nowMs() + 800 * DAY_MS).toISOString();
    const { screen } = await aScreen({ expiresAt });
    test.clock.advance(350 * DAY_MS);
    const again = await show(screen);
    expect([again.status, cookieOf(again)]).toEqual([
      200,
      expect.stringContaining(`Max-Age=${400 * 86_400};`),
    ]);
    test.clock.advance(440 * DAY_MS);
    expect(cookieOf(await show(screen))).toContain(`Max-Age=${10 * 86_400};`);
    test.clock.advance(10 * DAY_MS);
    expect((await show(screen)).status).toBe(410);
    expect((await summary(screen)).status).toBe(401);
  });

  it("ends with the next request after the link was revoked, on every screen", async () => {
    const { id, secret, screen } = await aScreen();
    expect((await summary(screen)).status).toBe(200);
    await revoke(id);
    expect([(await summary(screen)).status, (await show(screen)).status]).toEqual([401, 410]);
    const again = await open(secret);
    expect([again.status, again.body.error]).toEqual([410, "This display link was revoked or has expired"]);
    expect(again.headers["set-cookie"]).toBeUndefined();
  });

  it("is none without a link, and none by a key, a session or a secret in a header", async () => {
    const { secret } = await aScreen();
    for (const headers of [{}, test.team.byKey, test.team.bySession])
      expect((await show(headers)).status).toBe(401);
    expect((await summary({ authorization: `Bearer ${secret}` })).status).toBe(401);
    expect((await summary({ cookie: `svc_session=${secret}` })).status).toBe(401);
    expect((await open(test.team.apiKey)).status).toBe(410);
    expect((await open("")).status).toBe(400);
  });

  it("reads its own team alone", async () => {
    const { screen } = await aScreen();
    const { check } = (await test.call("POST", "/api/checks", aCheck())).body;
    test.team = await test.createTeam();
    const other = await aScreen();
    expect((await summary(screen)).body.ids).toEqual([check.id]);
    expect((await summary(other.screen)).body.ids).toEqual([]);
  });

  it("beside a person's session counts only once that is over", async () => {
    const { screen } = await aScreen();
    const both = { ...test.team.bySession, cookie: `${test.team.bySession.cookie}; ${screen.cookie}` };
    expect((await test.call("GET", "/api/auth/session", undefined, both)).status).toBe(200);
    expect((await make({}, both)).status).toBe(201);
    await test.call("POST", "/api/auth/logout", undefined, both);
    const after = await test.call("GET", "/api/auth/session", undefined, both);
    expect([after.status, after.body.code]).toEqual([403, "display_only"]);
    expect((await summary(both)).status).toBe(200);
  });

  it("may call these routes alone, all of which only read", () => {
    const allowed = API_ROUTES.filter(({ forDisplays }) => forDisplays);
    expect(allowed.map(({ method, path }) => `${method} ${path}`).sort()).toEqual([
      "GET /api/auth/display",
      "GET /api/checks/health",
      "GET /api/checks/summary",
      "GET /api/live",
      "GET /api/locations",
      "GET /api/overview",
    ]);
  });

  it("is refused elsewhere with the reason", async () => {
    const { screen } = await aScreen();
    for (const [method, url] of [
      ["GET", "/api/checks"],
      ["POST", "/api/checks"],
      ["GET", "/api/auth/session"],
      ["POST", "/api/auth/logout"],
      ["GET", "/api/audit"],
      ["GET", "/api/display-links"],
      ["DELETE", "/api/display-links/disp_1"],
    ] as const) {
      const { status, body } = await test.call(method, url, undefined, {
        ...screen,
        origin: test.team.bySession.origin,
      });
      expect([method, url, status]).toEqual([method, url, 403]);
      expect(body).toEqual({
        error: expect.stringMatching(/^A display link shows the wall; .*GET \/api\/checks\/summary/),
        code: "display_only",
      });
    }
    const head = await test.app.inject({ method: "HEAD", url: "/api/checks", headers: screen });
    expect(head.statusCode).toBe(403);
  });
});

describe("what is recorded", () => {
  it("making and revoking a link, by whom", async () => {
    const { id } = (await make({ name: "Hall" })).body.displayLink;
    await revoke(id);
    const about = { resourceId: id, resourceName: "Hall", actor: test.team.userId, via: "ui" };
    expect(await entries("display_link.created")).toMatchObject([
      { ...about, detail: { expiresAt: expect.any(String) } },
    ]);
    expect(await entries("display_link.revoked")).toMatchObject([about]);
  });

  it("the first use from an address, and when and from where a link was used last", async () => {
    const { id, screen } = await aScreen({ name: "Hall" });
    const ask = (remoteAddress: string) =>
      test.app.inject({ url: "/api/checks/summary", headers: screen, remoteAddress });
    for (const address of ["192.0.2.1", "192.0.2.1", "2001:db8::1", "2001:db8::2"]) await ask(address);
    const uses = await entries("display_link.used_from_new_address");
    expect(uses.map(({ address }: { address: string }) => address)).toEqual(["2001:db8::1", "192.0.2.1"]);
    expect(uses[0]).toMatchObject({ actor: id, actorKind: "display_link", actorName: "Hall", via: "ui" });
    test.clock.advance(5 * MINUTE_MS);
    await ask("192.0.2.9");
    expect(await list()).toMatchObject([
      { lastUsedAt: new Date(test.clock.nowMs()).toISOString(), lastUsedAddress: "192.0.2.9" },
    ]);
  });
});
