import { describe, expect, it } from "vitest";
import { aContext, expectFault, expectResult } from "../../test-support/builders.ts";
import { runAgainst, runMcp } from "../../test-support/mcp-run.ts";
import {
  anMcpRequest,
  ECHO_TOOL,
  INITIALIZED,
  type McpServerOptions,
  mcpServer,
  reply,
} from "../../test-support/mcp-server.ts";
import { runProbe } from "../registry.ts";
import { BodyBudget } from "../run/body-budget.ts";

describe("time", () => {
  const hanging = (of: string, head: boolean): McpServerOptions => ({
    intercept: (_, response, message) => {
      if (message?.method !== of) return false;
      if (head) response.writeHead(200, { "content-type": "text/event-stream" }).write(": wait\n\n");
      return true;
    },
  });

  it.each([
    ["initialize", false, /waiting for the response \(initialize\)/],
    ["tools/list", true, /reading the response body \(tools\/list\)/],
    ["tools/call", true, /the call of the tool echo/],
  ])("a %s that hangs (stream begun: %s) is a timeout that says where", async (method, head, message) => {
    const { endpoint } = await mcpServer(hanging(method, head));
    const request = anMcpRequest({ endpoint, testCalls: [{ toolName: "echo" }] });
    (request.config as { timeoutMs: number }).timeoutMs = 300;
    const result = expectResult(await runProbe(request, aContext()));
    expect(result).toMatchObject({ status: "timeout", detail: { errorCategory: "timeout" } });
    expect(result.detail?.errorMessage).toMatch(message);
  });

  it("a stream that stays open after its answer holds nobody up", async () => {
    const result = await runAgainst({
      intercept: (_, response, message) => {
        if (message?.method !== "tools/list") return false;
        const answer = JSON.stringify({ jsonrpc: "2.0", id: message.id, result: { tools: [] } });
        response.writeHead(200, { "content-type": "text/event-stream" }).write(`data: ${answer}\n\n`);
        return true;
      },
    });
    expect(result.status).toBe("success");
  });

  it("a stream that ends early is resumed where the server named a place", async () => {
    let resumedFrom: string | undefined;
    const result = await runAgainst({
      intercept: (request, response, message) => {
        const answer = JSON.stringify({ jsonrpc: "2.0", id: 1, result: { tools: [ECHO_TOOL] } });
        if (request.method === "GET") {
          resumedFrom = request.headers["last-event-id"] as string;
          response.writeHead(200, { "content-type": "text/event-stream" }).end(`id: 8\ndata: ${answer}\n\n`);
        } else if (message?.method === "tools/list")
          response.writeHead(200, { "content-type": "text/event-stream" }).end("id: 7\nretry: 10\ndata:\n\n");
        else return false;
        return true;
      },
    });
    expect(resumedFrom).toBe("7");
    expect(result).toMatchObject({ status: "success", detail: { mcpJson: { toolCount: 1 } } });
  });

  it("a session that can't be ended decides nothing", async () => {
    const result = await runAgainst({
      sessionId: "s",
      intercept: (request, response) => request.method === "DELETE" && !!response.writeHead(500).end(),
    });
    expect(result.status).toBe("success");
  });

  it("a stop of the agent is a fault, not a result", async () => {
    const { endpoint } = await mcpServer(hanging("tools/list", false));
    const stop = new AbortController();
    const outcome = runProbe(anMcpRequest({ endpoint }), aContext({ signal: stop.signal }));
    setTimeout(() => stop.abort(), 50);
    expect(expectFault(await outcome).reason).toBe("draining");
  });

  it("no memory for the answer is a fault of this runner, not the server's", async () => {
    const { endpoint } = await mcpServer();
    const outcome = await runProbe(anMcpRequest({ endpoint }), aContext({ bodyBudget: new BodyBudget(100) }));
    expect(expectFault(outcome).reason).toBe("capacity");
  });

  it("a connection that the server closed while it was idle is opened again", async () => {
    const server = await mcpServer({
      intercept: (request, response, message) => {
        if (message?.method !== "initialize") return false;
        reply(response, message, INITIALIZED);
        response.on("finish", () => request.socket.destroy());
        return true;
      },
    });
    expect((await runMcp({ endpoint: server.endpoint })).status).toBe("success");
  });
});
