import type { ThirdPartyPattern } from "@svc/contract";
import { afterAll, beforeAll, beforeEach, describe, expect, it } from "vitest";
import { createTestApp, type TestApp } from "../../../test-support/app.ts";
import { registerChangeRoutes } from "../../accounts/change-log/routes.ts";
import { registerSloRoutes } from "../../alerting/slos/routes.ts";
import { registerThirdPartyPatternRoutes } from "./routes.ts";

let test: TestApp;
beforeAll(async () => {
  test = await createTestApp({
    register: (app, services) => {
      registerThirdPartyPatternRoutes(app, services);
      registerSloRoutes(app, services);
      registerChangeRoutes(app, services);
    },
  });
});
afterAll(() => test.close());
beforeEach(async () => {
  test.team = await test.createTeam();
});

const PATH = "/api/third-party-patterns";
const create = (name: string, hostPattern = "cdn.example.com") =>
  test.call("POST", PATH, { name, hostPattern });
const created = async (name: string, hostPattern?: string): Promise<ThirdPartyPattern> => {
  const answer = await create(name, hostPattern);
  expect(answer.status, JSON.stringify(answer.body)).toBe(201);
  return answer.body.pattern;
};
const namesIn = async (query = "") =>
  (await test.call("GET", `${PATH}${query}`)).body.patterns.map(({ name }: ThirdPartyPattern) => name);
const sloOf = (patternId: string, name = "CDN up") =>
  test.call("POST", "/api/slos", {
    name,
    sloType: "third_party",
    patternId,
    targetBasisPoints: 9_900,
    windowDays: 7,
  });

describe("a third-party pattern", () => {
  it("is stored in its normal form, listed newest first, and deleted; the change log says by whom", async () => {
    const pattern = await created("Fonts", "*.Fönts.Example.");
    expect(pattern).toEqual({
      id: expect.stringMatching(/^tpp_[0-9a-z]{26}$/),
      name: "Fonts",
      hostPattern: "*.xn--fnts-5qa.example",
      createdAt: new Date(test.clock.nowMs()).toISOString(),
    });
    test.clock.advance(1_000);
    await created("CDN");
    expect((await test.call("GET", PATH)).body.patterns[1]).toEqual(pattern);
    expect(await namesIn()).toEqual(["CDN", "Fonts"]);
    test.clock.advance(1_000);
    expect((await test.call("DELETE", `${PATH}/${pattern.id}`)).body).toEqual({ success: true });
    expect(await namesIn()).toEqual(["CDN"]);
    expect((await test.call("DELETE", `${PATH}/${pattern.id}`)).status).toBe(404);
    const { changes } = (await test.call("GET", "/api/changes?type=third_party_pattern&name=Fonts")).body;
    expect(changes.map(({ action }: { action: string }) => action)).toEqual(["deleted", "created"]);
  });

  it("is listed page by page, also when several were created in one instant", async () => {
    for (const name of ["A", "B", "C"]) await created(name);
    const first = (await test.call("GET", `${PATH}?limit=2`)).body;
    const second = (await test.call("GET", `${PATH}?limit=2&cursor=${first.nextCursor}`)).body;
    expect([...first.patterns, ...second.patterns].map(({ name }) => name)).toEqual(["C", "B", "A"]);
    expect(second.nextCursor).toBeUndefined();
  });

  it.each([
    ["no name", { name: "", hostPattern: "cdn.example.com" }, "name"],
    ["no host", { name: "CDN" }, "hostPattern"],
    ["a URL", { name: "CDN", hostPattern: "https://cdn.example.com/x.js" }, "hostPattern"],
    ["a star in the middle", { name: "CDN", hostPattern: "cdn.*.com" }, "hostPattern"],
    ["an unknown field", { name: "CDN", hostPattern: "cdn.example.com", regex: ".*" }, "regex"],
  ])("with %s is 400 and named", async (_title, body, field) => {
    const answer = await test.call("POST", PATH, body);
    expect([answer.status, Object.keys(answer.body.details.fieldErrors)]).toEqual([400, [field]]);
  });

  it("has a name of its own within its team: a duplicate is 409, two at once are one", async () => {
    await created("CDN");
    expect((await create("CDN", "other.example.com")).status).toBe(409);
    const answers = await Promise.all([create("Fonts"), create("Fonts"), create("Fonts")]);
    expect(answers.map(({ status }) => status).sort()).toEqual([201, 409, 409]);
    test.team = await test.createTeam();
    expect((await create("CDN")).status).toBe(201);
  });

  it("can't be deleted while an SLO refers to it: 409 names the SLO", async () => {
    const { id } = await created("CDN");
    const { slo } = (await sloOf(id)).body;
    const refused = await test.call("DELETE", `${PATH}/${id}`);
    expect([refused.status, refused.body.error]).toEqual([
      409,
      'Third-party pattern "CDN" is used by the SLO "CDN up"',
    ]);
    expect(await namesIn()).toEqual(["CDN"]);
    await test.call("DELETE", `/api/slos/${slo.id}`);
    expect((await test.call("DELETE", `${PATH}/${id}`)).status).toBe(200);
  });

  it("is the team's: another team neither lists nor deletes it, nor has an SLO of it", async () => {
    const { id } = await created("CDN");
    test.team = await test.createTeam();
    expect(await namesIn()).toEqual([]);
    expect((await test.call("DELETE", `${PATH}/${id}`)).status).toBe(404);
    const { status, body } = await sloOf(id);
    expect([status, Object.keys(body.details.fieldErrors)]).toEqual([400, ["patternId"]]);
  });

  it("is deleted or gets an SLO when both come at once, never a mixture", async () => {
    for (let round = 0; round < 5; round++) {
      const { id } = await created(`CDN ${round}`);
      const [slo, deletion] = await Promise.all([
        sloOf(id, `up ${round}`),
        test.call("DELETE", `${PATH}/${id}`),
      ]);
      expect([
        [201, 409],
        [400, 200],
      ]).toContainEqual([slo.status, deletion.status]);
    }
  });
});
