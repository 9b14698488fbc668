import { afterEach, describe, expect, it } from "vitest";
import { createTestApp, type TestApp } from "../../../test-support/app.ts";
import { createApiKey } from "../../accounts/api-keys/create-api-key.ts";
import { OPERATOR } from "../team-context.ts";

let app: TestApp;
afterEach(() => app.close());

const limited = async (perMinute: number) => {
  app = await createTestApp({
    register: (server) => {
      server.get("/api/mine", { config: { access: "reads" } }, async () => ({}));
    },
    settings: { SVC_RATE_LIMIT_PER_MINUTE: String(perMinute) },
  });
};
const anotherKey = async () => {
  const ctx = { services: app.services, teamId: app.team.teamId, author: OPERATOR };
  const { secret } = await createApiKey(ctx, { name: "Another key", source: "manual" });
  return { authorization: `Bearer ${secret}` };
};
const get = (headers?: Record<string, string>) => app.call("GET", "/api/mine", undefined, headers);
const statuses = async (times: number, headers?: Record<string, string>) => {
  const seen: number[] = [];
  for (let i = 0; i < times; i++) seen.push((await get(headers)).status);
  return seen;
};

describe("the limit of requests", () => {
  it("gives one key half of its team's, with headers, and answers 429 beyond", async () => {
    await limited(4);
    const first = await get();
    expect(first.status).toBe(200);
    expect(first.headers).toMatchObject({ "ratelimit-limit": "2", "ratelimit-remaining": "1" });
    expect(await statuses(1)).toEqual([200]);
    const third = await get();
    expect([third.status, typeof third.body.error]).toEqual([429, "string"]);
    expect(Number(third.headers["retry-after"])).toBeGreaterThan(0);
  });

  it("is a team's, however many keys it makes; people and other teams have their own", async () => {
    await limited(4);
    const other = await app.createTeam();
    const keys = [app.team.byKey, await anotherKey(), await anotherKey()];
    const seen: number[] = [];
    for (const key of keys) seen.push(...(await statuses(2, key)));
    expect(seen).toEqual([200, 200, 200, 200, 429, 429]);
    expect(await statuses(2, app.team.bySession)).toEqual([200, 429]);
    expect(await statuses(1, other.byKey)).toEqual([200]);
  });

  it("counts requests without credentials by address, and the operators' routes not at all", async () => {
    await limited(2);
    expect(await statuses(3, {})).toEqual([401, 401, 429]);
    expect((await app.call("GET", "/healthz", undefined, {})).status).toBe(200);
  });
});
