import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { createTestApp, type TestApp, type TestTeam } from "../../../test-support/app.ts";
import { createAttemptLimit } from "./attempt-limit.ts";
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
const cookieOf = (headers: Record<string, unknown>) => String(headers["set-cookie"]).split(";")[0] ?? "";

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
    expect(answer.headers["set-cookie"]).toMatch(/^svc_session=[^;]{40,}; .*HttpOnly; SameSite=Lax/);
    expect(answer.headers["set-cookie"]).not.toContain("Secure");
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

  it("after ten attempts from one address on one account the eleventh is 429, and others may go on", async () => {
    const limited = await createTestApp({
      register: (app) => {
        const countAttempt = createAttemptLimit(app);
        app.get("/attempt", { config: { access: "public" } }, async (request) => {
          await countAttempt(request, String((request.query as { email: string }).email));
          return {};
        });
      },
    });
    const attempt = async (email: string) =>
      (await limited.call("GET", `/attempt?email=${email}`, undefined, {})).status;
    const statuses: number[] = [];
    for (let i = 0; i < 11; i++) statuses.push(await attempt(i % 2 ? "a@example.com" : "A@example.com"));
    expect(statuses).toEqual([...Array(10).fill(200), 429]);
    expect(await attempt("b@example.com")).toBe(200);
    await limited.close();
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
    const answer = await secure.call("GET", pathOf(link), undefined, {});
    expect(answer.headers["set-cookie"]).toContain("; Secure");
    await secure.close();
  });
});

const pathOf = (url: string) => url.replace(/^https?:\/\/[^/]+/, "");

describe("signing in by link", () => {
  const open = (link: string) => test.call("GET", pathOf(link), undefined, {});

  it("works once, also when opened twice at once", async () => {
    const link = await createSignInLink(test.services, owner);
    const answers = await Promise.all([open(link), open(link)]);
    expect(answers.map(({ status }) => status).sort()).toEqual([303, 410]);
    const first = answers.find(({ status }) => status === 303);
    const session = { cookie: cookieOf(first?.headers ?? {}) };
    expect((await test.call("GET", "/api/auth/session", undefined, session)).body.user.id).toBe(owner.userId);
    expect((await open(link)).status).toBe(410);
  });

  it("is not used up by a scanner's HEAD", async () => {
    const link = await createSignInLink(test.services, owner);
    expect((await test.app.inject({ method: "HEAD", url: pathOf(link) })).statusCode).toBe(404);
    expect((await open(link)).status).toBe(303);
  });

  it("does not work a day later, nor with another token", async () => {
    const link = await createSignInLink(test.services, owner);
    test.clock.advance(SIGN_IN_LINK_LIFETIME_MS);
    expect((await open(link)).status).toBe(410);
    expect((await open("/auth/link?token=abc")).status).toBe(410);
    expect((await open("/auth/link")).status).toBe(400);
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
