import { DomainError } from "@svc/contract";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { createTestApp, type TestApp } from "../../../test-support/app.ts";
import { createSignInLimit } from "./sign-in-limit.ts";

const RIGHT = "right";
const ACCOUNT = "owner@example.com";

let app: TestApp;
beforeEach(async () => {
  app = await createTestApp({
    settings: { SVC_TRUST_PROXY: "true" },
    register: (server, services) => {
      const limitSignIn = createSignInLimit(server, services);
      server.get("/attempt", { config: { access: "public" } }, async (request, reply) => {
        const { email = "", password } = request.query as { email?: string; password?: string };
        const signIn = async () => {
          if (password !== RIGHT) throw new DomainError("unauthenticated", "Wrong email or password");
        };
        await limitSignIn({ request, reply, email, signIn });
        return {};
      });
    },
  });
});
afterEach(() => app.close());

interface Sent {
  email?: string;
  password?: string;
  address?: string;
  cookie?: string;
}

const attempt = async ({ email = ACCOUNT, password = "wrong", address = "192.0.2.1", cookie }: Sent) =>
  app.call("GET", `/attempt?email=${email}&password=${password}`, undefined, {
    "x-forwarded-for": address,
    ...(cookie && { cookie }),
  });
const statusOf = async (sent: Sent) => (await attempt(sent)).status;
const fail = async (times: number, sent: Sent = {}) => {
  const statuses: number[] = [];
  for (let i = 0; i < times; i++) statuses.push(await statusOf(sent));
  return statuses;
};

describe("attempts to sign in", () => {
  it("that succeed are not counted", async () => {
    expect(await fail(40, { password: RIGHT })).toEqual(Array(40).fill(200));
  });

  it("that fail ten times on one account from one address are refused then, in any spelling, also the right one", async () => {
    expect(await fail(10)).toEqual(Array(10).fill(401));
    const refused = await attempt({ email: "OWNER@example.com", password: RIGHT });
    expect([refused.status, Number(refused.headers["retry-after"]) > 0]).toEqual([429, true]);
    expect(await statusOf({ email: "other@example.com" })).toBe(401);
    expect(await statusOf({ password: RIGHT, address: "192.0.2.2" })).toBe(200);
  });

  it("from one address on many accounts are refused after thirty", async () => {
    for (let i = 0; i < 30; i++) expect(await statusOf({ email: `a${i}@example.com` })).toBe(401);
    expect(await statusOf({ email: "b@example.com", password: RIGHT })).toBe(429);
    expect(await statusOf({ email: "b@example.com", password: RIGHT, address: "192.0.2.2" })).toBe(200);
  });

  it("of strangers don't keep the owner out", async () => {
    for (let i = 0; i < 110; i++) await attempt({ address: `198.51.100.${i}` });
    expect(await statusOf({ address: "203.0.113.1" })).toBe(401);
    expect(await statusOf({ address: "203.0.113.1", password: RIGHT })).toBe(200);
    // Who guesses from many addresses has few guesses from each.
    expect(await fail(4, { address: "203.0.113.2" })).toEqual([401, 401, 401, 429]);
  });

  it("of a stranger at the owner's own address don't keep out a browser that signed in before", async () => {
    const known = await attempt({ password: RIGHT });
    const cookie = String(known.headers["set-cookie"]).split(";")[0] ?? "";
    await fail(12);
    expect(await statusOf({ password: RIGHT })).toBe(429);
    expect(await statusOf({ password: RIGHT, cookie })).toBe(200);
    expect(await statusOf({ password: RIGHT, cookie: `${cookie.slice(0, -4)}AAAA` })).toBe(429);
    // The cookie is worth nothing on another account.
    expect(await fail(11, { email: "other@example.com", cookie, address: "192.0.2.9" })).toContain(429);
  });

  it("of a known browser are limited by themselves", async () => {
    const known = await attempt({ password: RIGHT });
    const cookie = String(known.headers["set-cookie"]).split(";")[0] ?? "";
    expect(await fail(11, { cookie })).toEqual([...Array(10).fill(401), 429]);
  });

  it("sent all at once are no more than a few beyond the limit", async () => {
    const answers = await Promise.all(Array.from({ length: 60 }, () => statusOf({})));
    expect(answers.filter((status) => status === 401).length).toBeLessThanOrEqual(13);
  });
});
