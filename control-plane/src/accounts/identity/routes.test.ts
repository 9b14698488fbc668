import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { createTestApp, type TestApp, type TestTeam } from "../../../test-support/app.ts";
import { hashPassword, verifyPassword } from "./passwords.ts";
import { registerIdentityRoutes } from "./routes.ts";
import { createSignInLink, SIGN_IN_LINK_LIFETIME_MS } from "./sign-in.ts";

let test: TestApp;
let owner: TestTeam & { email: string };
const PASSWORD = "correct horse battery";

beforeAll(async () => {
  test = await createTestApp({ register: registerIdentityRoutes });
  owner = { ...test.team, email: "Owner@example.com" };
  await test.services
    .knex("users")
    .where({ id: owner.userId })
    .update({ email: owner.email, passwordHash: await hashPassword(PASSWORD) });
});
afterAll(() => test.close());

const login = (email: string, password: string, headers: Record<string, string> = {}) =>
  test.call("POST", "/api/auth/login", { email, password }, headers);

/** The cookie header of a request after an answer that set the session. */
const cookieOf = (headers: Record<string, unknown>) =>
  setCookies(headers)
    .find((cookie) => cookie.startsWith("svc_session="))
    ?.split(";")[0] ?? "";
const setCookies = (headers: Record<string, unknown>) => [headers["set-cookie"]].flat().map(String);

describe("signing in by password", () => {
  it("answers who and which team, sets the session; logging out ends it", async () => {
    const answer = await login("owner@EXAMPLE.com", PASSWORD);
    expect([answer.status, answer.body]).toEqual([
      200,
      {
        user: { id: owner.userId, email: owner.email, name: "Olive Owner" },
        team: { id: owner.teamId, name: "Test team", plan: "self_hosted" },
      },
    ]);
    const cookies = setCookies(answer.headers);
    expect(cookies).toContainEqual(
      expect.stringMatching(/^svc_session=[^;]{40,}; .*Path=\/; HttpOnly; SameSite=Lax/),
    );
    expect(cookies.join()).not.toContain("Secure");
    const session = { cookie: cookieOf(answer.headers), origin: owner.bySession.origin };
    const seen = await test.call("GET", "/api/auth/session", undefined, session);
    expect(seen.body).toMatchObject({ user: { id: owner.userId }, team: { id: owner.teamId } });
    expect(Date.parse(seen.body.expiresAt)).toBeGreaterThan(test.clock.nowMs());
    const out = await test.call("POST", "/api/auth/logout", undefined, session);
    expect([out.status, out.body]).toEqual([200, { success: true }]);
    expect((await test.call("GET", "/api/auth/session", undefined, session)).status).toBe(401);
  });

  it("a wrong password, an unknown account and one without a password get the same answer", async () => {
    const other = await test.createTeam();
    const answers = [
      await login(owner.email, "wrong"),
      await login("nobody@example.com", PASSWORD),
      await login(`${other.userId}@example.com`, ""),
      await login(`${other.userId}@example.com`, PASSWORD),
    ];
    expect(answers.map(({ status }) => status)).toEqual([401, 401, 400, 401]);
    expect(answers[1]?.body).toEqual(answers[0]?.body);
    expect(answers[3]?.body).toEqual(answers[0]?.body);
  });

  it("the session is a 403 with its code for a key, a 401 for nobody", async () => {
    expect((await test.call("GET", "/api/auth/session")).body.code).toBe("session_required");
    expect((await test.call("GET", "/api/auth/session", undefined, {})).status).toBe(401);
  });

  it("over https the cookie is Secure", async () => {
    const secure = await createTestApp({
      register: registerIdentityRoutes,
      settings: { SVC_PUBLIC_URL: "https://svc.example.com" },
    });
    const link = await createSignInLink(secure.services, secure.team);
    const answer = await secure.call("POST", "/auth/link", { token: tokenOf(link) }, {});
    expect(answer.headers["set-cookie"]).toContain("; Secure");
    await secure.close();
  });
});

const tokenOf = (link: string) => new URL(link).searchParams.get("token") ?? "";

