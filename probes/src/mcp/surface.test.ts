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

const onlyTool = (tool: Partial<McpTool>) => surfaceOf("http://e", SERVER, [aTool(tool)])?.tools[0];

describe("a surface", () => {
  it("is the same whatever the order of members and tools", () => {
    const schema = { type: "object", properties: { a: {}, b: {} } };
    const turned = { properties: { b: {}, a: {} }, type: "object" };
    expect(onlyTool({ inputSchema: turned })).toEqual(onlyTool({ inputSchema: schema }));
    const [a, b] = [aTool({ name: "a" }), aTool({ name: "b" })];
    expect(surfaceOf("http://e", SERVER, [b, a])).toEqual(surfaceOf("http://e", SERVER, [a, b]));
  });

  it("differs where description, schema or annotations differ, also beyond what is kept of the text", () => {
    const long = "x".repeat(10_000);
    expect(onlyTool({ description: `${long}1` })?.description.digest).not.toBe(
      onlyTool({ description: `${long}2` })?.description.digest,
    );
    expect(onlyTool({ annotations: { title: "T" } })?.annotations.digest).not.toBe(
      onlyTool({})?.annotations.digest,
    );
  });

  it("keeps shorter texts, never fewer tools, when it would be too large", () => {
    const tools = Array.from({ length: 500 }, (_, i) =>
      aTool({ name: `tool-${i}`, description: "y".repeat(5_000) }),
    );
    const surface = surfaceOf("http://e", SERVER, tools);
    expect(surface?.tools).toHaveLength(500);
    expect(Buffer.byteLength(JSON.stringify(surface))).toBeLessThanOrEqual(SURFACE_BYTES_MAX);
  });

  it("of too many tools is none at all", () => {
    const tools = Array.from({ length: 5_000 }, (_, i) => aTool({ name: `tool-${i}` }));
    expect(surfaceOf("http://e", SERVER, tools)).toBeUndefined();
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
