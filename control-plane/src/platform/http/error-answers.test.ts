import { DomainError } from "@svc/contract";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { createTestApp, type TestApp } from "../../../test-support/app.ts";
import { testRoutes } from "../../../test-support/test-routes.ts";

const routes = testRoutes();
let test: TestApp;
beforeAll(async () => {
  test = await createTestApp({ register: routes.register });
});
afterAll(() => test.close());

describe("errors", () => {
  it("an unknown route is 404 with an error, credentials or not", async () => {
    const answer = await test.call("GET", "/api/nothing?token=secret", undefined, {});
    expect([answer.status, answer.body]).toEqual([404, { error: "No such route: GET /api/nothing" }]);
  });

  it("a path that can't be decoded is 400 with an error", async () => {
    const answer = await test.call("GET", "/api/%zz");
    expect([answer.status, typeof answer.body.error]).toEqual([400, "string"]);
  });

  it("a path segment that is too long is 414, and is not sent back", async () => {
    const segment = "a".repeat(300);
    const answer = await test.call("GET", `/api/paged/${segment}`);
    expect(answer.status).toBe(414);
    expect(JSON.stringify(answer.body)).not.toContain(segment);
  });

  it("while the service starts, REST and sign-in links are 503 with the reason and Retry-After", async () => {
    test.lifecycle.state = { status: "starting", reason: "the database is not ready" };
    try {
      for (const url of ["/api/mine", "/auth/link?token=a"]) {
        const answer = await test.call("GET", url);
        expect([answer.status, answer.headers["retry-after"]]).toEqual([503, "2"]);
        expect(answer.body.error).toMatch(/is starting: the database is not ready/);
      }
    } finally {
      test.lifecycle.state = { status: "ready" };
    }
  });

  it("our own fault is 500 without its details", async () => {
    routes.failure = new Error("a secret detail");
    const answer = await test.call("GET", "/api/fails");
    expect(answer.status).toBe(500);
    expect(answer.body.error).toMatch(/^Internal error/);
    expect(JSON.stringify(answer.body)).not.toContain("secret");
  });

  it.each([
    ["a refused connection", Object.assign(new Error("connect"), { code: "ECONNREFUSED" })],
    ["a missing socket", Object.assign(new Error("connect"), { code: "ENOENT", syscall: "connect" })],
    ["a server that shuts down", Object.assign(new Error("terminating"), { code: "57P01" })],
    ["a cut connection", new Error("select 1 - Connection terminated unexpectedly")],
  ])("%s of the database is 503 with Retry-After", async (_name, error) => {
    routes.failure = error;
    const answer = await test.call("GET", "/api/fails");
    expect([answer.status, answer.headers["retry-after"]]).toEqual([503, "2"]);
  });

  it("each domain error keeps its status and message", async () => {
    routes.failure = new DomainError("conflict", "already there");
    const answer = await test.call("GET", "/api/fails");
    expect([answer.status, answer.body]).toEqual([409, { error: "already there" }]);
  });
});
