import { USER_CODE_PATTERN } from "@svc/contract";
import { afterAll, beforeAll, describe, expect, it, vi } from "vitest";
import { createTestApp, type TestApp } from "../../../test-support/app.ts";
import { readableInstant } from "../../platform/readable-time.ts";
import { registerApiKeyRoutes } from "../api-keys/routes.ts";
import { registerChangeRoutes } from "../change-log/routes.ts";
import { hashPassword } from "../identity/passwords.ts";
import { registerIdentityRoutes } from "../identity/routes.ts";
import { registerCliLoginRoutes } from "./routes.ts";

let test: TestApp;
beforeAll(async () => {
  test = await createTestApp({
    register: (app, services) => {
      registerIdentityRoutes(app, services);
      registerCliLoginRoutes(app, services);
      registerApiKeyRoutes(app, services);
      registerChangeRoutes(app, services);
    },
  });
});
afterAll(() => test.close());

const nobody = {};
const requestCode = async (clientName = "build-machine") =>
  (await test.call("POST", "/api/cli/device-codes", { clientName }, nobody)).body;
const poll = (deviceCode: string) => test.call("POST", "/api/cli/device-codes/poll", { deviceCode }, nobody);
const decide = (
  userCode: string,
  decision = "authorize",
  headers: Record<string, string> = test.team.bySession,
) => test.call("POST", "/api/cli/device-codes/decide", { userCode, decision }, headers);
const page = (path: string, headers: Record<string, string> = test.team.bySession) =>
  test.call("GET", path, undefined, headers);

describe("signing the command line in", () => {
  it("hands over one key, named after the client, once a signed-in person authorized the code", async () => {
    const code = await requestCode();
    expect(code).toEqual({
      deviceCode: expect.stringMatching(/^[\w-]{40,}$/),
      userCode: expect.stringMatching(USER_CODE_PATTERN),
      verificationUrl: `http://127.0.0.1:8080/cli/authorize?code=${code.userCode}`,
      expiresIn: 600,
      interval: 2,
    });
    const waiting = await poll(code.deviceCode);
    expect([waiting.status, waiting.body]).toEqual([202, { status: "pending" }]);
    expect((await decide(code.userCode)).body).toEqual({ success: true });
    const granted = await poll(code.deviceCode);
    expect(granted.status).toBe(200);
    expect(granted.body.key).toMatchObject({ name: "build-machine", source: "cli" });
    const byKey = { authorization: `Bearer ${granted.body.key.secret}` };
    const changes = await test.call("GET", "/api/changes?type=api_key", undefined, byKey);
    expect(changes.body.changes[0]).toMatchObject({
      action: "created",
      actor: test.team.userId,
      source: "ui",
    });
    const again = await poll(code.deviceCode);
    expect([again.status, again.body]).toEqual([410, { error: expect.stringContaining("svc login") }]);
  });

  it("two polls at once get one key between them", async () => {
    const code = await requestCode("twice");
    await decide(code.userCode);
    const answers = await Promise.all([poll(code.deviceCode), poll(code.deviceCode), poll(code.deviceCode)]);
    expect(answers.map(({ status }) => status).sort()).toEqual([200, 410, 410]);
    const { keys } = (await test.call("GET", "/api/api-keys", undefined, test.team.bySession)).body;
    expect(keys.filter(({ name }: { name: string }) => name === "twice")).toHaveLength(1);
  });

  it("makes no key when nobody decides within ten minutes, and none when it is declined", async () => {
    const keysBefore = await test.services.knex("apiKeys").count();
    const [late, declined] = [await requestCode(), await requestCode()];
    expect((await decide(declined.userCode, "deny")).status).toBe(200);
    expect((await poll(declined.deviceCode)).status).toBe(410);
    test.clock.advance(600_000 - 1);
    expect((await poll(late.deviceCode)).status).toBe(202);
    test.clock.advance(1);
    expect((await poll(late.deviceCode)).status).toBe(410);
    expect((await decide(late.userCode)).status).toBe(410);
    expect(await test.services.knex("apiKeys").count()).toEqual(keysBefore);
  });

  it("a decision is one person's, once, by session and from our own page", async () => {
    const code = await requestCode();
    const { cookie } = test.team.bySession;
    const refused = [
      await decide(code.userCode, "authorize", test.team.byKey),
      await decide(code.userCode, "authorize", { cookie, origin: "https://evil.example" }),
      await decide(code.userCode, "authorize", nobody),
      await decide("nonsense"),
      await decide(code.userCode, "maybe"),
    ];
    expect(refused.map(({ status }) => status)).toEqual([403, 403, 401, 400, 400]);
    expect((await poll(code.deviceCode)).status).toBe(202);
    expect((await decide(code.userCode.toLowerCase().replace("-", " "))).status).toBe(200);
    const other = await test.createTeam();
    expect((await decide(code.userCode, "deny", other.bySession)).status).toBe(410);
    expect((await poll(code.deviceCode)).body.key.name).toBe("build-machine");
  });

  it("the key belongs to the team of who authorized", async () => {
    const other = await test.createTeam();
    const code = await requestCode("of the other team");
    await decide(code.userCode, "authorize", other.bySession);
    const { key } = (await poll(code.deviceCode)).body;
    const row = await test.services.knex("apiKeys").where({ id: key.id }).first("teamId");
    expect(row.teamId).toBe(other.teamId);
  });
});