describe("signing in by link", () => {
  const show = (token: string, headers: Record<string, string> = {}) =>
    test.call("GET", `/auth/link?token=${token}`, undefined, headers);
  const use = (token: string) => test.call("POST", "/auth/link", { token }, {});

  it("works once, also when used twice at once, and leads to the first page", async () => {
    const token = tokenOf(await createSignInLink(test.services, owner));
    const answers = await Promise.all([use(token), use(token)]);
    expect(answers.map(({ status }) => status).sort()).toEqual([303, 410]);
    const first = answers.find(({ status }) => status === 303);
    expect(first?.headers.location).toBe("/");
    const session = { cookie: cookieOf(first?.headers ?? {}) };
    expect((await test.call("GET", "/api/auth/session", undefined, session)).body.user.id).toBe(owner.userId);
    expect((await use(token)).status).toBe(410);
  });

  it("that was used is a page for browsers, and an error for programs", async () => {
    const token = tokenOf(await createSignInLink(test.services, owner));
    await use(token);
    const page = await show(token, { accept: "text/html" });
    expect([page.status, page.headers["content-type"]]).toEqual([410, "text/html; charset=utf-8"]);
    expect(page.body).toContain("<h1>This link was used or has expired</h1>");
    const error = await show(token, { accept: "application/json" });
    expect([error.status, error.body]).toEqual([410, { error: "This link was used or has expired" }]);
  });

  it("shows a page with a button, and is used up by neither GET nor HEAD", async () => {
    const token = tokenOf(await createSignInLink(test.services, owner));
    await test.app.inject({ method: "HEAD", url: `/auth/link?token=${token}` });
    for (let i = 0; i < 2; i++) {
      const page = await show(token);
      expect([page.status, page.headers["content-type"]]).toEqual([200, "text/html; charset=utf-8"]);
      expect(page.headers["content-security-policy"]).toContain("form-action 'self'");
      expect(page.body).toContain('<button type="submit">Sign in</button>');
      expect(page.body).toContain(`value="${token}"`);
      expect(page.headers["set-cookie"]).toBeUndefined();
    }
    // The button sends a form.
    const answer = await test.app.inject({
      method: "POST",
      url: "/auth/link",
      headers: { "content-type": "application/x-www-form-urlencoded" },
      payload: `token=${encodeURIComponent(token)}`,
    });
    expect([answer.statusCode, answer.headers.location]).toEqual([303, "/"]);
    expect((await show(token)).status).toBe(410);
  });

  it("does not work a day later, nor with another token", async () => {
    const token = tokenOf(await createSignInLink(test.services, owner));
    test.clock.advance(SIGN_IN_LINK_LIFETIME_MS);
    for (const wrong of [token, "abc"]) {
      expect((await use(wrong)).status).toBe(410);
      const page = await show(wrong);
      expect([page.status, page.body]).toEqual([
        410,
        expect.stringContaining("<h1>This link was used or has expired</h1>"),
      ]);
      expect(page.body).toContain("svc-control-plane sign-in-link --email");
    }
    expect((await test.call("GET", "/auth/link", undefined, {})).status).toBe(400);
    expect((await test.call("POST", "/auth/link", {}, {})).status).toBe(400);
    const marked = await show(encodeURIComponent('"><script>'));
    expect(marked.body).not.toContain("<script>");
  });

  it("forms are taken nowhere else", async () => {
    const answer = await test.app.inject({
      method: "POST",
      url: "/api/auth/login",
      headers: { "content-type": "application/x-www-form-urlencoded" },
      payload: "email=a&password=b",
    });
    expect(answer.statusCode).toBe(415);
  });
});

describe("password hashes", () => {
  it("verify their password only, differ each time and carry their parameters", async () => {
    const [first, second] = [await hashPassword("pä"), await hashPassword("pä")];
    expect(first).toMatch(/^scrypt\$32768\$8\$3\$/);
    expect(second).not.toBe(first);
    expect(await verifyPassword("pä".normalize("NFD"), first)).toBe(true);
    expect(await verifyPassword("pa", first)).toBe(false);
    expect(await verifyPassword("pä", null)).toBe(false);
  });
});
