import { afterAll, beforeAll, beforeEach, describe, expect, it } from "vitest";
import { createTestApp, type TestApp } from "../../../test-support/app.ts";
import { aCheck } from "../../../test-support/builders.ts";
import { dumpDatabase, findPlanted } from "../../../test-support/dump.ts";
import { registerChangeRoutes } from "../../accounts/change-log/routes.ts";
import { seedHostedLocations } from "../locations/seed.ts";
import { registerCheckRoutes } from "../routes.ts";
import { refuseVaultReferences } from "./refuse-references.ts";
import { registerSecretRoutes } from "./routes.ts";

let test: TestApp;
beforeAll(async () => {
  test = await createTestApp({
    register: (app, services) => {
      registerCheckRoutes(app, services, []);
      registerSecretRoutes(app, services);
      registerChangeRoutes(app, services);
    },
  });
  await seedHostedLocations(test.services.knex);
});
afterAll(() => test.close());

beforeEach(async () => {
  test.team = await test.createTeam();
});

const create = (name: string, value = "a value") => test.call("POST", "/api/secrets", { name, value });
const list = async () => (await test.call("GET", "/api/secrets")).body.secrets;
const checkWith = (headers: Record<string, string>, name = "Home page") =>
  test.call("POST", "/api/checks", aCheck({ name, httpConfig: { url: "http://127.0.0.1:9/", headers } }));

describe("a secret", () => {
  it("is listed by name, and its value is in no answer, no change and no row", async () => {
    const value = "planted-team-secret-value";
    const created = await create("TOKEN", value);
    expect([created.status, created.body]).toEqual([
      201,
      {
        secret: {
          id: expect.stringMatching(/^sec_/),
          name: "TOKEN",
          createdAt: expect.any(String),
          updatedAt: null,
        },
      },
    ]);
    await create("ALPHA");
    expect((await list()).map(({ name }: { name: string }) => name)).toEqual(["ALPHA", "TOKEN"]);
    const { id } = created.body.secret;
    test.clock.advance(1_000);
    const updated = await test.call("PUT", `/api/secrets/${id}`, { value: `${value}-2` });
    expect([updated.status, updated.body.secret.updatedAt]).toEqual([200, expect.any(String)]);
    test.clock.advance(1_000);
    expect((await test.call("DELETE", `/api/secrets/${id}`)).status).toBe(200);
    const { changes } = (await test.call("GET", "/api/changes?type=secret&name=TOKEN")).body;
    expect(changes.map(({ action, name }: { action: string; name: string }) => [action, name])).toEqual([
      ["deleted", "TOKEN"],
      ["updated", "TOKEN"],
      ["created", "TOKEN"],
    ]);
    const answers = JSON.stringify([created.body, updated.body, changes]);
    expect(findPlanted(answers + (await dumpDatabase(test.services.knex)), [value, `${value}-2`])).toEqual(
      [],
    );
  });

  it("is the team's: another team neither lists nor changes it, and may have one of its name", async () => {
    const { secret } = (await create("SHARED")).body;
    test.team = await test.createTeam();
    expect(await list()).toEqual([]);
    expect((await test.call("PUT", `/api/secrets/${secret.id}`, { value: "x" })).status).toBe(404);
    expect((await test.call("DELETE", `/api/secrets/${secret.id}`)).status).toBe(404);
    expect((await create("SHARED")).status).toBe(201);
  });

  it.each([
    ["a name that is taken", { name: "TAKEN", value: "x" }, 409],
    ["a name with a digit first", { name: "1ST", value: "x" }, 400],
    ["a name with a hyphen", { name: "API-KEY", value: "x" }, 400],
    ["a name of 64 characters", { name: "N".repeat(64), value: "x" }, 201],
    ["a name of 65 characters", { name: "N".repeat(65), value: "x" }, 400],
    ["an empty value", { name: "EMPTY", value: "" }, 400],
    ["a value of 64 KiB", { name: "LARGE", value: "v".repeat(65_536) }, 201],
    ["a value of more than 64 KiB", { name: "LARGER", value: "v".repeat(65_537) }, 400],
    ["a value whose bytes are more than 64 KiB", { name: "WIDE", value: "\u00e4".repeat(32_769) }, 400],
  ])("%s", async (_name, body, status) => {
    await create("TAKEN");
    expect((await test.call("POST", "/api/secrets", body)).status).toBe(status);
  });
});

