import type { TeamRole } from "@svc/contract";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { createTestApp, type TestApp, type TestTeam } from "../../../test-support/app.ts";
import { addPerson, addSession } from "../../../test-support/people.ts";
import { registerApiKeyRoutes } from "../api-keys/routes.ts";
import { hashPassword } from "../identity/passwords.ts";
import { registerIdentityRoutes } from "../identity/routes.ts";
import { INVITATION_LIFETIME_MS } from "./invitations.ts";
import { registerPeopleRoutes } from "./routes.ts";

const PASSWORD = "correct horse battery";
let test: TestApp;
beforeAll(async () => {
  test = await createTestApp({
    register: (app, services) => {
      registerIdentityRoutes(app, services);
      registerPeopleRoutes(app, services);
      registerApiKeyRoutes(app, services);
    },
  });
});
afterAll(() => test.close());

type Headers = TestTeam["bySession"];
const ask = (
  method: "GET" | "POST" | "PUT" | "DELETE",
  url: string,
  payload?: Record<string, unknown>,
  headers: Headers = test.team.bySession,
) => test.call(method, url, payload, headers);
const sessionOf = (by: Headers) => ask("GET", "/api/auth/session", undefined, by);
const tokenOf = (link: string) => new URL(link).searchParams.get("token") ?? "";
const invite = async (email: string, role: TeamRole = "member", by?: Headers) => {
  const { status, body } = await ask("POST", "/api/team/invitations", { email, role }, by);
  expect(status).toBe(201);
  return { id: body.invitation.id as string, token: tokenOf(body.invitation.link) };
};
const accept = (token: string, password?: string, headers: Record<string, string> = {}) =>
  test.call("POST", "/auth/invitation", { token, ...(password === undefined ? {} : { password }) }, headers);
const show = (token: string) => test.call("GET", `/auth/invitation?token=${token}`, undefined, {});
const cookieOf = (headers: Record<string, unknown>): Headers => ({
  cookie:
    [headers["set-cookie"]]
      .flat()
      .map(String)
      .find((cookie) => cookie.startsWith("svc_session="))
      ?.split(";")[0] ?? "",
  origin: test.team.bySession.origin,
});
let people = 0;
const newEmail = () => `guest${people++}@example.com`;

describe("inviting", () => {
  it("a person joins by the link with a password of their own, once", async () => {
    const email = newEmail();
    const { token } = await invite(email, "viewer");
    for (let i = 0; i < 2; i++) {
      const page = await show(token);
      expect([page.status, page.body]).toEqual([200, expect.stringContaining('name="password"')]);
    }
    expect((await accept(token, "short")).body.details.fieldErrors.password).toHaveLength(1);
    const answers = await Promise.all([accept(token, PASSWORD), accept(token, PASSWORD)]);
    expect(answers.map(({ status }) => status).sort()).toEqual([303, expect.any(Number)]);
    const joined = cookieOf(answers.find(({ status }) => status === 303)?.headers ?? {});
    expect((await sessionOf(joined)).body).toMatchObject({
      user: { email },
      team: { id: test.team.teamId },
      role: "viewer",
      teams: [{ id: test.team.teamId, name: "Test team", role: "viewer" }],
    });
    expect((await accept(token, PASSWORD)).status).toBe(410);
    expect((await show(token)).status).toBe(410);
    expect((await test.call("POST", "/api/auth/login", { email, password: PASSWORD }, {})).status).toBe(200);
    const { members } = (await ask("GET", "/api/team/members", undefined, joined)).body;
    expect(members).toContainEqual({
      userId: expect.stringMatching(/^usr_/),
      email,
      name: null,
      role: "viewer",
      joinedAt: expect.any(String),
      lastSeenAt: new Date(test.clock.nowMs()).toISOString(),
    });
  });

  it("an account that exists is entered by its own password or session only", async () => {
    const other = await test.createTeam();
    const email = newEmail();
    const account = test.services.knex("users").where({ id: other.userId });
    await account.clone().update({ email });
    const withoutPassword = await invite(email);
    expect((await show(withoutPassword.token)).body).toContain("one-time link");
    expect((await accept(withoutPassword.token, PASSWORD)).status).toBe(403);
    await account.clone().update({ passwordHash: await hashPassword(PASSWORD) });
    const { token } = await invite(email);
    expect((await accept(withoutPassword.token, PASSWORD)).status).toBe(410);
    expect((await accept(token, "another password")).status).toBe(401);
    expect((await accept(token)).status).toBe(401);
    expect((await accept(token, undefined, test.team.bySession)).status).toBe(401);
    expect((await accept(token, undefined, other.bySession)).status).toBe(303);
    expect((await sessionOf(other.bySession)).body.teams).toHaveLength(2);
  });

  it("a member is a conflict; another invitation of an address replaces the first; revoked and old ones are gone", async () => {
    const { email } = await addPerson(test, { teamId: test.team.teamId, role: "member" });
    expect((await ask("POST", "/api/team/invitations", { email })).status).toBe(409);
    expect((await ask("POST", "/api/team/invitations", { email: "nobody" })).status).toBe(400);
    const guest = newEmail();
    const first = await invite(guest);
    const second = await invite(guest.toUpperCase());
    expect((await show(first.token)).status).toBe(410);
    const { invitations } = (await ask("GET", "/api/team/invitations")).body;
    expect(invitations.filter((one: { email: string }) => one.email.toLowerCase() === guest)).toEqual([
      expect.not.objectContaining({ link: expect.anything() }),
    ]);
    const other = await test.createTeam();
    const path = `/api/team/invitations/${invitations[0].id}`;
    expect((await ask("DELETE", path, undefined, other.bySession)).status).toBe(404);
    expect((await ask("DELETE", path)).status).toBe(200);
    expect((await ask("DELETE", path)).status).toBe(404);
    expect((await accept(second.token, PASSWORD)).status).toBe(410);
    const old = await invite(guest);
    await test.services.knex("invitations").update({ expiresAt: new Date(test.clock.nowMs()) });
    expect((await accept(old.token, PASSWORD)).status).toBe(410);
    expect(INVITATION_LIFETIME_MS).toBe(7 * 24 * 60 * 60 * 1000);
  });
});

