import { afterAll, describe, expect, it } from "vitest";
import { judgeAssertion, type MeasurementOptions } from "../../test-support/judge-assertion.ts";
import { closeRegexPool } from "../base/regex-pool.ts";

afterAll(closeRegexPool);

describe("passes", () => {
  it.each<[string, unknown, MeasurementOptions]>([
    ["equal status", { type: "status_code", value: 200 }, {}],
    ["other status", { type: "status_code", operator: "not_equals", value: 500 }, {}],
    ["status below", { type: "status_code", operator: "less_than", value: 201 }, {}],
    ["status above", { type: "status_code", operator: "greater_than", value: 199 }, {}],
    ["response exactly at max", { type: "response_time", max: 12.5 }, { totalMs: 12.5 }],
    ["substring", { type: "body_contains", value: "lo wor" }, { body: "hello world" }],
    ["empty substring of an empty body", { type: "body_contains", value: "" }, { body: "" }],
    [
      "substring in another charset",
      { type: "body_contains", value: "ü" },
      { body: Buffer.from([0xfc]), headers: ["Content-Type", "text/plain; charset=iso-8859-1"] },
    ],
    ["substring of a gzip body", { type: "body_contains", value: "zipped" }, { gzip: "zipped text" }],
    ["pattern", { type: "body_matches", pattern: "^h.*d$" }, { body: "hello world" }],
    [
      "pattern over the full body",
      { type: "body_matches", pattern: "a[\\s\\S]*z$" },
      { body: `a\n${"x".repeat(200_000)}\nz` },
    ],
    ["lookahead", { type: "body_matches", pattern: "^(?!.*error)" }, { body: "fine" }],
    ["number", { type: "body_json_path", path: "a.b", value: 1 }, { body: '{"a":{"b":1}}' }],
    ["null", { type: "body_json_path", path: "a", value: null }, { body: '{"a":null}' }],
    ["null exists", { type: "body_json_path", path: "a", operator: "exists" }, { body: '{"a":null}' }],
    ["false exists", { type: "body_json_path", path: "a", operator: "exists" }, { body: '{"a":false}' }],
    [
      "equal objects, members in another order",
      { type: "body_json_path", path: "a", value: { x: 1, y: [2] } },
      { body: '{"a":{"y":[2],"x":1}}' },
    ],
    ["nested arrays", { type: "body_json_path", path: "[0][1]", value: "x" }, { body: '[["w","x"]]' }],
    ["name with a dot", { type: "body_json_path", path: '["a.b"]', value: true }, { body: '{"a.b":true}' }],
    ["root", { type: "body_json_path", path: "$", value: "x" }, { body: '"x"' }],
    [
      "contains",
      { type: "body_json_path", path: "a", operator: "contains", value: "ell" },
      { body: '{"a":"hello"}' },
    ],
    [
      "not_equals of a missing path",
      { type: "body_json_path", path: "b", operator: "not_equals", value: 1 },
      { body: "{}" },
    ],
    [
      "not_equals of an index past the end",
      { type: "body_json_path", path: "a[3]", operator: "not_equals", value: 1 },
      { body: '{"a":[1]}' },
    ],
    [
      "not_equals of another type",
      { type: "body_json_path", path: "a", operator: "not_equals", value: "1" },
      { body: '{"a":1}' },
    ],
    [
      "header equals, name in any case",
      { type: "header_value", header: "x-A", value: "b" },
      { headers: ["X-a", "b"] },
    ],
    [
      "header contains",
      { type: "header_value", header: "Content-Type", operator: "contains", value: "json" },
      { headers: ["content-type", "application/json; charset=utf-8"] },
    ],
    [
      "empty header exists",
      { type: "header_value", header: "X-A", operator: "exists" },
      { headers: ["X-A", ""] },
    ],
    [
      "header given twice, joined",
      { type: "header_value", header: "X-A", value: "1, 2" },
      { headers: ["X-A", "1", "x-a", "2"] },
    ],
    [
      "certificate valid for longer",
      { type: "ssl_expiry", daysBeforeExpiry: 14 },
      { certificateDaysLeft: 14.001 },
    ],
  ])("%s", async (_, assertion, facts) => {
    expect(await judgeAssertion(assertion, facts)).toEqual(expect.objectContaining({ passed: true }));
    expect(await judgeAssertion(assertion, facts)).not.toHaveProperty("message");
  });
});
