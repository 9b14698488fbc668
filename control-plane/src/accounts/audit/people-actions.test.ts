import type { TeamId } from "@svc/contract";
import { afterAll, beforeAll, beforeEach, describe, expect, it } from "vitest";
import { createTestApp, type TestApp, type TestTeam } from "../../../test-support/app.ts";
import { addPerson, addSession } from "../../../test-support/people.ts";
import { registerCliLoginRoutes } from "../cli-login/routes.ts";
import { registerIdentityRoutes } from "../identity/routes.ts";
import { createSignInLink } from "../identity/sign-in.ts";
import { registerPeopleRoutes } from "../people/routes.ts";
import { registerAuditRoutes } from "./routes.ts";

const PASSWORD = "correct horse battery";
let test: TestApp;
/** A team of the test's own, with its owner. */
let team: TestTeam;
beforeAll(async () => {
  test = await createTestApp({
    register: (app, services) => {
      registerIdentityRoutes(app, services);
      registerPeopleRoutes(app, services);
      registerCliLoginRoutes(app, services);
      registerAuditRoutes(app, services);
    },
  });
});
beforeEach(async () => {
  team = await test.createTeam();
});
afterAll(() => test.close());

const ask = (
  method: "GET" | "POST" | "PUT" | "DELETE",
  url: string,
  payload?: Record<string, unknown>,
  headers: Record<string, string> = team.bySession,
) => test.call(method, url, payload, headers);
const tokenOf = (link: string) => new URL(link).searchParams.get("token") ?? "";

/** The team's entries except sign-ins, oldest first, each as [action, actor's name, resource's name, detail]. */
async function recorded(teamId: TeamId | null = team.teamId): Promise<unknown[]> {
  const rows = await test.services
    .knex("auditEntries")
    .where({ teamId })
    .whereNot({ action: "session.started" })
    .orderBy("key")
    .select("action", "actorName", "resourceName", "detail");
  return rows.map(({ action, actorName, resourceName, detail }) => [action, actorName, resourceName, detail]);
}

describe("invitations and members", () => {
  it("an invitation, its revocation, the joining, a role and a removal are recorded once each", async () => {
    const owner = `${team.userId}@example.com`;
    const invite = async (email: string, role: string) =>
      (await ask("POST", "/api/team/invitations", { email, role })).body.invitation;
    const revoked = await invite("gone@example.com", "owner");
    await ask("DELETE", `/api/team/invitations/${revoked.id}`);
    const { link } = await invite("pat@example.com", "member");
    const joined = await ask("POST", "/auth/invitation", { token: tokenOf(link), password: PASSWORD }, {});
    expect(joined.status).toBe(303);
    const { members } = (await ask("GET", "/api/team/members")).body;
    const { userId } = members.find(({ email }: { email: string }) => email === "pat@example.com");
    const path = `/api/team/members/${userId}`;
    for (const role of ["viewer", "viewer"]) await ask("PUT", path, { role });
    expect((await ask("PUT", `/api/team/members/${team.userId}`, { role: "viewer" })).status).toBe(409);
    await ask("DELETE", path);
    expect((await ask("DELETE", path)).status).toBe(404);
    const pat = "pat@example.com";
    expect(await recorded()).toEqual([
      ["invitation.created", owner, "gone@example.com", { role: "owner" }],
      ["invitation.revoked", owner, "gone@example.com", {}],
      ["invitation.created", owner, pat, { role: "member" }],
      ["member.added", pat, pat, { role: "member", by: "invitation", account: "new" }],
      ["password.set", pat, pat, {}],
      ["member.role_changed", owner, pat, { role: "viewer", formerRole: "member" }],
      ["member.removed", owner, pat, { role: "viewer" }],
    ]);
  });

  it("the joining of an account that exists says so", async () => {
    const guest = await test.createTeam();
    const email = `${guest.userId}@example.com`;
    const { invitation } = (await ask("POST", "/api/team/invitations", { email })).body;
    await ask("POST", "/auth/invitation", { token: tokenOf(invitation.link) }, guest.bySession);
    expect((await recorded()).slice(1)).toEqual([
      ["member.added", email, email, { role: "member", by: "invitation", account: "existing" }],
    ]);
  });
});

