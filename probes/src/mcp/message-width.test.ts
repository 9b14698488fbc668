import { expect, it } from "vitest";
import { growthAtDoubleSize } from "../../test-support/cpu-growth.ts";
import { runAgainst } from "../../test-support/mcp-run.ts";
import { isTooWide } from "./message-width.ts";

const KIB = 1024;
const members = (count: number) => Array.from({ length: count }, (_, index) => `,"k${index}":0`).join("");
const message = (count: number) => `{"jsonrpc":"2.0","id":1,"result":{}${members(count)}}`;

it.each<[string, string, boolean]>([
  ["of four members", message(1), false],
  ["of a thousand members", message(997), false],
  ["of more", message(998), true],
  ["in a batch, of more", `[${message(998)}]`, true],
  ["one of a long batch", `[${Array(300).fill(message(1))}]`, true],
  ["with a wide result", `{"id":1,"result":{"a":0${members(5_000)}}}`, false],
  ["with commas in a text", `{"id":1,"result":"\\"${",".repeat(5_000)}"}`, false],
  ["cut in a text", `{"id":"${",".repeat(5_000)}\\`, false],
])("a message %s", (_name, json, expected) => {
  expect(isTooWide(Buffer.from(json))).toBe(expected);
});

it("any text is judged in linear time", () => {
  const text = (size: number) => Buffer.from(`{"id":1,"a":[${'"\\\\",{},'.repeat(size / 8)}`);
  expect(growthAtDoubleSize([512 * KIB, 1_024 * KIB, 2_048 * KIB], text, isTooWide)).toBeLessThan(2.5);
});

it.each(["json", "sse"] as const)(
  "a server whose answer (%s) has a member too many fails the run, which says so",
  async (format) => {
    const { status, detail } = await runAgainst({
      intercept(_request, response, request) {
        if (request?.method !== "tools/list") return false;
        const unknown = Object.fromEntries(Array.from({ length: 2_000 }, (_, index) => [`k${index}`, 0]));
        const text = JSON.stringify({ jsonrpc: "2.0", id: request.id, result: { tools: [] }, ...unknown });
        if (format === "json") response.writeHead(200, { "content-type": "application/json" }).end(text);
        else response.writeHead(200, { "content-type": "text/event-stream" }).end(`data: ${text}\n\n`);
        return true;
      },
    });
    expect(status).toBe("error");
    expect(detail?.errorMessage).toContain("a message of more than 1000 members");
  },
);
