import type { ServerResponse } from "node:http";
import { factTypes, resultDetailSchema } from "@svc/contract";
import fc from "fast-check";
import pMap from "p-map";
import { expect, it } from "vitest";
import { FUZZ_INPUTS, FUZZ_TIMEOUT_MS } from "../../../contract/test-support/fuzz.ts";
import { aContext } from "../../test-support/builders.ts";
import { LoopHold, settledWithin } from "../../test-support/loop-patience.ts";
import {
  anMcpRequest,
  ECHO_TOOL,
  INITIALIZED,
  type McpRequest,
  mcpServer,
} from "../../test-support/mcp-server.ts";
import { runProbe } from "../registry.ts";
import { DETAIL_BYTES_MAX } from "../run/fit-detail.ts";

/** Servers that are tried: few beside other fuzz tests, since a run may last for its whole limit. */
const SERVERS = Math.ceil(FUZZ_INPUTS / 50);
const SEED = 20_26;
const TIMEOUT_MS = 1_500;
/** Time that a run may take beyond its limit, the goodbye included. */
const OVERTIME_MS = 2_000;
const AT_ONCE = 10;
const KIB = 1024;
/** Generous, as the servers work in this thread, too. */
const HOLD_MS_MAX = 1_000;

/** Answers a request in a hostile way. */
type HostileAnswer = (response: ServerResponse, request: McpRequest) => void;

const JSON_TYPE = { "content-type": "application/json" };
const STREAM_TYPE = { "content-type": "text/event-stream" };

/** Answers with the JSON text of a result. */
const result =
  (json: string, more = ""): HostileAnswer =>
  (response, { id }) =>
    response.writeHead(200, JSON_TYPE).end(`{"jsonrpc":"2.0","id":${id},"result":${json}${more}}`);
/** Answers with the text itself as an event stream. */
const stream =
  (text: string): HostileAnswer =>
  (response) =>
    response.writeHead(200, STREAM_TYPE).end(text);
/** Answers with an event stream that goes on until the connection is closed. */
const endless =
  (piece: string): HostileAnswer =>
  (response) => {
    response.writeHead(200, STREAM_TYPE);
    const write = (): void => {
      if (response.destroyed) return;
      if (response.write(piece)) setImmediate(write);
      else response.once("drain", write);
    };
    write();
  };

const upTo = (max: number) => fc.integer({ min: 1, max });
const event = (message: object) => `event: message\ndata: ${JSON.stringify(message)}\n\n`;
const toolsJson = (count: number, tool: (index: number) => object) =>
  `{"tools":${JSON.stringify(Array.from({ length: count }, (_, index) => tool(index)))}}`;

