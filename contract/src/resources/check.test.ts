import { describe, expect, it } from "vitest";
import { parseInput } from "../base/validation.ts";
import { checkTypes } from "../checks/registry.ts";
import { createCheckSchema, type UpdateCheck, updateCheckSchema } from "./check.ts";

const http = {
  name: "a",
  type: "http",
  locations: ["loc_us_east"],
  httpConfig: { url: "http://example.org/" },
};

/** Returns the problems of a body that creates a check, by field. */
function errorsOf(body: unknown): Record<string, string[]> {
  const parsed = parseInput(createCheckSchema, body);
  return parsed.success ? {} : parsed.details.fieldErrors;
}

describe("boundaries of a check", () => {
  const text = (length: number) => "x".repeat(length);
  it.each([
    ["frequencySeconds", 9, ["smallest is 10"]],
    ["frequencySeconds", 10, undefined],
    ["frequencySeconds", 86_400, undefined],
    ["frequencySeconds", 86_401, ["largest is 86400"]],
    ["frequencySeconds", 10.5, ["expected a whole number of seconds"]],
    ["frequencySeconds", "60", ["expected a whole number of seconds"]],
    ["frequencySeconds", null, ["expected a whole number of seconds"]],
    ["name", "", ["a name has at least 1 character"]],
    ["name", "x", undefined],
    ["name", text(255), undefined],
    ["name", text(256), ["a name has at most 255 characters"]],
    ["name", undefined, ["required"]],
    ["name", 7, ["expected a string, got a number"]],
    ["enabled", "true", ["expected a boolean, got a string"]],
    ["enabled", null, ["expected a boolean, got null"]],
    ["locations", [], ["at least one location"]],
    ["locations", undefined, ["required"]],
    ["locations", "loc_us_east", ["expected an array, got a string"]],
    ["locations", ["a", "b", "a"], ['locations[2]: "a" is listed twice']],
    ["locations", [1], ["locations[0]: expected a string, got a number"]],
    ["retry", null, undefined],
    [
      "retry",
      {},
      [
        "retry.strategy: required",
        "retry.maxRetries: required",
        "retry.baseBackoffSeconds: required",
        "retry.maxDurationSeconds: required",
      ],
    ],
  ])("%s %j", (field, value, messages) => {
    expect(errorsOf({ ...http, [field]: value })).toEqual(messages ? { [field]: messages } : {});
  });
});

const TYPES = checkTypes.types.join(", ");

describe("one configuration, chosen by type", () => {
  it.each([
    ["no type", { ...http, type: undefined }, { type: [`required; expected one of ${TYPES}`] }],
    [
      "a wrong type",
      { ...http, type: "htp" },
      { type: [`expected one of ${TYPES}; got "htp"; did you mean "http"?`] },
    ],
    [
      "a type that is not a string",
      { ...http, type: 1 },
      { type: [`expected one of ${TYPES}; got a number`] },
    ],
    ["no configuration", { ...http, httpConfig: undefined }, { httpConfig: ["required"] }],
    [
      "the configuration of another type",
      { ...http, type: "mcp" },
      {
        mcpConfig: ["required"],
        httpConfig: ['unknown field "httpConfig"; a check of type mcp takes "mcpConfig"'],
      },
    ],
    [
      "two configurations",
      { ...http, browserConfig: {} },
      { browserConfig: ['unknown field "browserConfig"; a check of type http takes "httpConfig"'] },
    ],
    [
      "the stored form",
      { ...http, configJson: {} },
      { configJson: ['unknown field "configJson"; a check of type http takes "httpConfig"'] },
    ],
  ])("%s is named", (_name, body, errors) => {
    expect(errorsOf(body)).toEqual(errors);
  });

  it("an update names the field that takes the configuration", () => {
    const parsed = parseInput(updateCheckSchema, { httpConfig: {} });
    expect(parsed.success ? {} : parsed.details.fieldErrors).toEqual({
      httpConfig: ['unknown field "httpConfig"; an update takes the whole configuration as "configJson"'],
    });
  });
});

it("an unknown field is named with the nearest known one, and the record's own read-only fields are accepted", () => {
  expect(
    errorsOf({ ...http, frequncySeconds: 60, id: "chk_x", teamId: 5, createdAt: null, updatedAt: "now" }),
  ).toEqual({
    frequncySeconds: ['unknown field "frequncySeconds"; did you mean "frequencySeconds"?'],
  });
});

it("all problems are listed at once", () => {
  const body = { ...http, name: "", frequencySeconds: 5, httpConfig: { url: "ftp://x", timeout: 1 } };
  expect(errorsOf(body)).toEqual({
    name: ["a name has at least 1 character"],
    frequencySeconds: ["smallest is 10"],
    httpConfig: [
      "httpConfig.url: expected a valid http:// or https:// URL",
      'unknown field "timeout"; did you mean "timeoutMs"?',
    ],
  });
});

it("an update has no defaults: an absent field stays as it is", () => {
  const parsed = parseInput(updateCheckSchema, {});
  expect(parsed).toEqual({ success: true, value: {} satisfies UpdateCheck });
});
