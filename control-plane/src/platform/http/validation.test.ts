import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { createTestApp, type TestApp } from "../../../test-support/app.ts";
import { testRoutes } from "../../../test-support/test-routes.ts";

const routes = testRoutes();
let test: TestApp;
beforeAll(async () => {
  test = await createTestApp({ register: routes.register });
});
afterAll(() => test.close());

describe("validation", () => {
  const validBody = {
    name: "a",
    type: "http",
    locations: ["loc_us_east"],
    httpConfig: { url: "http://127.0.0.1/" },
  };

  it("everything wrong with a body comes at once, by field", async () => {
    const answer = await test.call("POST", "/api/checked", {
      ...validBody,
      name: "",
      frequencySeconds: 9,
      locatoins: [],
    });
    expect(answer.status).toBe(400);
    expect(answer.body).toEqual({
      error: "Validation failed",
      details: {
        fieldErrors: {
          name: ["a name has at least 1 character"],
          frequencySeconds: ["smallest is 10"],
          locatoins: ['unknown field "locatoins"; did you mean "locations"?'],
        },
        formErrors: [],
      },
    });
  });

  it.each([
    ["malformed JSON", '{"name": ', /not valid JSON/],
    ["a forbidden key", '{"__proto__": {}}', /not valid JSON/],
    ["an array", "[]", /expected an object/],
    ["null", "null", /required/],
    ["nothing", "", /required/],
  ])("%s as the body is a 400 that says so in formErrors", async (_name, payload, message) => {
    const answer = await test.call("POST", "/api/checked", payload, {
      ...test.team.byKey,
      "content-type": "application/json",
    });
    expect(answer.status).toBe(400);
    expect(answer.body).toEqual({
      error: "Validation failed",
      details: { fieldErrors: {}, formErrors: [expect.stringMatching(message)] },
    });
  });

  it.each([
    ["a NUL character", '{"name": "a\\u0000"}'],
    ["half a surrogate pair", '{"name": "\\ud800"}'],
  ])("%s in a text is a 400 that names its field", async (_name, payload) => {
    const headers = { ...test.team.byKey, "content-type": "application/json" };
    const answer = await test.call("POST", "/api/checked", payload, headers);
    expect([answer.status, Object.keys(answer.body.details.fieldErrors)]).toEqual([400, ["name"]]);
  });

  it("a whole surrogate pair written as escapes passes", async () => {
    const payload = JSON.stringify({ ...validBody, name: "x" }).replace('"x"', '"\\ud83d\\ude00"');
    const headers = { ...test.team.byKey, "content-type": "application/json" };
    const answer = await test.call("POST", "/api/checked", payload, headers);
    expect([answer.status, answer.body.name]).toEqual([200, "😀"]);
  });

  it("an empty body with a JSON content type is no body", async () => {
    const headers = { ...test.team.byKey, "content-type": "application/json" };
    expect((await test.call("POST", "/api/bodyless", "", headers)).status).toBe(200);
  });

  it("query and path are validated like bodies", async () => {
    const query = await test.call("GET", "/api/paged/chk_1?limit=201");
    expect([query.status, query.body.details.fieldErrors]).toEqual([400, { limit: ["largest is 200"] }]);
    const path = await test.call("GET", "/api/paged/run_1");
    expect([path.status, path.body.details.fieldErrors]).toEqual([
      400,
      { id: ["expected an id of the form chk_..."] },
    ]);
  });

  it("an unknown query parameter is 400 that names the nearest known one", async () => {
    const answer = await test.call("GET", "/api/paged/chk_1?limt=5");
    expect([answer.status, answer.body.details.fieldErrors]).toEqual([
      400,
      { limt: ['unknown field "limt"; did you mean "limit"?'] },
    ]);
  });

  it("another content type is 415, in the envelope", async () => {
    for (const type of ["text/plain", "application/x-www-form-urlencoded", "application/xml"]) {
      const answer = await test.call("POST", "/api/checked", "a=1", {
        ...test.team.byKey,
        "content-type": type,
      });
      expect([answer.status, answer.body]).toEqual([
        415,
        { error: "Unsupported content type; send application/json" },
      ]);
    }
  });

  it("a body of 1 MiB passes the size check, one byte more is 413", async () => {
    const frame = JSON.stringify({ name: "" }).length;
    const sizes = [1024 * 1024, 1024 * 1024 + 1];
    const statuses = [];
    for (const size of sizes)
      statuses.push((await test.call("POST", "/api/checked", { name: "x".repeat(size - frame) })).status);
    expect(statuses).toEqual([400, 413]);
  });
});
