import { type Assertion, assertionSchema } from "@svc/contract";
import { afterAll, describe, expect, it } from "vitest";
import { aMeasurement } from "../../test-support/measurement.ts";
import { closeRegexPool } from "../base/regex-pool.ts";
import { judgeAssertions } from "./judge.ts";

afterAll(closeRegexPool);

type Facts = Parameters<typeof aMeasurement>[0];

async function judge(assertion: unknown, facts: Facts) {
  const [result] = await judgeAssertions(
    [assertionSchema.parse(assertion) as Assertion],
    await aMeasurement(facts),
  );
  if (!result) throw new Error("no result");
  return result;
}

describe("passes", () => {
  it.each<[string, unknown, Facts]>([
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
    expect(await judge(assertion, facts)).toEqual(expect.objectContaining({ passed: true }));
    expect(await judge(assertion, facts)).not.toHaveProperty("message");
  });
});

describe("fails", () => {
  it.each<[string, unknown, Facts, { expected?: unknown; actual?: unknown; message: RegExp }]>([
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
      { actual: null, message: /http:\/\/example.test is not https/ },
    ],
  ])("%s", async (_, assertion, facts, wanted) => {
    const result = await judge(assertion, facts);
    expect(result.passed).toBe(false);
    expect(result.message).toMatch(wanted.message);
    if ("expected" in wanted) expect(result.expected).toEqual(wanted.expected);
    if ("actual" in wanted) expect(result.actual).toEqual(wanted.actual);
  });
});

it.each([
  [{ type: "of_a_later_release", value: 7 }, 7],
  [{ type: "of_a_later_release", pattern: "ok" }, "ok"],
  [{ type: "of_a_later_release", max: 7 }, null],
])(
  "an assertion that this runner does not know fails and shows its value or pattern: %j",
  async (assertion, expected) => {
    const [result] = await judgeAssertions([assertion as unknown as Assertion], await aMeasurement({}));
    expect(result).toMatchObject({ passed: false, expected, actual: null });
    expect(result?.message).toContain("upgrade the runner");
  },
);

it("quotes of a response are short and can be stored as JSON text", async () => {
  const body = `\u0000${"x".repeat(100_000)}`;
  const result = await judge({ type: "body_contains", value: "no" }, { body });
  expect((result.actual as string).length).toBeLessThan(600);
  expect(JSON.stringify(result)).not.toContain("\\u0000");
  const nested = await judge(
    { type: "body_json_path", path: "a", value: 1 },
    { body: '{"a":{"k":"\\u0000","l":"\\ud800"}}' },
  );
  expect(nested.actual).toEqual({ k: "\ufffd", l: "\ufffd" });
});
