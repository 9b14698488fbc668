import { expect, it } from "vitest";
import { BoundedFacts } from "./bounded-facts.ts";

it("facts are bounded by their bytes, the oldest ones going first", () => {
  const facts = new BoundedFacts<string>({ entriesMax: 1_000, bytesMax: 10_000 });
  for (let nth = 0; nth < 100; nth++) facts.keep(`key ${nth}`, "x".repeat(400));
  expect(facts.bytes).toBeLessThanOrEqual(10_000);
  expect(facts.find("key 0")).toBeUndefined();
  expect(facts.find("key 99")).toHaveLength(400);
});

it("facts are bounded by their number", () => {
  const facts = new BoundedFacts<number>({ entriesMax: 3, bytesMax: 10_000 });
  for (const nth of [1, 2, 3, 4]) facts.keep(`${nth}`, nth);
  expect([1, 2, 3, 4].map((nth) => facts.find(`${nth}`))).toEqual([undefined, 2, 3, 4]);
});

it("facts that alone would push out many others are not kept", () => {
  const facts = new BoundedFacts<string>({ entriesMax: 1_000, bytesMax: 10_000 });
  facts.keep("small", "x");
  facts.keep("huge", "x".repeat(5_000));
  expect([facts.find("small"), facts.find("huge")]).toEqual(["x", undefined]);
});
