import type { McpSurface, McpToolSurface } from "@svc/contract";
import { describe, expect, it } from "vitest";
import { aSurface, aTool, compared } from "../../../test-support/mcp.ts";
import { driftBetween, isLessSafe } from "./compare.ts";

const NOTHING = { added: [], removed: [], modified: [], escalated: [], server: [] };
const SAFE = { readOnly: true, destructive: false, idempotent: true, openWorld: false };
const withTools = (...tools: McpToolSurface[]) => aSurface({ tools });
const withServer = (server: Partial<McpSurface["server"]>) =>
  aSurface({ server: { ...aSurface().server, ...server } });

describe("driftBetween", () => {
  it("equal surfaces is none", () => {
    expect(driftBetween(aSurface(), aSurface())).toBeUndefined();
  });

  it.each<[string, McpSurface, McpSurface, Record<string, unknown>]>([
    ["a new tool", withTools(aTool("a")), withTools(aTool("a"), aTool("b")), { added: ["b"] }],
    ["a tool that is gone", withTools(aTool("a"), aTool("b")), withTools(aTool("b")), { removed: ["a"] }],
    [
      "another description",
      withTools(aTool("a")),
      withTools(aTool("a", { description: compared("new") })),
      { modified: ["a"], changes: [{ tool: "a", field: "description", before: "does a", after: "new" }] },
    ],
    [
      "another schema",
      withTools(aTool("a")),
      withTools(aTool("a", { inputSchema: compared("{}") })),
      { modified: ["a"], changes: [expect.objectContaining({ field: "inputSchema" })] },
    ],
    [
      "annotations that say no more of its safety",
      withTools(aTool("a")),
      withTools(aTool("a", { annotations: compared('{"title":"A"}') })),
      { modified: ["a"], changes: [expect.objectContaining({ field: "annotations" })] },
    ],
    [
      "less safe annotations",
      withTools(aTool("a", { annotations: compared('{"openWorldHint":false}'), hints: SAFE })),
      withTools(aTool("a", { annotations: compared("{}"), hints: { ...SAFE, openWorld: true } })),
      { modified: ["a"], escalated: ["a"], changes: [expect.anything()] },
    ],
    [
      "another name",
      aSurface(),
      withServer({ name: "x" }),
      { server: ["name"], changes: [expect.anything()] },
    ],
    [
      "another version",
      aSurface(),
      withServer({ version: "2" }),
      { server: ["version"], changes: [{ tool: null, field: "version", before: "1", after: "2" }] },
    ],
    [
      "another protocol",
      aSurface(),
      withServer({ protocolVersion: "x" }),
      { server: ["protocolVersion"], changes: [expect.anything()] },
    ],
    [
      "other capabilities",
      aSurface(),
      withServer({ capabilities: compared("{}") }),
      { server: ["capabilities"], changes: [expect.anything()] },
    ],
  ])("%s", (_, before, after, drift) => {
    expect(driftBetween(before, after)).toEqual({ ...NOTHING, ...drift });
  });

  it("texts that are cut alike differ by their digests, and are shown around their first difference", () => {
    const start = "x".repeat(5_000);
    const [before, after] = [`${start}1`, `${start}2`].map((text) =>
      withTools(aTool("a", { description: compared(text) })),
    );
    const change = driftBetween(before as McpSurface, after as McpSurface)?.changes?.[0];
    expect(change?.before.endsWith("x1...")).toBe(true);
    expect(change?.after.length).toBeLessThan(200);
  });

  it("of many changes some are shown and all are named", () => {
    const tools = Array.from({ length: 200 }, (_, i) => aTool(`t${i}`));
    const changed = tools.map((tool) => ({ ...tool, description: compared("new") }));
    const drift = driftBetween(withTools(...tools), withTools(...changed));
    expect(drift?.modified).toHaveLength(200);
    expect(drift?.changes).toHaveLength(50);
  });
});

it.each([
  ["reads only no more", { readOnly: false }, true],
  ["destroys now", { destructive: true }, true],
  ["can't be repeated any more", { idempotent: false }, true],
  ["reaches the open world now", { openWorld: true }, true],
  ["is the same", {}, false],
])("less safe: a tool that %s", (_, change, expected) => {
  expect(isLessSafe(SAFE, { ...SAFE, ...change })).toBe(expected);
  if (expected) expect(isLessSafe({ ...SAFE, ...change }, SAFE)).toBe(false);
});
