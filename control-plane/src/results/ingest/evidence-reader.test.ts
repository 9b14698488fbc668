import { newId } from "@svc/contract";
import { afterAll, describe, expect, test } from "vitest";
import { EvidenceReader, hasMoreValuesThan } from "./evidence-reader.ts";

const TEAM_A = newId("team");
const TEAM_B = newId("team");

const reader = new EvidenceReader();
afterAll(() => reader.close());

const ofTeam = () => TEAM_A;
const detail = (index: number, value: unknown) => ({ index, json: JSON.stringify(value) });

/** As many wrong items as the largest detail holds. */
const wrongItems = { assertions: new Array(87_000).fill({}) };

test("only evidence of accepted results is read", async () => {
  const batch = { details: [detail(0, { errorMessage: "a" }), { index: 1, json: "not JSON" }], facts: [] };
  const read = await reader.read(batch, (index) => (index === 0 ? TEAM_A : undefined));
  expect(read).toEqual({ details: [detail(0, { errorMessage: "a" })], facts: [], refused: [], bytes: 20 });
});

test("a result has one detail, and one fact of a kind", async () => {
  const details = Array.from({ length: 1_000 }, () => detail(0, { errorMessage: "a" }));
  const facts = [0, 0].map((index) => ({ index, kind: "nonsense", json: "{}" }));
  const read = await reader.read({ details, facts }, ofTeam);
  expect(read.details).toHaveLength(1);
  expect(read.refused).toHaveLength(1_001);
  expect(read.refused[0]?.reason).toBe("detail not stored: the result has another");
  expect(read.refused.at(-1)?.reason).toBe("nonsense fact not stored: the result has another");
});

describe("evidence that is costly to check", () => {
  test("does not hold the loop, and is refused", async () => {
    let ticks = 0;
    const timer = setInterval(() => ticks++, 10);
    const read = await reader.read({ details: [detail(0, wrongItems)], facts: [] }, ofTeam);
    clearInterval(timer);
    expect(read.refused).toHaveLength(1);
    expect(ticks).toBeGreaterThan(5);
  });

  test("delays another team's by no more than a turn", async () => {
    const costly = { details: Array.from({ length: 6 }, (_, index) => detail(index, wrongItems)), facts: [] };
    const attack = reader.read(costly, ofTeam);
    const honest = {
      response: { headers: Object.fromEntries(Array.from({ length: 600 }, (_, i) => [`h${i}`, ""])) },
    };
    const order: string[] = [];
    void attack.then(() => order.push("attack"));
    await reader
      .read({ details: [detail(0, honest)], facts: [] }, () => TEAM_B)
      .then(() => order.push("honest"));
    await attack;
    expect(order).toEqual(["honest", "attack"]);
  });

  test("that is in order is stored", async () => {
    const notes = Array.from({ length: 1_000 }, (_, i) => `${i}`);
    const read = await reader.read({ details: [detail(0, { notes })], facts: [] }, ofTeam);
    expect(read.details).toEqual([detail(0, { notes })]);
  });
});

test.each([
  ['{"a":[1,2,3]}', 3, true],
  ['{"a":[1,2,3]}', 4, false],
  ['"[[[,,,\\"[[["', 0, false],
  ['"\\\\"[', 0, true],
  ["", 0, false],
])("%s has more than %i values: %s", (json, max, expected) =>
  expect(hasMoreValuesThan(json, max)).toBe(expected),
);
