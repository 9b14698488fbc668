import { subscribe } from "node:diagnostics_channel";
import type { ClientRequest } from "node:http";
import { expect, it } from "vitest";
import { aContext } from "../../test-support/builders.ts";
import { turnsOf } from "../../test-support/loop-patience.ts";
import { anMcpRequest, ECHO_TOOL, mcpServer, reply } from "../../test-support/mcp-server.ts";
import { runProbe } from "../registry.ts";

/** Time in which a request that was under way as the run ended has arrived. */
const SETTLING_MS = 500;
const WATCHED_MS = 1_500;

const PINGS = 300;

/** The paths of all requests that this process began to send. A server reads on a busy machine long after that. */
const begun: string[] = [];
subscribe("http.client.request.start", (message) => {
  begun.push((message as { request: ClientRequest }).request.path);
});

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
])("a server %s gets no request once the run is over", async (name, options) => {
  const server = await mcpServer(options);
  const endpoint = `${server.endpoint}/${name.replaceAll(" ", "-")}`;
  const request = anMcpRequest({ endpoint, timeoutMs: 5_000 });
  // On a machine that is too busy for an honest judgement the run ends with a fault, after which silence is due as well.
  const outcome = await runProbe(request, aContext());
  if (outcome.kind === "result") expect(outcome.status).not.toBe("success");
  const begunByRun = () => begun.filter((path) => endpoint.endsWith(path)).length;
  const begunAtEnd = begunByRun();
  expect(begunAtEnd).toBeGreaterThan(0);
  await turnsOf(SETTLING_MS);
  const seen = server.seen.length;
  await turnsOf(WATCHED_MS);
  expect(server.seen.slice(seen)).toEqual([]);
  expect(begunByRun()).toBe(begunAtEnd);
});