describe("a reference to a secret", () => {
  it("is stored and answered as it was written", async () => {
    await create("TOKEN", "planted-referred-value");
    const headers = {
      Authorization: "Bearer {{vault.TOKEN}}",
      "X-Both": "{{ vault.TOKEN }}-{{vault.TOKEN}}",
    };
    const { status, body } = await checkWith(headers);
    expect([status, body.check.configJson.headers]).toEqual([201, headers]);
  });

  it("to an unknown secret is refused with the field and the secret, at creation and at a change", async () => {
    await create("TOKEN");
    const refused = await checkWith({
      Authorization: "Bearer {{vault.TOKN}}",
      Other: "{{vault.Not-a-name}}",
    });
    expect([refused.status, refused.body.details.fieldErrors]).toEqual([
      400,
      {
        httpConfig: [
          "headers.Authorization: there is no secret TOKN; did you mean TOKEN?",
          "headers.Other: {{vault.Not-a-name}} names no secret: names consist of letters, digits and _",
        ],
      },
    ]);
    const { check } = (await checkWith({})).body;
    const configJson = { url: "http://127.0.0.1:9/", body: "{{vault.NONE}}" };
    const change = await test.call("PUT", `/api/checks/${check.id}`, { configJson });
    expect([change.status, change.body.details.fieldErrors]).toEqual([
      400,
      { configJson: ["body: there is no secret NONE"] },
    ]);
  });

  it("to more secrets than an agent can look for is refused", async () => {
    const body = Array.from({ length: 51 }, (_, index) => `{{vault.S_${index}}}`).join("");
    const httpConfig = { url: "http://127.0.0.1:9/", body };
    const { status, body: answer } = await test.call("POST", "/api/checks", aCheck({ httpConfig }));
    expect([status, JSON.stringify(answer)]).toEqual([400, expect.stringContaining("refers to 51 secrets")]);
  });

  it("to another team's secret is one to an unknown secret", async () => {
    await create("THEIRS");
    test.team = await test.createTeam();
    expect((await checkWith({ Authorization: "{{vault.THEIRS}}" })).status).toBe(400);
  });

  it("keeps the secret from being deleted; the refusal names up to 20 checks", async () => {
    const { secret } = (await create("USED")).body;
    const { check } = (await checkWith({ Authorization: "{{vault.USED}}" }, "Only one")).body;
    const remove = () => test.call("DELETE", `/api/secrets/${secret.id}`);
    expect([(await remove()).status, (await remove()).body.error]).toEqual([
      409,
      'Secret "USED" is used by the check "Only one"',
    ]);
    for (let index = 2; index <= 22; index++)
      await checkWith({ Authorization: "{{vault.USED}}" }, `check ${index}`);
    const { error } = (await remove()).body;
    expect(error).toContain("is used by 22 checks:");
    expect(error).toMatch(/"check 20" and 2 more$/);
    await test.services
      .knex("checks")
      .where({ teamId: test.team.teamId })
      .whereNot({ id: check.id })
      .delete();
    await test.call("PUT", `/api/checks/${check.id}`, { configJson: { url: "http://127.0.0.1:9/" } });
    expect((await remove()).status).toBe(200);
  });

  it("that is being made while its secret is deleted never ends up without a secret", async () => {
    for (let round = 0; round < 5; round++) {
      const { secret } = (await create(`RACE_${round}`)).body;
      const [made, deleted] = await Promise.all([
        checkWith({ Authorization: `{{vault.RACE_${round}}}` }),
        test.call("DELETE", `/api/secrets/${secret.id}`),
      ]);
      expect([
        [201, 409],
        [400, 200],
      ]).toContainEqual([made.status, deleted.status]);
    }
  });

  it("does not make the check a changed one when the value changes", async () => {
    const { secret } = (await create("ROTATED")).body;
    const { check } = (await checkWith({ Authorization: "{{vault.ROTATED}}" })).body;
    const rowOf = () => test.services.knex("checks").where({ id: check.id }).first();
    const before = await rowOf();
    expect((await test.call("PUT", `/api/secrets/${secret.id}`, { value: "another" })).status).toBe(200);
    expect(await rowOf()).toEqual(before);
    expect((await test.call("GET", "/api/changes?type=check")).body.changes).toHaveLength(1);
  });
});

it.each(["a text", { headers: { A: "b" } }])("%j without a reference passes where none is taken", (value) => {
  expect(() => refuseVaultReferences(value, "channel")).not.toThrow();
});

it("a reference where none is taken is refused with its field", () => {
  expect(() => refuseVaultReferences({ headers: { A: "{{vault.X}}" } }, "channel")).toThrow(
    "Validation failed",
  );
});
