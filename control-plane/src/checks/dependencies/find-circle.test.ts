import type { CheckId } from "@svc/contract";
import fc from "fast-check";
import { expect, it } from "vitest";
import { findCircle } from "./find-circle.ts";

const graph = (edges: Record<string, string[]>) =>
  new Map(Object.entries(edges)) as unknown as ReadonlyMap<CheckId, readonly CheckId[]>;

it.each([
  ["nothing depends on anything", {}, undefined],
  ["a chain", { a: ["b"], b: ["c"] }, undefined],
  ["two ways to one check", { a: ["b", "c"], b: ["d"], c: ["d"] }, undefined],
  ["itself", { a: ["a"] }, ["a", "a"]],
  ["two that depend on each other", { a: ["b"], b: ["a"] }, ["a", "b", "a"]],
  ["the shorter way of two", { a: ["b", "c"], b: ["d"], c: ["a"], d: ["a"] }, ["a", "c", "a"]],
  ["a circle of others", { a: ["b"], b: ["c"], c: ["b"] }, undefined],
])("%s", (_, edges, expected) => {
  expect(findCircle("a" as CheckId, graph(edges))).toEqual(expected);
});

it("a way that is found is one, and one that exists is found, in graphs of any shape", () => {
  const nodes = ["a", "b", "c", "d", "e", "f"];
  const edges = fc.uniqueArray(fc.tuple(fc.constantFrom(...nodes), fc.constantFrom(...nodes)), {
    selector: ([from, to]) => from + to,
    maxLength: 14,
  });
  fc.assert(
    fc.property(edges, (list) => {
      const byNode = graph(
        Object.fromEntries(
          nodes.map((node) => [node, list.filter(([from]) => from === node).map(([, to]) => to)]),
        ),
      );
      const way = findCircle("a" as CheckId, byNode);
      const reached = new Set<string>();
      for (let size = -1; size < reached.size; ) {
        size = reached.size;
        for (const [from, to] of list) if (from === "a" || reached.has(from)) reached.add(to);
      }
      expect(way !== undefined).toBe(reached.has("a"));
      for (const [i, id] of (way ?? []).slice(0, -1).entries())
        expect(byNode.get(id)).toContain(way?.[i + 1]);
      expect([way?.[0], way?.at(-1)]).toEqual(way ? ["a", "a"] : [undefined, undefined]);
    }),
  );
});
