import { describe, expect, it } from "vitest";
import { type Assertion, assertionSchema, assertionsReadOff, meetActual } from "./registry.ts";

const RESPONSE = {
  httpStatusCode: 503,
  headers: { "content-type": "application/json" },
  body: '{"items":[{"price":12,"a b":null},"x"],"is":{"open":false}}',
  wasTruncated: false,
};

it("reads off what holds for a response, each a valid assertion", () => {
  const found = assertionsReadOff(RESPONSE);
  expect(found.map(({ label, assertion }) => [label, "value" in assertion && assertion.value])).toEqual([
    ["Status code", 503],
    ["items[0].price", 12],
    ['items[0]["a b"]', null],
    ["items[1]", "x"],
    ["is.open", false],
    ["Header content-type", "application/json"],
  ]);
  for (const { assertion } of found) expect(assertionSchema.parse(assertion)).toEqual(assertion);
});

it.each(["", "<p>", "[1, 2", '"text"', "12"])("finds no values in %j", (body) => {
  expect(assertionsReadOff({ ...RESPONSE, headers: {}, body })).toHaveLength(1);
});

it("looks at the first 5,000 values, no deeper than 64 levels, and at no body that was cut", () => {
  const long = JSON.stringify(Array.from({ length: 9_000 }, (_, i) => i));
  expect(assertionsReadOff({ ...RESPONSE, headers: {}, body: long })).toHaveLength(5_001);
  const deep = `${"[".repeat(200)}1${"]".repeat(200)}`;
  expect(assertionsReadOff({ ...RESPONSE, headers: {}, body: deep })).toHaveLength(1);
  expect(assertionsReadOff({ ...RESPONSE, headers: {}, wasTruncated: true })).toHaveLength(1);
});

describe("an assertion that is made to hold", () => {
  it.each<[Assertion, unknown, object | undefined]>([
    [{ type: "status_code", operator: "less_than", value: 400 }, 500, { operator: "equals", value: 500 }],
    [{ type: "status_code", operator: "equals", value: 200 }, null, undefined],
    [{ type: "response_time", max: 100 }, 212.3, { max: 213 }],
    [
      { type: "header_value", header: "a", operator: "contains", value: "x" },
      "y",
      { operator: "equals", value: "y" },
    ],
    [{ type: "body_json_path", path: "a", operator: "equals", value: 1 }, "2", { value: "2" }],
    [{ type: "body_json_path", path: "a", operator: "equals", value: 1 }, `${"x".repeat(500)}...`, undefined],
    [{ type: "body_json_path", path: "a", operator: "exists" }, false, undefined],
    [{ type: "body_contains", value: "x" }, "anything", undefined],
  ])("%j for %j", (assertion, actual, change) => {
    expect(meetActual(assertion, actual)).toEqual(change && { ...assertion, ...change });
  });
});
