import { afterAll, describe, expect, it } from "vitest";
import { judgeAssertion, type MeasurementOptions } from "../../test-support/judge-assertion.ts";
import { closeRegexPool } from "../base/regex-pool.ts";

afterAll(closeRegexPool);

describe("fails", () => {
  it.each<[string, unknown, MeasurementOptions, { expected?: unknown; actual?: unknown; message: RegExp }]>([
    [
      "another status",
      { type: "status_code", value: 201 },
      {},
      { expected: 201, actual: 200, message: /expected status 201, got 200/ },
    ],
    [
      "equal status",
      { type: "status_code", operator: "not_equals", value: 200 },
      {},
      { message: /anything but 200/ },
    ],
    [
      "status not below",
      { type: "status_code", operator: "less_than", value: 200 },
      {},
      { message: /less than 200/ },
    ],
    [
      "status not above",
      { type: "status_code", operator: "greater_than", value: 200 },
      {},
      { message: /more than 200/ },
    ],
    [
      "response just over max",
      { type: "response_time", max: 12.5 },
      { totalMs: 12.501 },
      { expected: 12.5, actual: 12.501, message: /within 12.5 ms, it took 12.501 ms/ },
    ],
    [
      "substring in another case",
      { type: "body_contains", value: "Hello" },
      { body: "hello" },
      { expected: "Hello", actual: "hello", message: /does not contain "Hello"/ },
    ],
    [
      "substring of an empty body",
      { type: "body_contains", value: "x" },
      { body: "" },
      { actual: "", message: /does not contain/ },
    ],
    [
      "substring of a damaged body",
      { type: "body_contains", value: "x" },
      { body: "x", headers: ["Content-Encoding", "gzip"] },
      { expected: "x", actual: null, message: /can't be decoded \(content-encoding gzip\)/ },
    ],
    [
      "substring beyond what is read",
      { type: "body_contains", value: "x" },
      { body: "abc", wasCut: true },
      { message: /the first \d+ bytes of the body/ },
    ],
    [
      "pattern",
      { type: "body_matches", pattern: "^d" },
      { body: "hello" },
      { expected: "^d", message: /does not match/ },
    ],
    [
      "invalid pattern",
      { type: "body_matches", pattern: "(" },
      { body: "hello" },
      { expected: "(", message: /invalid pattern: Invalid regular expression/ },
    ],
    [
      "runaway pattern",
      { type: "body_matches", pattern: "^(a+)+$" },
      { body: `${"a".repeat(40)}!` },
      { message: /did not finish within 1000 ms/ },
    ],
    [
      "pattern on a cut body",
      { type: "body_matches", pattern: "a" },
      { body: "a", wasCut: true },
      { expected: "a", message: /no more are read/ },
    ],
    [
      "number against string",
      { type: "body_json_path", path: "a", value: "1" },
      { body: '{"a":1}' },
      { expected: "1", actual: 1, message: /a is 1, expected "1"/ },
    ],
    [
      "null against missing",
      { type: "body_json_path", path: "b", value: null },
      { body: "{}" },
      { actual: null, message: /nothing is at b/ },
    ],
    [
      "empty object against empty array",
      { type: "body_json_path", path: "a", value: [] },
      { body: '{"a":{}}' },
      { message: /expected \[\]/ },
    ],
    [
      "arrays in another order",
      { type: "body_json_path", path: "a", value: [1, 2] },
      { body: '{"a":[2,1]}' },
      { actual: [2, 1], message: /expected \[1,2\]/ },
    ],
    [
      "missing path exists",
      { type: "body_json_path", path: "a.b", operator: "exists" },
      { body: '{"a":1}' },
      { expected: true, actual: false, message: /nothing is at a.b/ },
    ],
    [
      "index past the end exists",
      { type: "body_json_path", path: "a[1]", operator: "exists" },
      { body: '{"a":[1]}' },
      { message: /nothing is at/ },
    ],
    [
      "equal value, not_equals",
      { type: "body_json_path", path: "a", operator: "not_equals", value: 1 },
      { body: '{"a":1}' },
      { message: /anything else/ },
    ],
    [
      "contains on a number",
      { type: "body_json_path", path: "a", operator: "contains", value: "1" },
      { body: '{"a":1}' },
      { message: /a is a number; contains applies to a string/ },
    ],
    [
      "contains on an array",
      { type: "body_json_path", path: "a", operator: "contains", value: "x" },
      { body: '{"a":["x"]}' },
      { message: /an array; contains applies/ },
    ],
    [
      "contains of a number",
      { type: "body_json_path", path: "a", operator: "contains", value: 1 },
      { body: '{"a":"1"}' },
      { message: /needs a string/ },
    ],
    [
      "contains on a missing path",
      { type: "body_json_path", path: "b", operator: "contains", value: "x" },
      { body: "{}" },
      { message: /nothing is at b/ },
    ],
    [
      "unsupported syntax, equals",
      { type: "body_json_path", path: "a[*]", value: 1 },
      { body: '{"a":[1]}' },
      { message: /unsupported syntax.*wildcard/ },
    ],
    [
      "unsupported syntax, not_equals",
      { type: "body_json_path", path: "a..b", operator: "not_equals", value: 1 },
      { body: "{}" },
      { message: /unsupported syntax.*recursive/ },
    ],
    [
      "unsupported syntax, exists, body not JSON",
      { type: "body_json_path", path: "a[0:1]", operator: "exists" },
      { body: "<p>" },
      { message: /unsupported syntax.*slice/ },
    ],
    [
      "body that is not JSON",
      { type: "body_json_path", path: "a", operator: "not_equals", value: 1 },
      { body: "<html>" },
      { message: /the body is not JSON/ },
    ],
    [
      "empty body",
      { type: "body_json_path", path: "a", operator: "exists" },
      { body: "" },
      { message: /the body is empty, not JSON/ },
    ],
    [
      "missing header equals",
      { type: "header_value", header: "X-A", value: "" },
      { headers: [] },
      { expected: "", actual: null, message: /no header X-A/ },
    ],
    [
      "missing header contains",
      { type: "header_value", header: "X-A", operator: "contains", value: "" },
      { headers: [] },
      { message: /no header X-A/ },
    ],
    [
      "missing header exists",
      { type: "header_value", header: "X-A", operator: "exists" },
      { headers: [] },
      { expected: true, actual: false, message: /no header X-A/ },
    ],
    [
      "header in another case",
      { type: "header_value", header: "X-A", value: "B" },
      { headers: ["X-A", "b"] },
      { actual: "b", message: /is "b", expected "B"/ },
    ],
    [
      "certificate at the boundary",
      { type: "ssl_expiry" },
      { certificateDaysLeft: 14 },
      { expected: 14, actual: 14, message: /expires in 14 days/ },
    ],
    [
      "expired certificate",
      { type: "ssl_expiry", daysBeforeExpiry: 0 },
      { certificateDaysLeft: -1.05 },
      { actual: -1.1, message: /expires in -1.1 days/ },
    ],
    [
      "no certificate",
      { type: "ssl_expiry" },
      {},
      { actual: null, message: /http:\/\/example.test has no TLS/ },
    ],
  ])("%s", async (_, assertion, facts, wanted) => {
    const result = await judgeAssertion(assertion, facts);
    expect(result.passed).toBe(false);
    expect(result.message).toMatch(wanted.message);
    if ("expected" in wanted) expect(result.expected).toEqual(wanted.expected);
    if ("actual" in wanted) expect(result.actual).toEqual(wanted.actual);
  });
});
