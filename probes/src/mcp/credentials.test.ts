import { describe, expect, it } from "vitest";
import { runAgainst, runMcp } from "../../test-support/mcp-run.ts";
import { type McpServerOptions, mcpServer } from "../../test-support/mcp-server.ts";

describe("credentials", () => {
  const auth = { type: "bearer", token: "secret" };
  const guarded = (statusCode: number): McpServerOptions => ({
    intercept: (request, response) => {
      if (request.headers.authorization === "Bearer secret") return false;
      response.writeHead(statusCode).end();
      return true;
    },
  });

  it("are sent with every request", async () => {
    const server = await mcpServer({ sessionId: "s", ...guarded(401) });
    expect((await runMcp({ endpoint: server.endpoint, auth })).status).toBe("success");
    expect(server.headers.every(({ authorization }) => authorization === "Bearer secret")).toBe(true);
  });

  it("that are refused are an error that names the status", async () => {
    const { status, httpStatusCode, detail } = await runAgainst(guarded(401));
    expect({ status, httpStatusCode }).toEqual({ status: "error", httpStatusCode: 401 });
    expect(detail).toMatchObject({
      errorCategory: "http",
      errorMessage: expect.stringContaining("initialize with HTTP 401"),
    });
  });

  it.each([
    [401, "success"],
    [403, "success"],
    [500, "failure"],
    [302, "failure"],
  ])("rejectUnauthenticated: initialize without them answered %i is a %s", async (statusCode, status) => {
    const result = await runAgainst(guarded(statusCode), { auth, rejectUnauthenticated: true });
    expect(result.status).toBe(status);
    expect(result.detail?.mcpJson?.unauthenticated).toEqual({
      httpStatusCode: statusCode,
      passed: status === "success",
    });
  });

  it("rejectUnauthenticated: a server that lets everybody in fails", async () => {
    const server = await mcpServer();
    const result = await runMcp({ endpoint: server.endpoint, auth, rejectUnauthenticated: true });
    expect(result.status).toBe("failure");
    expect(result.detail?.errorMessage).toMatch(/without credentials was answered with HTTP 200/);
    expect(server.headers.filter(({ authorization }) => authorization === undefined)).toHaveLength(1);
  });

  it("in the URL are not sent when there must be none", async () => {
    const server = await mcpServer();
    const endpoint = server.endpoint.replace("http://", "http://user:pass@");
    await runMcp({ endpoint, auth, rejectUnauthenticated: true });
    expect(server.headers.filter(({ authorization }) => authorization === undefined)).toHaveLength(1);
  });

  it("stay behind when a redirect leaves the origin", async () => {
    const elsewhere = await mcpServer();
    const first = await mcpServer({
      intercept: (_, response) => {
        response.writeHead(307, { location: elsewhere.endpoint }).end();
        return true;
      },
    });
    expect((await runMcp({ endpoint: first.endpoint, auth, resendBody: "any" })).status).toBe("success");
    expect(first.headers[0]?.authorization).toBe("Bearer secret");
    expect(elsewhere.headers.every(({ authorization }) => authorization === undefined)).toBe(true);
  });
});