describe("the consent page", () => {
  it("shows a signed-in person who asks, with every name escaped, and not the code that they are to type", async () => {
    const code = await requestCode(`<img src=x onerror=alert(1)>"'`);
    const { status, body, headers } = await page(`/cli/authorize?code=${code.userCode}`);
    expect([status, headers["content-type"]]).toEqual([200, "text/html; charset=utf-8"]);
    expect(body).toContain(`data-code="${code.userCode}"`);
    expect(body.replaceAll(/<[^>]*>/g, "")).not.toContain(code.userCode);
    expect(body).not.toContain("<img");
    expect(body).toContain("Test team");
    expect(headers["content-security-policy"]).toContain("frame-ancestors 'none'");
    expect(headers["content-security-policy"]).not.toContain("unsafe");
  });

  it("tells one who is not signed in nothing of the code, and lets them sign in there", async () => {
    const code = await requestCode("secret-host");
    const { body } = await page(`/cli/authorize?code=${code.userCode}`, nobody);
    expect(body).toContain('type="password"');
    expect(body).not.toContain("secret-host");
    expect(body).not.toContain("data-decision=");
  });

  it("asks for the code when the link has none, and says when it is not (any more) good", async () => {
    expect((await page("/cli/authorize")).body).toContain('name="code"');
    const unknown = await page("/cli/authorize?code=BBBB-BBBB");
    expect(unknown.body).toContain("unknown, has expired or was decided before");
    expect(unknown.body).not.toContain("data-decision=");
    expect((await page("/cli/authorize?code=%3Cscript%3E")).body).not.toContain('<script>"');
  });

  it("shows from where and when the key was asked for, and a name without characters that reorder text", async () => {
    const code = await requestCode("build\u202eenihcam\u001b[2J\u2066");
    const { body } = await page(`/cli/authorize?code=${code.userCode}`);
    expect(body).toContain("<bdi>build enihcam [2J</bdi>");
    expect(body).toContain(readableInstant(new Date(test.clock.nowMs()).toISOString()));
    expect(body).toContain("<strong>127.0.0.1</strong>");
  });

  it("makes no key of a link that carries the code until that is typed; declines without it", async () => {
    const code = await requestCode();
    const decided = async (typed: string, typedBefore: string | null, decision: string) => {
      const { body } = await page(`/cli/authorize?code=${code.userCode}`);
      const script = /<script>([\s\S]*)<\/script>/.exec(body)?.[1] ?? "";
      let click = () => {};
      const terminalCode = { value: typed, focus() {} };
      const elements: Record<string, unknown> = {
        message: { textContent: "" },
        code: { dataset: { code: code.userCode } },
        "terminal-code": terminalCode,
      };
      const button = {
        dataset: { decision },
        focus() {},
        addEventListener: (_: string, listener: () => void) => {
          click = listener;
        },
      };
      const document = {
        getElementById: (id: string) => elements[id] ?? null,
        querySelectorAll: () => [button],
      };
      const sessionStorage = { getItem: () => typedBefore, removeItem() {} };
      let asked = false;
      const fetchOnce = async () => {
        asked = true;
        return Response.json({ success: true });
      };
      new Function("document", "fetch", "sessionStorage", script)(document, fetchOnce, sessionStorage);
      click();
      return asked;
    };
    expect(await decided("", null, "authorize")).toBe(false);
    expect(await decided("BCDF-GHJX", null, "authorize")).toBe(false);
    expect(await decided("", "BCDF-GHJX", "authorize")).toBe(false);
    expect(await decided(code.userCode.toLowerCase().replace("-", " "), null, "authorize")).toBe(true);
    expect(await decided("", code.userCode.replace("-", ""), "authorize")).toBe(true);
    expect(await decided("", null, "deny")).toBe(true);
  });

  it("a decision that did not get through can be made again; one that did can't", async () => {
    const code = await requestCode();
    const { body } = await page(`/cli/authorize?code=${code.userCode}`);
    const script = /<script>([\s\S]*)<\/script>/.exec(body)?.[1] ?? "";
    const message = { textContent: "" };
    let click = () => {};
    const button = {
      disabled: false,
      dataset: { decision: "authorize" },
      focus() {},
      addEventListener: (_: string, listener: () => void) => {
        click = listener;
      },
    };
    const elements: Record<string, unknown> = { message, code: { dataset: { code: code.userCode } } };
    const document = {
      getElementById: (id: string) => elements[id] ?? null,
      querySelectorAll: () => [button],
    };
    const answers = [
      () => Promise.reject(new TypeError("offline")),
      async () => Response.json({ error: "The service is busy" }, { status: 503 }),
      async () => Response.json({ success: true }),
    ];
    const sent: string[] = [];
    const fetchOnce = (_: string, { body }: { body: string }) => {
      sent.push(body);
      return answers.shift()?.();
    };
    new Function("document", "fetch", script)(document, fetchOnce);
    for (const [text, isDisabled] of [
      ["The service can't be reached; try again.", false],
      ["The service is busy", false],
      ["Authorized. You can go back to your terminal.", true],
    ] as const) {
      click();
      await vi.waitFor(() => expect([message.textContent, button.disabled]).toEqual([text, isDisabled]), {
        timeout: 60_000,
      });
    }
    expect(sent.map((text) => JSON.parse(text))).toEqual(
      Array(3).fill({ userCode: code.userCode, decision: "authorize" }),
    );
  });

  it("with an identity provider, the sign-in there leads back to the page", async () => {
    const withProvider = await createTestApp({
      settings: {
        SVC_OIDC_ISSUER: "http://127.0.0.1:9",
        SVC_OIDC_CLIENT_ID: "svc",
        SVC_OIDC_CLIENT_SECRET: "s",
      },
      register: (app, services) => {
        registerIdentityRoutes(app, services);
        registerCliLoginRoutes(app, services);
      },
    });
    const { body } = await withProvider.call("GET", "/cli/authorize?code=bcdf-ghjk", undefined, nobody);
    expect(body).toContain("/api/auth/oidc/start?returnTo=%2Fcli%2Fauthorize%3Fcode%3DBCDF-GHJK");
    const elsewhere = await withProvider.call(
      "GET",
      "/api/auth/oidc/start?returnTo=//evil.example",
      undefined,
      nobody,
    );
    expect(elsewhere.status).toBe(400);
    await withProvider.close();
  });

  it("a password entered there opens a session", async () => {
    await test.services
      .knex("users")
      .where({ id: test.team.userId })
      .update({ email: "cli@example.com", passwordHash: await hashPassword("correct horse battery") });
    const answer = await test.call(
      "POST",
      "/api/auth/login",
      { email: "cli@example.com", password: "correct horse battery" },
      nobody,
    );
    const cookies = [answer.headers["set-cookie"]].flat().map(String);
    const cookie = cookies.find((each) => each.startsWith("svc_session="))?.split(";")[0] ?? "";
    expect((await page("/cli/authorize", { cookie })).body).toContain("cli@example.com");
  });
});
