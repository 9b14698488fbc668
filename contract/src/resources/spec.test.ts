import { describe, expect, test } from "vitest";
import { parseInput } from "../base/validation.ts";
import { createSpecSchema, generateBySpecSchema, generateScriptSchema, updateSpecSchema } from "./spec.ts";

const locations = ["loc_us_east"];

function messagesOf(...[schema, input]: Parameters<typeof parseInput>): Record<string, string[]> {
  const parsed = parseInput(schema, input);
  return parsed.success ? {} : parsed.details.fieldErrors;
}

describe("bodies that carry a document", () => {
  test.each([
    ["an upload", { sourceType: "upload", content: "openapi: 3.0.0" }, []],
    ["a URL", { sourceType: "url", sourceUrl: "https://example.com/openapi.json", name: "X" }, []],
    ["neither", {}, ["sourceType"]],
    ["an upload without content", { sourceType: "upload" }, ["content"]],
    [
      "an upload with a URL",
      { sourceType: "upload", content: "x", sourceUrl: "https://a.example" },
      ["sourceUrl"],
    ],
    ["another scheme", { sourceType: "url", sourceUrl: "ftp://example.com/x" }, ["sourceUrl"]],
    ["credentials", { sourceType: "url", sourceUrl: "https://user:pw@example.com/x" }, ["sourceUrl"]],
    ["a blank name", { sourceType: "upload", content: "x", name: " " }, ["name"]],
  ])("%s", (_name, body, fields) => {
    expect(Object.keys(messagesOf(createSpecSchema, body))).toEqual(fields);
  });

  test("a spec that was read can be sent back", () => {
    const spec = {
      id: "spec_x",
      name: "Pets",
      sourceType: "upload",
      sourceUrl: null,
      title: "Pets",
      version: "1",
      openapiVersion: "3.0.3",
      operationCount: 3,
      createdAt: "x",
      updatedAt: null,
    };
    expect(messagesOf(updateSpecSchema, spec)).toEqual({});
  });
});

describe("generation", () => {
  test.each([
    ["by id", { spec: { source: "id", specId: "spec_x" }, locations }, {}],
    ["by name", { spec: { source: "name", name: "Pets" }, locations }, {}],
    [
      "by an unknown source",
      { spec: { source: "file" }, locations },
      { spec: ['spec.source: expected one of id, url, name; got "file"; did you mean "name"?'] },
    ],
    ["without locations", { spec: { source: "name", name: "Pets" } }, { locations: ["required"] }],
    [
      "too often",
      { spec: { source: "name", name: "Pets" }, locations, frequencySeconds: 9 },
      { frequencySeconds: ["smallest is 10"] },
    ],
  ])("%s", (_name, body, errors) => {
    const messages = messagesOf(generateBySpecSchema, body);
    expect(Object.keys(messages)).toEqual(Object.keys(errors));
  });

  test("defaults: safe methods, every 5 minutes, unconfirmed, headers not validated", () => {
    expect(generateBySpecSchema.parse({ spec: { source: "id", specId: "x" }, locations })).toMatchObject({
      methods: ["GET", "HEAD"],
      frequencySeconds: 300,
      confirm: false,
      validateHeaders: false,
    });
  });

  test.each([
    ["a description of 10 characters", { description: "0123456789" }, []],
    ["a description of 9 characters", { description: "012345678" }, ["description"]],
    [
      "a refinement without a previous script",
      { description: "0123456789", refinement: "x" },
      ["refinement"],
    ],
    ["fields of spec mode", { description: "0123456789", locations }, ["locations"]],
  ])("script mode: %s", (_name, body, fields) => {
    expect(Object.keys(messagesOf(generateScriptSchema, body))).toEqual(fields);
  });
});
