import { expect, it } from "vitest";
import { growthAtDoubleSize } from "../../test-support/cpu-growth.ts";
import { runAgainst } from "../../test-support/mcp-run.ts";
import { excessOf } from "./message-width.ts";

const KIB = 1024;
const members = (count: number) => Array.from({ length: count }, (_, index) => `,"k${index}":0`).join("");
const message = (count: number) => `{"jsonrpc":"2.0","id":1,"result":{}${members(count)}}`;

const MEMBERS = "more than 1000 members";
const VALUES = "more than 20000 values";

it.each<[string, string, string | undefined]>([
  ["of four members", message(1), undefined],
  ["of a thousand members", message(997), undefined],
  ["of more", message(998), MEMBERS],
  ["in a batch, of more", `[${message(998)}]`, MEMBERS],
  ["one of a long batch", `[${Array(300).fill(message(1))}]`, MEMBERS],
  ["with a wide result", `{"id":1,"result":{"a":0${members(5_000)}}}`, undefined],
  ["with as many values as may be", `{"id":1,"result":[0${",0".repeat(19_996)}]}`, undefined],
  ["with one more", `{"id":1,"result":[0${",0".repeat(19_997)}]}`, VALUES],
  ["of countless levels", `{"id":1,"result":${"[".repeat(20_000)}`, VALUES],
  ["of countless objects", `{"id":1,"result":[{}${",{}".repeat(10_000)}]}`, VALUES],
  ["with commas in a text", `{"id":1,"result":"\\"${",".repeat(50_000)}"}`, undefined],
  ["cut in a text", `{"id":"${",".repeat(50_000)}\\`, undefined],
  ["as long as may be", `{"id":"${"x".repeat(4 * KIB * KIB - 9)}"}`, undefined],
  ["of a byte more", `{"id":"${"x".repeat(4 * KIB * KIB - 8)}"}`, "more than 4194304 bytes"],
])("a message %s", (_name, json, expected) => {
  expect(excessOf(Buffer.from(json))).toBe(expected);
});

it("any text is judged in linear time", () => {
  const text = (size: number) => Buffer.from(`{"id":1,"a":["${'\\\\\\",{},'.repeat(size / 8)}`);
  expect(growthAtDoubleSize([512 * KIB, 1_024 * KIB, 2_048 * KIB], text, excessOf)).toBeLessThan(2.5);
});

const wide = Object.fromEntries(Array.from({ length: 2_000 }, (_, index) => [`k${index}`, 0]));
const schema = Object.fromEntries(Array.from({ length: 20_000 }, (_, index) => [`k${index}`, 0]));
const tool = { name: "t", inputSchema: {} };

it.each(
  (["json", "sse"] as const).flatMap((format) => [
    { format, what: "a member", excess: MEMBERS, result: { tools: [] }, more: wide },
    {
      format,
      what: "a value",
      excess: VALUES,
      result: { tools: [{ ...tool, inputSchema: schema }] },
      more: {},
    },
    {
      format,
      what: "a byte",
      excess: "more than 4194304 bytes",
      result: { tools: [{ ...tool, description: "d".repeat(4 * KIB * KIB) }] },
      more: {},
    },
  ]),
)(
  "a server whose answer ($format) has $what too many fails the run, which says so",
  async ({ format, excess, result, more }) => {
    const { status, detail } = await runAgainst({
      intercept(_request, response, request) {
        if (request?.method !== "tools/list") return false;
        const text = JSON.stringify({ jsonrpc: "2.0", id: request.id, result, ...more });
        if (format === "json") response.writeHead(200, { "content-type": "application/json" }).end(text);
        else response.writeHead(200, { "content-type": "text/event-stream" }).end(`data: ${text}\n\n`);
        return true;
      },
    });
    expect(status).toBe("error");
    expect(detail?.errorMessage).toContain(`a message of ${excess}`);
  },
);
