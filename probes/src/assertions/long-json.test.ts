import { type Assertion, assertionSchema } from "@svc/contract";
import { afterAll, describe, expect, it } from "vitest";
import { growthAtDoubleSize } from "../../test-support/cpu-growth.ts";
import { LoopHold, turnsOf } from "../../test-support/loop-patience.ts";
import { aMeasurement } from "../../test-support/measurement.ts";
import { JsonDepth } from "../base/json-depth.ts";
import { closeJsonPool, findInJson, LOOP_JSON_LENGTH_MAX } from "../base/json-pool.ts";
import { judgeAssertions } from "./judge.ts";

afterAll(closeJsonPool);

const MIB = 1024 * 1024;
const members = (count: number) => Array.from({ length: count }, (_, n) => `"key${n}":${n}`).join(",");
const WIDE = `{${members(5_000)}}`;
const SHORT_BODY = `{"list":[1,"two",{"three":3}],"text":"hello \\u0000","nothing":null,"big":1e400,"wide":${WIDE},"":{"__proto__":1}}`;
const LONG_BODY = `${SHORT_BODY.slice(0, -1)},"padding":"${"p".repeat(LOOP_JSON_LENGTH_MAX)}"}`;

async function judge(assertions: unknown[], body: string) {
  const parsed = assertions.map((assertion) => assertionSchema.parse(assertion) as Assertion);
  return judgeAssertions(parsed, await aMeasurement({ body }));
}

const at = (path: string, operator: string, value?: unknown) => ({
  type: "body_json_path",
  path,
  operator,
  ...(value === undefined ? {} : { value }),
});

it("a long body is judged as a short one", async () => {
  const assertions = [
    at("list", "equals", [1, "two", { three: 3 }]),
    at("list", "not_equals", [1, "two", { three: 3 }]),
    at("list[2].three", "equals", 3),
    at("list[3]", "exists"),
    at("list[-1]", "exists"),
    at("nothing", "equals", null),
    at("big", "equals", 5),
    at("text", "contains", "hell"),
    at("text", "contains", "heaven"),
    at("list", "contains", "two"),
    at("wide", "contains", "two"),
    at("wide", "exists"),
    at("wide", "equals", {}),
    at("wide", "equals", JSON.parse(WIDE)),
    at("wide", "not_equals", { ...JSON.parse(WIDE), key0: 1 }),
    at("wide.key7", "not_equals", 7),
    at('[""].__proto__', "equals", 1),
    at("wide.constructor", "exists"),
  ];
  const results = await judge(assertions, SHORT_BODY);
  expect(results.filter(({ passed }) => passed)).toHaveLength(8);
  expect(await judge(assertions, LONG_BODY)).toEqual(results);
});

it.each([
  ["that is no JSON", `${LONG_BODY}}`, /the body is not JSON: /],
  ["of blanks", " ".repeat(2 * LOOP_JSON_LENGTH_MAX), /the body is empty, not JSON/],
  ["nested too deeply", "[".repeat(2 * LOOP_JSON_LENGTH_MAX), /nested deeper than 10000 levels/],
])("a long body %s fails each assertion, which says so", async (_name, body, message) => {
  const results = await judge([at("a", "exists"), at("b", "equals", 1)], body);
  for (const result of results) expect(result).toMatchObject({ passed: false, actual: null });
  for (const result of results) expect(result.message).toMatch(message);
});

it("a long body may nest as deeply as a short one", async () => {
  const deep = `{"deep":${"[".repeat(9_990)}${"]".repeat(9_990)},"padding":"${"p".repeat(LOOP_JSON_LENGTH_MAX)}"}`;
  const [result] = await judge([at("deep", "equals", 1)], deep);
  expect(result).toMatchObject({ passed: false, actual: `${"[".repeat(500)}...` });
});

describe("a body of 10 MiB", () => {
  it.each([
    ["with hundreds of thousands of members", `{"a":{${members(500_000)}},"b":1}`],
    ["of small objects", `{"a":[${'{"a":{}},'.repeat(MIB)}0],"b":1}`],
    ["of empty arrays", `{"a":[${"[],".repeat(3 * MIB)}0],"b":1}`],
  ])("%s is judged outside of the event loop", async (_name, body) => {
    expect(body.length).toBeLessThan(10 * MIB);
    const measurement = await aMeasurement({ body });
    const assertions = [at("a", "not_equals", 1), at("b", "equals", 1)];
    const parsed = assertions.map((assertion) => assertionSchema.parse(assertion) as Assertion);
    const [parsingMs, judgingMs]: [number[], number[]] = [[], []];
    // The shortest of some: one round may be held up by something else on the machine.
    for (let round = 0; round < 4; round++) {
      const parsing = new LoopHold();
      JSON.parse(body);
      await turnsOf(50);
      parsingMs.push(parsing.end());
      const judging = new LoopHold();
      const results = await judgeAssertions(parsed, measurement);
      judgingMs.push(judging.end());
      expect(results.map(({ passed }) => passed)).toEqual([true, true]);
    }
    expect(Math.min(...judgingMs)).toBeLessThan(Math.min(...parsingMs) / 2);
  });
});

it("a team whose target sends long bodies without end leaves a thread to the others", async () => {
  const order: string[] = [];
  const find = (team: string, text: string) =>
    findInJson({ team, text, searches: [] }).then(({ kind }) => order.push(`${team}: ${kind}`));
  const slow = `[${"[],".repeat(2 * MIB)}0]`;
  await Promise.all([...Array.from({ length: 4 }, () => find("a", slow)), find("b", "[]"), find("c", "[]")]);
  // All four of the first team's would run first if teams took no turns, and two of them if it had both threads.
  expect(order.slice(0, 2)).toEqual(["b: found", "c: found"]);
  expect(order.slice(2)).toEqual(Array(4).fill("a: found"));
});

it("the depth of any text is measured in linear time, in pieces as at once", () => {
  const text = (size: number) => `[${'"\\\\",{},'.repeat(size / 8)}`;
  const measure = (json: string) => new JsonDepth(json, 10).read(json.length);
  expect(growthAtDoubleSize([MIB, 2 * MIB, 4 * MIB], text, measure)).toBeLessThan(2.5);
  for (const json of ['[["\\"[", "\\\\"]]', "[[[]]]", '["\\', "[]{}[[]]"])
    for (const levelsMax of [1, 2, 3]) {
      const whole = new JsonDepth(json, levelsMax);
      whole.read(json.length);
      const pieces = new JsonDepth(json, levelsMax);
      while (pieces.read(1));
      expect(pieces.isTooDeep).toBe(whole.isTooDeep);
    }
});
