import { describe, expect, it } from "vitest";
import { parseInput } from "../base/validation.ts";
import { type CheckType, checkTypes } from "./registry.ts";

/** Messages about a configuration, each with its path. */
function problems(type: CheckType, config: unknown): string[] {
  const parsed = parseInput<unknown>(checkTypes.get(type).configSchema, config);
  return parsed.success
    ? []
    : [...Object.values(parsed.details.fieldErrors).flat(), ...parsed.details.formErrors];
}

function withDefaults(type: CheckType, config: unknown): unknown {
  return checkTypes.get(type).configSchema.parse(config);
}

describe("http", () => {
  const url = "https://example.org/";

  it("has the documented defaults", () => {
    expect(
      withDefaults("http", { url, agentPersonas: { personas: ["vendor1-bot"] }, agentReadiness: {} }),
    ).toEqual({
      url,
      method: "GET",
      followRedirects: true,
      maxRedirects: 5,
      timeoutMs: 30_000,
      assertions: [],
      agentPersonas: { enabled: false, personas: ["vendor1-bot"], every: 1, failOnDivergence: false },
      agentReadiness: { enabled: false, every: 12, require: [] },
    });
  });

  it.each([
    ["no URL", {}, "required"],
    ["another scheme", { url: "ftp://example.org" }, "expected a valid http:// or https:// URL"],
    ["no host", { url: "http://" }, "expected a valid http:// or https:// URL"],
    ["no scheme", { url: "example.org" }, "expected a valid http:// or https:// URL"],
    ["a script", { url: "javascript:alert(1)" }, "expected a valid http:// or https:// URL"],
    [
      "an unknown method",
      { url, method: "get" },
      'expected one of GET, POST, PUT, DELETE, PATCH, HEAD; got "get"; did you mean "GET"?',
    ],
    [
      "a header with a line break",
      { url, headers: { "X-A": "a\r\nB: c" } },
      "headers.X-A: not a valid header value",
    ],
    ["a header name with a colon", { url, headers: { "X:A": "a" } }, "not a valid header name"],
    ["timeoutMs 0", { url, timeoutMs: 0 }, "smallest is 1"],
    ["timeoutMs 120001", { url, timeoutMs: 120_001 }, "largest is 120000"],
    ["maxRedirects -1", { url, maxRedirects: -1 }, "smallest is 0"],
    ["personas without a list", { url, agentPersonas: {} }, "agentPersonas.personas: required"],
    [
      "an empty list of personas",
      { url, agentPersonas: { personas: [] } },
      "agentPersonas.personas: at least one persona",
    ],
    [
      "a persona twice",
      { url, agentPersonas: { personas: ["vendor1-bot", "vendor1-bot"] } },
      'agentPersonas.personas[1]: "vendor1-bot" is listed twice',
    ],
    [
      "an unknown persona",
      { url, agentPersonas: { personas: ["vendor4-bot"] } },
      'did you mean "vendor1-bot"?',
    ],
    [
      "every 0",
      { url, agentPersonas: { personas: ["vendor1-bot"], every: 0 } },
      "agentPersonas.every: smallest is 1",
    ],
    ["every 1001", { url, agentReadiness: { every: 1001 } }, "agentReadiness.every: largest is 1000"],
    [
      "an unknown field in a block",
      { url, agentReadiness: { enable: true } },
      'unknown field "enable"; did you mean "enabled"?',
    ],
    [
      "an unknown probe",
      { url, agentReadiness: { require: ["robots"] } },
      "agentReadiness.require[0]: expected one of",
    ],
  ])("%s is refused", (_name, config, message) => {
    expect(problems("http", config).join("\n")).toContain(message);
  });

  it.each([
    ["basic without password", { type: "basic", username: "a" }, "auth.password: required"],
    ["bearer without token", { type: "bearer" }, "auth.token: required"],
    ["a field of another type", { type: "bearer", token: "t", username: "a" }, 'unknown field "username"'],
    ["an unknown type", { type: "digest" }, "auth.type: expected one of basic, bearer, api-key"],
  ])("auth: %s is refused", (_name, auth, message) => {
    expect(problems("http", { url, auth }).join("\n")).toContain(message);
  });

  it("auth by API key has a default header", () => {
    expect(withDefaults("http", { url, auth: { type: "api-key", value: "v" } })).toMatchObject({
      auth: { type: "api-key", header: "X-API-Key", value: "v" },
    });
  });
});

describe("browser", () => {
  const page = { browserMode: "url", url: "https://example.org/" };

  it("has the documented defaults", () => {
    expect(withDefaults("browser", page)).toEqual({
      ...page,
      timeoutMs: 30_000,
      viewport: { width: 1280, height: 720 },
      screenshotMode: "every_step",
      videoEnabled: false,
      agentView: false,
    });
  });

  it("a viewport of one side has the other by default", () => {
    const viewportOf = (viewport: object) => withDefaults("browser", { ...page, viewport });
    expect(viewportOf({ width: 375 })).toMatchObject({ viewport: { width: 375, height: 720 } });
    expect(viewportOf({ height: 900 })).toMatchObject({ viewport: { width: 1280, height: 900 } });
  });

  it.each([
    ["no mode", {}, "required; expected one of scripted, url"],
    ["scripted without a script", { browserMode: "scripted" }, "required"],
    ["url without a URL", { browserMode: "url" }, "required"],
    ["a script in url mode", { ...page, script: "x" }, 'unknown field "script"'],
    ["timeoutMs 4999", { ...page, timeoutMs: 4_999 }, "smallest is 5000"],
    [
      "an unknown device",
      { ...page, device: "iPhone 13 Por" },
      'unknown device "iPhone 13 Por"; did you mean "iPhone 13 Pro"?',
    ],
    ["timeoutMs 120001", { ...page, timeoutMs: 120_001 }, "largest is 120000"],
    [
      "an unknown screenshot mode",
      { ...page, screenshotMode: "always" },
      "expected one of every_step, failure_only, disabled",
    ],
  ])("%s is refused", (_name, config, message) => {
    expect(problems("browser", config).join("\n")).toContain(message);
  });
});

describe("mcp", () => {
  const endpoint = "https://example.org/mcp";

  it("has the documented defaults", () => {
    expect(withDefaults("mcp", { endpoint })).toEqual({
      endpoint,
      timeoutMs: 30_000,
      detectSchemaDrift: true,
      rejectUnauthenticated: false,
    });
  });

  it.each([
    ["no endpoint", {}, "required"],
    [
      "rejectUnauthenticated without auth",
      { endpoint, rejectUnauthenticated: true },
      "rejectUnauthenticated requires auth",
    ],
    ["a call without a tool", { endpoint, testCalls: [{}] }, "testCalls[0].toolName: required"],
    [
      "arguments that are no object",
      { endpoint, testCalls: [{ toolName: "a", arguments: [] }] },
      "testCalls[0].arguments: expected an object, got an array",
    ],
  ])("%s is refused", (_name, config, message) => {
    expect(problems("mcp", config).join("\n")).toContain(message);
  });
});