describe("members", () => {
  it("a changed role and a removal are seen by the next request of every session", async () => {
    const { teamId } = test.team;
    const person = await addPerson(test, { teamId, role: "member" });
    const second = await addSession(test, { userId: person.userId, teamId });
    const path = `/api/team/members/${person.userId}`;
    const change = (by: Headers) => ask("POST", "/api/api-keys", {}, by);
    expect([(await change(person.bySession)).status, (await change(second)).status]).toEqual([200, 200]);
    const { status, body } = await ask("PUT", path, { role: "viewer" });
    expect([status, body.member.role]).toEqual([200, "viewer"]);
    expect([(await change(person.bySession)).body.code, (await change(second)).body.code]).toEqual([
      "role_required",
      "role_required",
    ]);
    expect((await ask("DELETE", path)).status).toBe(200);
    expect([(await sessionOf(person.bySession)).status, (await sessionOf(second)).status]).toEqual([
      401, 401,
    ]);
    expect((await ask("DELETE", path)).status).toBe(404);
  });

  it("a team keeps an owner, also when two owners leave at once", async () => {
    const team = await test.createTeam();
    const path = `/api/team/members/${team.userId}`;
    expect((await ask("DELETE", path, undefined, team.bySession)).status).toBe(409);
    expect((await ask("PUT", path, { role: "viewer" }, team.bySession)).status).toBe(409);
    const other = await addPerson(test, { teamId: team.teamId, role: "owner" });
    const answers = await Promise.all([
      ask("PUT", path, { role: "member" }, team.bySession),
      ask("PUT", `/api/team/members/${other.userId}`, { role: "member" }, other.bySession),
    ]);
    expect(answers.filter(({ status }) => status === 200)).toHaveLength(1);
    const owners = await test.services.knex("memberships").where({ teamId: team.teamId, role: "owner" });
    expect(owners).toHaveLength(1);
  });

  it("another team's member is not found; keys and members manage nobody", async () => {
    const other = await test.createTeam();
    const path = `/api/team/members/${other.userId}`;
    expect((await ask("DELETE", path)).status).toBe(404);
    expect((await test.call("GET", "/api/team/members")).body.code).toBe("session_required");
    const member = await addPerson(test, { teamId: other.teamId, role: "member" });
    expect((await ask("DELETE", path, undefined, member.bySession)).body.code).toBe("role_required");
  });
});

