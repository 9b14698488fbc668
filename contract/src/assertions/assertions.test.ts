import { readdirSync } from "node:fs";
import { describe, expect, it } from "vitest";
import { newId } from "../base/ids.ts";
import { parseInput } from "../base/validation.ts";
import { assertionSchema, assertionTypes } from "./registry.ts";

function problems(assertion: unknown): string[] {
  const parsed = parseInput(assertionSchema, assertion);
  return parsed.success
    ? []
    : [...Object.values(parsed.details.fieldErrors).flat(), ...parsed.details.formErrors];
}

it("each member's file is in the registry", () => {
  const files = readdirSync(import.meta.dirname).filter(
    (file) => !/registry|define-assertion|test/.test(file),
  );
  expect(files.map((file) => file.replace(".ts", "").replaceAll("-", "_")).sort()).toEqual(
    [...assertionTypes.types].sort(),
  );
});

describe("defaults", () => {
  const specId = newId("spec");
  it.each([
    [{ type: "status_code", value: 200 }, { operator: "equals" }],
    [
      { type: "body_json_path", path: "a.b", value: null },
      { operator: "equals", value: null },
    ],
    [{ type: "header_value", header: "X-A", value: "" }, { operator: "equals" }],
    [{ type: "ssl_expiry" }, { daysBeforeExpiry: 14 }],
    [{ type: "openapi_conformance", specId }, { validateHeaders: false }],
  ])("%j", (given, defaults) => {
    expect(assertionSchema.parse(given)).toEqual({ ...given, ...defaults });
  });
});

describe("accepted", () => {
  it.each([
    { type: "response_time", max: 0 },
    { type: "body_contains", value: "" },
    { type: "body_matches", pattern: "(" },
    { type: "body_json_path", path: "$..a", operator: "exists" },
    { type: "header_value", header: "content-type", operator: "exists" },
    { type: "openapi_conformance", specId: newId("spec"), operationPath: "GET /users/{id}" },
  ])("%j", (assertion) => {
    expect(problems(assertion)).toEqual([]);
  });
});

describe("refused", () => {
  it.each([
    [{}, "required; expected one of status_code"],
    [{ type: "status" }, "expected one of status_code"],
    [{ type: "status_code" }, "required"],
    [{ type: "status_code", value: "200" }, "expected a number, got a string"],
    [
      { type: "status_code", value: 200, operator: "contains" },
      "expected one of equals, not_equals, less_than, greater_than",
    ],
    [{ type: "response_time", max: -1 }, "smallest is 0"],
    [{ type: "response_time", value: 5 }, 'unknown field "value"'],
    [{ type: "body_json_path", path: "a" }, "value is required unless operator is exists"],
    [{ type: "header_value", header: "a" }, "value is required unless operator is exists"],
    [{ type: "header_value", header: "a b", value: "c" }, "not a valid header name"],
    [{ type: "openapi_conformance", specId: newId("check") }, "expected an id of the form spec_..."],
    [
      { type: "openapi_conformance", specId: newId("spec"), operationPath: "/users" },
      "expected the form METHOD /path/template",
    ],
  ])("%j", (assertion, message) => {
    expect(problems(assertion).join("\n")).toContain(message);
  });
});