const ANSWERS: fc.Arbitrary<HostileAnswer>[] = [
  // Lists without end, or of odd members.
  fc.constant((response, request) => result(`{"tools":[],"nextCursor":"${request.id}"}`)(response, request)),
  fc.constant(result('{"tools":[],"nextCursor":"again"}')),
  upTo(11_000).map((n) => result(toolsJson(n, (index) => ({ ...ECHO_TOOL, name: `t${index}` })))),
  upTo(300).map((n) =>
    result(toolsJson(n, (i) => ({ ...ECHO_TOOL, name: `t${i}`, description: "\u0000".repeat(9_000) }))),
  ),
  upTo(300 * KIB).map((n) => result(`{"tools":[${"[],".repeat(n)}0]}`)),
  // Deep and wide values.
  upTo(200 * KIB).map((n) => result(`{"tools":[],"a":${"[".repeat(n)}${"]".repeat(n)}}`)),
  upTo(50 * KIB).map((n) =>
    result(`{"tools":[{"name":"t","inputSchema":{"a":${'{"a":[0,'.repeat(n)}0${"]}".repeat(n)}}}]}`),
  ),
  upTo(50 * KIB).map((n) =>
    result(
      `{"tools":[{"name":"t","inputSchema":{${Array.from({ length: n }, (_, i) => `"k${i}":0,`).join("")}"z":0}}]}`,
    ),
  ),
  upTo(50 * KIB).map((n) =>
    result('{"tools":[]}', Array.from({ length: n }, (_, i) => `,"k${i}":0`).join("")),
  ),
  // Long texts.
  upTo(KIB * KIB).map((n) =>
    result(`{"tools":[{"name":"t","description":"${"\\u0000".repeat(n / 6)}","inputSchema":{}}]}`),
  ),
  upTo(KIB * KIB).map((n) => result(`{"tools":[{"name":"${"n".repeat(n)}","inputSchema":{}}]}`)),
  // Batches and answers to nothing.
  upTo(20 * KIB).map(
    (n) => (response) =>
      response.writeHead(200, JSON_TYPE).end(`[${'{"jsonrpc":"2.0","method":"x"},'.repeat(n)}0]`),
  ),
  upTo(20 * KIB).map(
    (n) => (response) =>
      response.writeHead(200, JSON_TYPE).end(`[${Array(n).fill('{"jsonrpc":"2.0","id":99,"result":{}}')}]`),
  ),
  // Streams.
  upTo(300 * KIB).map((n) => stream("\n".repeat(n))),
  upTo(100 * KIB).map((n) => stream("data: x\r".repeat(n))),
  upTo(5 * KIB).map((n) => stream(event({ jsonrpc: "2.0", method: "notifications/message" }).repeat(n))),
  fc.constant(endless(":\n\n")),
  fc.constant(endless("x".repeat(KIB))),
  fc.constant(endless(event({ jsonrpc: "2.0", id: "s", method: "ping" }))),
  fc.constant(endless(`id: 1\nretry: 0\n${event({ jsonrpc: "2.0", id: 99, result: {} })}`)),
  fc.constant(stream("id: 1\nretry: 0\ndata:\n\n")),
  // Heads.
  fc.constant((response) => response.writeHead(307, { location: "/mcp" }).end()),
  fc.constant((response) =>
    response.writeHead(200, { ...JSON_TYPE, "mcp-session-id": "s".repeat(9_000) }).end("{}"),
  ),
  fc.constant(() => {}),
];

it(
  `${SERVERS} hostile MCP servers: each run ends in time with a valid outcome, and none holds the loop`,
  async () => {
    const kinds = fc.tuple(fc.constantFrom("initialize", "tools/list", "tools/call"), fc.oneof(...ANSWERS));
    // Each kind of answer once as tools/list, and then as chance has it.
    const eachOnce = ANSWERS.map((answer, index) => {
      const [made] = fc.sample(answer, { numRuns: 1, seed: SEED + index });
      return ["tools/list", made] as [string, HostileAnswer];
    });
    const servers = [...eachOnce, ...fc.sample(kinds, { numRuns: SERVERS, seed: SEED })];
    const context = aContext();
    const hold = new LoopHold();
    await pMap(
      servers,
      async ([method, answer], index) => {
        const { endpoint, close } = await mcpServer({
          answers: { initialize: INITIALIZED },
          intercept(_request, response, message) {
            if (message?.method !== method || message.id === undefined) return false;
            answer(response, message);
            return true;
          },
        });
        const completed = anMcpRequest({ endpoint, testCalls: [{ toolName: "echo", arguments: {} }] });
        // Shorter than a check may say, so that many fit into a test.
        const config = Object.assign({}, completed.config, { timeoutMs: TIMEOUT_MS });
        const request = { ...completed, config };
        const what = `server ${index}, ${method}`;
        const outcome = await settledWithin(
          TIMEOUT_MS + OVERTIME_MS,
          what,
          runProbe(request, context),
        ).finally(close);
        // On a machine that is too busy for an honest judgement the run ends with a fault.
        if (outcome.kind === "fault") return expect(outcome.reason, what).toBe("capacity");
        expect(() => resultDetailSchema.parse(outcome.detail), what).not.toThrow();
        expect(Buffer.byteLength(JSON.stringify(outcome.detail)), what).toBeLessThanOrEqual(DETAIL_BYTES_MAX);
        for (const { type, schema } of factTypes.members)
          if (outcome.facts?.[type]) schema.parse(outcome.facts[type]);
      },
      { concurrency: AT_ONCE },
    );
    expect(hold.end()).toBeLessThan(HOLD_MS_MAX);
  },
  FUZZ_TIMEOUT_MS,
);
