import { describe, expect, it } from "vitest";
import type { Initialized } from "./conversation.ts";
import { canonicalJson, hintsOf, SURFACE_BYTES_MAX, surfaceOf } from "./surface.ts";
import type { McpTool } from "./tools.ts";

const SERVER: Initialized = {
  server: { name: "s", version: "1", protocolVersion: "2025-06-18" },
  capabilities: { tools: {} },
};

function aTool(tool: Partial<McpTool> = {}): McpTool {
  return { name: "t", description: "d", inputSchema: { type: "object" }, annotations: {}, ...tool };
}

const onlyTool = async (tool: Partial<McpTool>) =>
  (await surfaceOf("http://e", SERVER, [aTool(tool)]))?.tools[0];

describe("a surface", () => {
  it("is the same whatever the order of members and tools", async () => {
    const schema = { type: "object", properties: { a: {}, b: {} } };
    const turned = { properties: { b: {}, a: {} }, type: "object" };
    expect(await onlyTool({ inputSchema: turned })).toEqual(await onlyTool({ inputSchema: schema }));
    const [a, b] = [aTool({ name: "a" }), aTool({ name: "b" })];
    expect(await surfaceOf("http://e", SERVER, [b, a])).toEqual(await surfaceOf("http://e", SERVER, [a, b]));
  });

  it("differs where description, schema or annotations differ, also beyond what is kept of the text", async () => {
    const long = "x".repeat(10_000);
    expect((await onlyTool({ description: `${long}1` }))?.description.digest).not.toBe(
      (await onlyTool({ description: `${long}2` }))?.description.digest,
    );
    expect((await onlyTool({ annotations: { title: "T" } }))?.annotations.digest).not.toBe(
      (await onlyTool({}))?.annotations.digest,
    );
  });

  it("keeps shorter texts, never fewer tools, when it would be too large", async () => {
    const tools = Array.from({ length: 500 }, (_, i) =>
      aTool({ name: `tool-${i}`, description: "y".repeat(5_000) }),
    );
    const surface = await surfaceOf("http://e", SERVER, tools);
    expect(surface?.tools).toHaveLength(500);
    expect(Buffer.byteLength(JSON.stringify(surface))).toBeLessThanOrEqual(SURFACE_BYTES_MAX);
  });

  it("of too many tools is none at all", async () => {
    const tools = Array.from({ length: 5_000 }, (_, i) => aTool({ name: `tool-${i}` }));
    expect(await surfaceOf("http://e", SERVER, tools)).toBeUndefined();
    // Without any text they are too large, too: not only those that are too many at first sight.
    expect(await surfaceOf("http://e", SERVER, tools.slice(0, 1_500))).toBeUndefined();
    expect((await surfaceOf("http://e", SERVER, tools.slice(0, 800)))?.tools).toHaveLength(800);
  });

  it("of many large schemas is made in several turns of the event loop", async () => {
    const inputSchema = Object.fromEntries(Array.from({ length: 10_000 }, (_, i) => [`key${i}`, i]));
    const tools = Array.from({ length: 10 }, (_, i) => aTool({ name: `t${i}`, inputSchema }));
    let turns = 0;
    const count = () => {
      turns++;
      counter = setImmediate(count);
    };
    let counter = setImmediate(count);
    expect((await surfaceOf("http://e", SERVER, tools))?.tools).toHaveLength(10);
    clearImmediate(counter);
    expect(turns).toBeGreaterThan(3);
  });

  it("of a schema that nests deeper than the stack is made all the same", () => {
    const deep = JSON.parse(`${'{"a":'.repeat(100_000)}1${"}".repeat(100_000)}`) as Record<string, unknown>;
    expect(canonicalJson(deep).length).toBeLessThan(1_000);
  });
});

it.each([
  ["none", {}, [false, true, false, true]],
  ["reads only", { readOnlyHint: true }, [true, false, true, true]],
  [
    "reads only, whatever else it says",
    { readOnlyHint: true, destructiveHint: true },
    [true, false, true, true],
  ],
  ["destroys nothing", { destructiveHint: false }, [false, false, false, true]],
  [
    "can be repeated, in a closed world",
    { idempotentHint: true, openWorldHint: false },
    [false, true, true, false],
  ],
  ["of the wrong type", { readOnlyHint: "yes", openWorldHint: 0 }, [false, true, false, true]],
])("hints: %s", (_, annotations, [readOnly, destructive, idempotent, openWorld]) => {
  expect(hintsOf(annotations)).toEqual({ readOnly, destructive, idempotent, openWorld });
});
