import { LIFECYCLE_NEEDS_SESSION } from "@svc/contract";
import { expect, it } from "vitest";
import { fakeService, runSvc } from "../../test-support/run-svc.ts";

it("a field is named once, with the path of the part that is wrong", async () => {
  const fieldErrors = {
    name: ["a name has at least 1 character", "named twice"],
    httpConfig: [
      "httpConfig.url: expected a URL",
      "httpConfig.headers[0]: too long",
      "httpConfiguration is odd",
    ],
  };
  const { fetch } = fakeService({
    "GET /api/locations": { locations: [] },
    "POST /api/checks": () => ({
      status: 400,
      body: { error: "Validation failed", details: { fieldErrors, formErrors: [] } },
    }),
  });
  const args = ["monitors", "create", "--name", "x", "--type", "http", "--url", "x", "--locations", "loc_a"];
  const { code, stderr } = await runSvc(args, { env: { SVC_API_KEY: "sk_test" }, fetch });
  expect([code, stderr]).toEqual([
    1,
    "error: Validation failed: name: a name has at least 1 character; name: named twice; " +
      "httpConfig.url: expected a URL; httpConfig.headers[0]: too long; httpConfig: httpConfiguration is odd\n",
  ]);
});

it.each([
  ["Too many requests", { "retry-after": "7" }, "Too many requests (try again in 7 s)"],
  ["Too many; try again in 7 s", { "retry-after": "7" }, "Too many; try again in 7 s"],
  ["Too many requests", {}, "Too many requests"],
])("429 %s says once when to try again", async (error, headers, message) => {
  const { stderr } = await runSvc(["locations", "list"], {
    env: { SVC_API_KEY: "sk_test" },
    fetch: async () => Response.json({ error }, { status: 429, headers: headers as Record<string, string> }),
  });
  expect(stderr).toBe(`error: ${message}\n`);
});

it.each([
  [
    "a lifecycle action on an incident, which a person takes",
    { error: LIFECYCLE_NEEDS_SESSION },
    2,
    "auth_failure",
  ],
  ["a plan's limit", { error: "The plan free allows 1 location per check" }, 3, "plan_limit"],
])("403 for %s", async (_name, body, exit, reason) => {
  const { code, json } = await runSvc(["api", "-X", "POST", "/api/incidents/inc_1/acknowledge", "--json"], {
    env: { SVC_API_KEY: "sk_test" },
    fetch: async () => Response.json(body, { status: 403 }),
  });
  expect([code, json().error.code]).toEqual([exit, reason]);
});

it("a plan that allows fewer locations than all says how to name fewer, unless they were named", async () => {
  const { fetch } = fakeService({
    "GET /api/locations": { locations: [{ id: "loc_a", type: "hosted", status: "active" }] },
    "POST /api/checks": () => ({ status: 403, body: { error: "The plan free allows 1 location per check" } }),
  });
  const create = ["monitors", "create", "--name", "x", "--type", "http", "--url", "https://x.example.com"];
  const run = (args: string[]) => runSvc(args, { env: { SVC_API_KEY: "sk_test" }, fetch });
  const all = await run(create);
  expect([all.code, all.stderr.includes("--locations loc_us_east")]).toEqual([3, true]);
  const named = await run([...create, "--locations", "loc_a,loc_b"]);
  expect([named.code, named.stderr.includes("--locations")]).toEqual([3, false]);
});
