import { setTimeout as sleep } from "node:timers/promises";
import { expect, it } from "vitest";
import { aContext, expectResult } from "../../test-support/builders.ts";
import { anMcpRequest, ECHO_TOOL, mcpServer, reply } from "../../test-support/mcp-server.ts";
import { runProbe } from "../registry.ts";

/** Time in which a request that was under way as the run ended has arrived. */
const SETTLING_MS = 100;
const WATCHED_MS = 1_500;

const PINGS = 300;

it.concurrent.each<[string, Parameters<typeof mcpServer>[0]]>([
  [
    "whose tool list never ends",
    {
      sessionId: "s-1",
      answers: {
        "tools/list": ({ cursor }) => ({ tools: [], nextCursor: String(Number(cursor ?? 0) + 1) }),
      },
    },
  ],
  [
    "whose slow tool list outlasts the time limit",
    {
      intercept(_request, response, message) {
        if (message?.method !== "tools/list") return false;
        const nextCursor = String(message.id);
        setTimeout(() => reply(response, message, { tools: [ECHO_TOOL], nextCursor }), 300);
        return true;
      },
    },
  ],
  [
    "that asks questions of its own without end",
    {
      intercept(_request, response, message) {
        if (message?.method !== "tools/list") return false;
        response.writeHead(200, { "content-type": "text/event-stream" });
        for (let id = 0; id < PINGS; id++)
          response.write(
            `event: message\ndata: ${JSON.stringify({ jsonrpc: "2.0", id: `p${id}`, method: "ping" })}\n\n`,
          );
        return true;
      },
    },
  ],
])(
  "a server %s gets no request once the run is over",
  async (_name, options) => {
    const server = await mcpServer(options);
    const request = anMcpRequest({ endpoint: server.endpoint, timeoutMs: 5_000 });
    const result = expectResult(await runProbe(request, aContext()));
    expect(result.status).not.toBe("success");
    await sleep(SETTLING_MS);
    const seen = server.seen.length;
    await sleep(WATCHED_MS);
    expect(server.seen.slice(seen)).toEqual([]);
  },
  20_000,
);
