import { createHash, createSign, generateKeyPairSync } from "node:crypto";
import { once } from "node:events";
import http from "node:http";
import type { AddressInfo } from "node:net";
import { afterAll, beforeAll, beforeEach, describe, expect, it } from "vitest";
import { createTestApp, type TestApp } from "../../../test-support/app.ts";
import { parseConfig } from "../../platform/config.ts";
import { signInByProvenIdentity } from "./oidc.ts";
import { registerIdentityRoutes } from "./routes.ts";

/** A small identity provider on loopback that says yes to everyone as `person`. */
interface Provider {
  issuer: string;
  person: Record<string, unknown>;
  /** Nonce that the next id_token carries instead of the one it was asked for. */
  wrongNonce: string | undefined;
  /** Sends the browser back, as the provider does after its login page. @returns the callback's path and query */
  approve(authorizationUrl: string): string;
  close(): Promise<void>;
}

const CLIENT = { id: "svc", secret: "client-secret" };

async function startProvider(): Promise<Provider> {
  const { privateKey, publicKey } = generateKeyPairSync("rsa", { modulusLength: 2048 });
  const codes = new Map<string, { challenge: string; nonce: string }>();
  const server = http.createServer(async (request, response) => {
    const json = (body: unknown, status = 200) =>
      response.writeHead(status, { "content-type": "application/json" }).end(JSON.stringify(body));
    if (request.url === "/.well-known/openid-configuration")
      return json({
        issuer: provider.issuer,
        authorization_endpoint: `${provider.issuer}/authorize`,
        token_endpoint: `${provider.issuer}/token`,
        jwks_uri: `${provider.issuer}/jwks`,
        response_types_supported: ["code"],
        subject_types_supported: ["public"],
        id_token_signing_alg_values_supported: ["RS256"],
      });
    if (request.url === "/jwks")
      return json({ keys: [{ ...publicKey.export({ format: "jwk" }), kid: "1", alg: "RS256", use: "sig" }] });
    const form = new URLSearchParams(Buffer.concat(await request.toArray()).toString());
    const pending = codes.get(form.get("code") ?? "");
    const challenge = createHash("sha256")
      .update(form.get("code_verifier") ?? "")
      .digest("base64url");
    if (pending?.challenge !== challenge) return json({ error: "invalid_grant" }, 400);
    return json({
      access_token: "a",
      token_type: "bearer",
      id_token: idToken(provider.wrongNonce ?? pending.nonce),
    });
  });
  const idToken = (nonce: string) => {
    const nowS = Math.floor(Date.now() / 1000);
    const claims = {
      iss: provider.issuer,
      aud: CLIENT.id,
      iat: nowS,
      exp: nowS + 60,
      nonce,
      ...provider.person,
    };
    const encode = (part: unknown) => Buffer.from(JSON.stringify(part)).toString("base64url");
    const text = `${encode({ alg: "RS256", kid: "1" })}.${encode(claims)}`;
    return `${text}.${createSign("RSA-SHA256").update(text).sign(privateKey).toString("base64url")}`;
  };
  server.listen(0, "127.0.0.1");
  await once(server, "listening");
  const provider: Provider = {
    issuer: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    person: {},
    wrongNonce: undefined,
    approve(authorizationUrl) {
      const asked = new URL(authorizationUrl).searchParams;
      const code = `code-${codes.size}`;
      codes.set(code, { challenge: asked.get("code_challenge") ?? "", nonce: asked.get("nonce") ?? "" });
      const back = new URL(asked.get("redirect_uri") ?? "");
      back.search = new URLSearchParams({ code, state: asked.get("state") ?? "" }).toString();
      return back.pathname + back.search;
    },
    async close() {
      server.close();
      server.closeAllConnections();
      await once(server, "close");
    },
  };
  return provider;
}

let provider: Provider;
let test: TestApp;
beforeAll(async () => {
  provider = await startProvider();
  test = await createTestApp({
    register: registerIdentityRoutes,
    settings: {
      SVC_OIDC_ISSUER: provider.issuer,
      SVC_OIDC_CLIENT_ID: CLIENT.id,
      SVC_OIDC_CLIENT_SECRET: CLIENT.secret,
    },
  });
});
afterAll(async () => {
  await test.close();
  await provider.close();
});
beforeEach(() => {
  provider.wrongNonce = undefined;
});

const cookieOf = (headers: Record<string, unknown>, name: string) =>
  [headers["set-cookie"]]
    .flat()
    .find((text) => String(text).startsWith(`${name}=`) && !/Max-Age=0/i.test(String(text)));

async function start() {
  const { status, headers } = await test.call("GET", "/api/auth/oidc/start", undefined, {});
  expect(status).toBe(302);
  return { url: String(headers.location), cookie: String(cookieOf(headers, "svc_oidc")).split(";")[0] ?? "" };
}

async function signIn() {
  const { url, cookie } = await start();
  return test.call("GET", provider.approve(url), undefined, { cookie });
}

/** A team whose owner has this verified address at the provider. */
async function aPerson(claims: Record<string, unknown> = {}) {
  const team = await test.createTeam();
  provider.person = {
    sub: team.userId,
    email: `${team.userId}@example.com`,
    email_verified: true,
    ...claims,
  };
  return team;
}