describe("one's own account", () => {
  it("lists its sessions and ends them; another person's are not found", async () => {
    const { teamId } = test.team;
    const person = await addPerson(test, { teamId, role: "member" });
    const second = await addSession(test, { userId: person.userId, teamId });
    await sessionOf({ ...second, "user-agent": "Lynx" } as Headers);
    const { sessions } = (await ask("GET", "/api/auth/sessions", undefined, person.bySession)).body;
    expect(sessions).toHaveLength(2);
    const [other] = sessions.filter((one: { isCurrent: boolean }) => !one.isCurrent);
    expect(other).toMatchObject({ teamId, address: "127.0.0.1", userAgent: "Lynx" });
    const path = `/api/auth/sessions/${other.id}`;
    expect((await ask("DELETE", path)).status).toBe(404);
    expect((await ask("DELETE", path, undefined, person.bySession)).status).toBe(200);
    expect([(await sessionOf(second)).status, (await sessionOf(person.bySession)).status]).toEqual([
      401, 200,
    ]);
  });

  it("a changed password ends the other sessions; a wrong current one changes nothing", async () => {
    const { teamId } = test.team;
    const person = await addPerson(test, { teamId, role: "viewer" });
    const second = await addSession(test, { userId: person.userId, teamId });
    const set = (body: Record<string, unknown>) => ask("POST", "/api/auth/password", body, person.bySession);
    expect((await set({ newPassword: PASSWORD })).status).toBe(200);
    expect((await sessionOf(second)).status).toBe(401);
    const wrong = await set({ currentPassword: "no", newPassword: "some other password" });
    expect([wrong.status, Object.keys(wrong.body.details.fieldErrors)]).toEqual([400, ["currentPassword"]]);
    expect((await set({ newPassword: "some other password" })).status).toBe(400);
    expect((await set({ currentPassword: PASSWORD, newPassword: "short" })).status).toBe(400);
    expect((await set({ currentPassword: PASSWORD, newPassword: "some other password" })).status).toBe(200);
    const login = { email: person.email, password: "some other password" };
    expect((await test.call("POST", "/api/auth/login", login, {})).status).toBe(200);
  });

  it("goes on in another of its teams, where the next sign-in leads, too", async () => {
    const person = await addPerson(test, { teamId: test.team.teamId, role: "viewer" });
    const other = await test.createTeam();
    const switchTo = () => ask("POST", "/api/auth/team", { teamId: other.teamId }, person.bySession);
    expect((await switchTo()).status).toBe(404);
    await test.services
      .knex("memberships")
      .insert({ teamId: other.teamId, userId: person.userId, role: "owner" });
    const { status, body } = await switchTo();
    expect([status, body.team.id, body.role, body.teams.length]).toEqual([200, other.teamId, "owner", 2]);
    expect((await sessionOf(person.bySession)).body.team.id).toBe(other.teamId);
    await ask("POST", "/api/auth/password", { newPassword: PASSWORD }, person.bySession);
    const login = await test.call("POST", "/api/auth/login", { email: person.email, password: PASSWORD }, {});
    expect(login.body.team.id).toBe(other.teamId);
  });
});

describe("keys with a role and an end", () => {
  it("are made as asked; an end in the past is refused", async () => {
    const expiresAt = new Date(test.clock.nowMs() + 60_000).toISOString();
    const { body } = await ask("POST", "/api/api-keys", { role: "viewer", expiresAt });
    expect(body.key).toMatchObject({ role: "viewer", expiresAt });
    const byKey = { authorization: `Bearer ${body.key.secret}` };
    expect((await test.call("DELETE", "/api/api-keys/self", undefined, byKey)).status).toBe(200);
    const past = await ask("POST", "/api/api-keys", { expiresAt: "2020-01-01T00:00:00Z" });
    expect([past.status, Object.keys(past.body.details.fieldErrors)]).toEqual([400, ["expiresAt"]]);
    expect((await ask("POST", "/api/api-keys", { role: "owner" })).status).toBe(400);
  });

  it("show where they were used last", async () => {
    const team = await test.createTeam();
    await test.call("GET", "/api/api-keys", undefined, team.byKey);
    const { keys } = (await ask("GET", "/api/api-keys", undefined, team.bySession)).body;
    expect(keys[0]).toMatchObject({ role: "member", expiresAt: null, lastUsedAddress: "127.0.0.1" });
  });
});
