import { gzipSync } from "node:zlib";
import { describe, expect, it } from "vitest";
import { aContext, aRequest } from "../../test-support/builders.ts";
import { httpServer } from "../../test-support/servers.ts";
import { runProbe } from "../registry.ts";
import { BodyBudget } from "./body-budget.ts";
import { RunnerFailure } from "./failures.ts";

const MIB = 1024 * 1024;
const READS_THE_BODY = [{ type: "body_contains", value: "x" }];

describe("the memory for bodies", () => {
  it("gives each run what is left, and takes back what a run held", () => {
    const budget = new BodyBudget(100);
    const [first, second] = [budget.claim(), budget.claim()];
    first.reserve(60);
    second.reserve(40);
    expect(() => second.reserve(1)).toThrow(RunnerFailure);
    expect(budget.usedBytes).toBe(100);
    first.release();
    first.release();
    expect(budget.usedBytes).toBe(40);
    second.reserve(60);
    second.release();
    expect(budget.usedBytes).toBe(0);
  });
});

it("one of several teams holds three quarters of the memory that the others leave free", () => {
  const budget = new BodyBudget(100);
  const [a, anotherOfA, b] = [budget.claim("a"), budget.claim("a"), budget.claim("b")];
  a.reserve(70);
  expect(() => anotherOfA.reserve(6)).toThrow(RunnerFailure);
  anotherOfA.reserve(5);
  b.reserve(18);
  expect(() => b.reserve(1)).toThrow(RunnerFailure);
  a.release();
  anotherOfA.release();
  b.reserve(57);
  expect(budget.usedBytes).toBe(75);
});

describe("runs whose bodies need the memory of one", () => {
  it.each([
    ["large bodies", Buffer.alloc(4 * MIB, "x"), {}],
    [
      "small bodies that decode to large ones",
      gzipSync(Buffer.alloc(4 * MIB, "x")),
      { "content-encoding": "gzip" },
    ],
  ])(
    "%s: those that find none are given back as capacity, and the memory is free afterwards",
    async (_name, body, headers) => {
      const waiting: (() => void)[] = [];
      const url = await httpServer((_, response) => {
        waiting.push(() => response.writeHead(200, headers).end(body));
        if (waiting.length === 6) for (const answer of waiting.splice(0)) answer();
      });
      const bodyBudget = new BodyBudget(10 * MIB);
      const context = { ...aContext(), bodyBudget };
      const request = aRequest({
        url,
        assertions: [...READS_THE_BODY, { type: "body_matches", pattern: "(x)y" }],
      });
      const outcomes = await Promise.all(Array.from({ length: 6 }, () => runProbe(request, context)));
      const faults = outcomes.filter(({ kind }) => kind === "fault");
      expect(faults.length).toBeGreaterThan(0);
      expect(faults.every((fault) => fault.kind === "fault" && fault.reason === "capacity")).toBe(true);
      expect(bodyBudget.usedBytes).toBe(0);
      waiting.push(
        () => {},
        () => {},
        () => {},
        () => {},
        () => {},
      );
      expect((await runProbe(request, context)).kind).toBe("result");
    },
  );

  it("that don't look into the body need next to no memory", async () => {
    const url = await httpServer((_, response) => response.end(Buffer.alloc(4 * MIB)));
    const context = { ...aContext(), bodyBudget: new BodyBudget(MIB) };
    const outcomes = await Promise.all(Array.from({ length: 5 }, () => runProbe(aRequest({ url }), context)));
    expect(outcomes.map(({ kind }) => kind)).toEqual(Array.from({ length: 5 }, () => "result"));
  });
});