describe("one's own account", () => {
  it("a password that is set or changed is recorded in each of the account's teams", async () => {
    const other = await test.createTeam();
    const { userId, email, bySession } = await addPerson(test, { teamId: team.teamId, role: "viewer" });
    await test.services.knex("memberships").insert({ teamId: other.teamId, userId, role: "member" });
    const set = (body: Record<string, string>) => ask("POST", "/api/auth/password", body, bySession);
    expect((await set({ newPassword: PASSWORD })).status).toBe(200);
    expect((await set({ currentPassword: "wrong", newPassword: "another password" })).status).toBe(400);
    expect((await set({ currentPassword: PASSWORD, newPassword: "another password" })).status).toBe(200);
    for (const teamId of [team.teamId, other.teamId])
      expect(await recorded(teamId)).toEqual([
        ["password.set", email, email, {}],
        ["password.changed", email, email, {}],
      ]);
  });

  it("the first password of an account, chosen on the page of a one-time link, is recorded once", async () => {
    const { userId, email } = await addPerson(test, { teamId: team.teamId, role: "member" });
    for (const password of [PASSWORD, "some other password"]) {
      const link = await createSignInLink(test.services, { userId, teamId: team.teamId });
      const answer = await ask("POST", "/auth/link", { token: tokenOf(link), password }, {});
      expect(answer.status).toBe(303);
    }
    expect(await recorded()).toEqual([["password.set", email, email, {}]]);
  });

  it("a session that is ended is recorded in its team, with its id", async () => {
    const { userId, bySession } = await addPerson(test, { teamId: team.teamId, role: "viewer" });
    const other = await test.createTeam();
    await test.services.knex("memberships").insert({ teamId: other.teamId, userId, role: "member" });
    await addSession(test, { userId, teamId: other.teamId });
    const { sessions } = (await ask("GET", "/api/auth/sessions", undefined, bySession)).body;
    const { id } = sessions.find(({ teamId }: { teamId: string }) => teamId === other.teamId);
    await ask("DELETE", `/api/auth/sessions/${id}`, undefined, bySession);
    const { entries } = (await ask("GET", "/api/audit", undefined, other.bySession)).body;
    expect(entries).toEqual([expect.objectContaining({ action: "session.revoked", resourceId: id })]);
    expect(await recorded()).toEqual([]);
  });

  it("a change of team is recorded in both teams, and neither learns of the other", async () => {
    const { userId, email, bySession } = await addPerson(test, { teamId: team.teamId, role: "viewer" });
    const other = await test.createTeam();
    await test.services.knex("memberships").insert({ teamId: other.teamId, userId, role: "member" });
    for (let i = 0; i < 2; i++) await ask("POST", "/api/auth/team", { teamId: other.teamId }, bySession);
    expect(await recorded()).toEqual([["session.team_changed", email, null, { direction: "left" }]]);
    expect(await recorded(other.teamId)).toEqual([
      ["session.team_changed", email, null, { direction: "entered" }],
    ]);
  });
});

describe("sign-ins of the command line", () => {
  it("the decision of a person is recorded with the address that asked; the key by itself", async () => {
    const owner = `${team.userId}@example.com`;
    for (const decision of ["authorize", "deny"]) {
      const code = (await ask("POST", "/api/cli/device-codes", { clientName: "ci" }, {})).body;
      await ask("POST", "/api/cli/device-codes/decide", { userCode: code.userCode, decision });
      await ask("POST", "/api/cli/device-codes/poll", { deviceCode: code.deviceCode }, {});
    }
    expect(await recorded()).toEqual([
      ["device_login.authorized", owner, "ci", { requestedFrom: "127.0.0.1" }],
      ["api_key.created", owner, "ci", {}],
      ["device_login.denied", owner, "ci", { requestedFrom: "127.0.0.1" }],
    ]);
  });
});
