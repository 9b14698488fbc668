import { newId } from "@svc/contract";
import { describe, expect, it } from "vitest";
import type { TestApp } from "../../test-support/app.ts";
import { createCheck, manualRunsOf, useChecksApp } from "../../test-support/checks-app.ts";

let test: TestApp;
useChecksApp((app) => {
  test = app;
});

const put = (id: string, body: object) => test.call("PUT", `/api/checks/${id}`, body);

describe("the fleet is informed", () => {
  it("each change is announced at its commit, under its own topic", async () => {
    const client = await test.services.knex.client.acquireRawConnection();
    const topics: string[] = [];
    client.on("notification", (message: { payload: string }) => topics.push(message.payload));
    await client.query("LISTEN svc_changes");
    const heard = async () => {
      // Notifications come before the answer to a later query of the same connection.
      await client.query("SELECT 1");
      return topics.splice(0).sort();
    };
    const check = await createCheck(test);
    expect(await heard()).toEqual(["checks", "manual_runs"]);
    await put(check.id, { name: "renamed" });
    expect(await heard()).toEqual(["checks"]);
    await test.call("POST", `/api/checks/${check.id}/trigger`);
    expect(await heard()).toEqual(["manual_runs"]);
    await put(check.id, { frequencySeconds: 5 });
    expect(await heard()).toEqual([]);
    await test.call("DELETE", `/api/checks/${check.id}`);
    expect(await heard()).toEqual(["checks"]);
    await client.end();
  });
});

describe("what is not the team's", () => {
  const requests: ["GET" | "PUT" | "DELETE" | "POST", string, object | undefined][] = [
    ["GET", "", undefined],
    ["PUT", "", { name: "taken over" }],
    ["DELETE", "", undefined],
    ["POST", "/trigger", undefined],
    ["GET", "/results", undefined],
  ];

  it.each(requests)(
    "%s %s of another team's check is not found, and changes nothing",
    async (method, path, body) => {
      const check = await createCheck(test);
      const other = await test.createTeam();
      const answer = await test.call(method, `/api/checks/${check.id}${path}`, body, other.byKey);
      expect([answer.status, answer.body]).toEqual([404, { error: "Check not found" }]);
      expect((await test.call("GET", `/api/checks/${check.id}`)).body.check).toEqual(check);
      expect(await manualRunsOf(test, check.id)).toHaveLength(1);
    },
  );

  it.each([
    ["an unknown check", newId("check")],
    ["a location's id", newId("location")],
    ["SQL", "chk_x' OR '1'='1"],
    ["a path", "..%2F..%2Fetc%2Fpasswd"],
    ["an id in capitals", newId("check").toUpperCase()],
    ["an id that is too large", "chk_8zzzzzzzzzzzzzzzzzzzzzzzzz"],
  ])("%s in place of the id is not found", async (_what, id) => {
    for (const [method, path, body] of requests) {
      const answer = await test.call(
        method,
        `/api/checks/${encodeURI(id).replaceAll("%25", "%")}${path}`,
        body,
      );
      expect(answer.status, `${method} ${path}`).toBe(404);
    }
  });

  it("a NUL character in place of the id is no valid text", async () => {
    expect((await test.call("GET", "/api/checks/chk_%00")).status).toBe(400);
  });
});