describe("signing in through an identity provider", () => {
  it("asks with PKCE, state and nonce, and opens a session of the account with the verified address", async () => {
    const team = await aPerson();
    const { url } = await start();
    expect(Object.fromEntries(new URL(url).searchParams)).toMatchObject({
      client_id: CLIENT.id,
      redirect_uri: "http://127.0.0.1:8080/api/auth/oidc/callback",
      code_challenge_method: "S256",
      scope: "openid email profile",
      state: expect.stringMatching(/.{20,}/),
      nonce: expect.stringMatching(/.{20,}/),
    });
    const answer = await signIn();
    expect(answer.status).toBe(303);
    const cookie = String(cookieOf(answer.headers, "svc_session")).split(";")[0] ?? "";
    const session = await test.call("GET", "/api/auth/session", undefined, { cookie });
    expect(session.body).toMatchObject({ user: { id: team.userId }, team: { id: team.teamId } });
  });

  it("knows the person again after their address changed there", async () => {
    const team = await aPerson();
    await signIn();
    provider.person = { sub: team.userId, email: "new@example.com", email_verified: true };
    expect((await signIn()).status).toBe(303);
  });

  it("someone else who gets the address later does not get the account", async () => {
    const team = await aPerson();
    await signIn();
    provider.person = { ...provider.person, sub: "another person" };
    const answer = await signIn();
    expect([answer.status, cookieOf(answer.headers, "svc_session")]).toEqual([403, undefined]);
    const { oidcSubject } = await test.services.knex("users").where({ id: team.userId }).first("oidcSubject");
    expect(oidcSubject).toBe(`${provider.issuer} ${team.userId}`);
  });

  it.each([
    ["a stranger", { email: "stranger@example.com" }],
    ["an address that is not verified", { email_verified: false }],
  ])("%s is 403 and gets no session", async (_name, claims) => {
    await aPerson(claims);
    const answer = await signIn();
    expect([answer.status, cookieOf(answer.headers, "svc_session")]).toEqual([403, undefined]);
  });

  it("an answer to another question is 401: no cookie, another state, another nonce", async () => {
    await aPerson();
    const { url, cookie } = await start();
    const callback = provider.approve(url);
    expect((await test.call("GET", callback, undefined, {})).status).toBe(401);
    expect(
      (await test.call("GET", callback.replace(/state=[^&]+/, "state=x"), undefined, { cookie })).status,
    ).toBe(401);
    const forged = { cookie: cookie.replace(/=./, "=A") };
    expect((await test.call("GET", callback, undefined, forged)).status).toBe(401);
    provider.wrongNonce = "another";
    expect((await signIn()).status).toBe(401);
  });

  it("one that takes more than ten minutes is 401", async () => {
    await aPerson();
    const { url, cookie } = await start();
    test.clock.advance(10 * 60_000);
    expect((await test.call("GET", provider.approve(url), undefined, { cookie })).status).toBe(401);
  });

  it("an allowed domain's verified address gets an account in the named team, no other address", async () => {
    const origin = { via: "ui", address: "127.0.0.1", userAgent: null } as const;
    const { teamId } = test.team;
    const domains = parseConfig({ SVC_OIDC_ALLOWED_DOMAINS: `corp.example=${teamId}:viewer` });
    const services = { ...test.services, config: domains };
    const person = { subject: "issuer new", email: "New@Corp.example", isEmailVerified: true };
    for (const refused of [
      { ...person, isEmailVerified: false },
      { ...person, email: "new@evil-corp.example" },
      { ...person, email: "new@corp.example.evil.example" },
    ])
      await expect(signInByProvenIdentity(services, { identity: refused, origin })).rejects.toMatchObject({
        code: "forbidden",
      });
    const { userId } = await signInByProvenIdentity(services, { identity: person, origin });
    const roles = test.services.knex("memberships").where({ userId });
    expect(await roles.clone().select("teamId", "role")).toEqual([{ teamId, role: "viewer" }]);
    expect((await signInByProvenIdentity(services, { identity: person, origin })).userId).toBe(userId);
    const added = await test.services.knex("auditEntries").where({ teamId, action: "member.added" });
    expect(added).toEqual([
      expect.objectContaining({
        actor: userId,
        resourceName: person.email,
        detail: { role: "viewer", by: "oidc_domain", account: "new" },
      }),
    ]);
    // Who was removed stays out.
    await roles.clone().delete();
    await expect(signInByProvenIdentity(services, { identity: person, origin })).rejects.toMatchObject({
      code: "forbidden",
    });
    expect(() => parseConfig({ SVC_OIDC_ALLOWED_DOMAINS: `corp.example=${teamId}:owner` })).toThrow(
      /SVC_OIDC_ALLOWED_DOMAINS/,
    );
  });

  it("closes signing in by password", async () => {
    const answer = await test.call("POST", "/api/auth/login", { email: "a@example.com", password: "x" }, {});
    expect([answer.status, answer.body.error]).toEqual([
      403,
      expect.stringContaining("/api/auth/oidc/start"),
    ]);
  });

  it("is 503 while the provider can't be reached", async () => {
    const away = await createTestApp({
      register: registerIdentityRoutes,
      settings: {
        SVC_OIDC_ISSUER: "http://127.0.0.1:1",
        SVC_OIDC_CLIENT_ID: "a",
        SVC_OIDC_CLIENT_SECRET: "b",
      },
    });
    expect((await away.call("GET", "/api/auth/oidc/start", undefined, {})).status).toBe(503);
    await away.close();
  });
});
