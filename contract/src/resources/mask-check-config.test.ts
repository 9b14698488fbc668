import { expect, it } from "vitest";
import { REDACTED } from "../base/redacted.ts";
import { maskCheckConfig } from "./mask-check-config.ts";

const url = "https://u:p@a.example.com/?q=1&token=t";
const maskedUrl = "https://***REDACTED***:***REDACTED***@a.example.com/?q=1&token=***REDACTED***";
const auth = { type: "api-key", header: "X-Key", value: "v" };
const maskedAuth = { ...auth, value: REDACTED };

it.each<[string, Record<string, unknown>, Record<string, unknown>]>([
  [
    "http",
    { url, method: "POST", headers: { Accept: "a", "X-A": "b" }, body: "b", auth },
    {
      url: maskedUrl,
      method: "POST",
      headers: { Accept: "a", "X-A": REDACTED },
      body: REDACTED,
      auth: maskedAuth,
    },
  ],
  ["browser", { browserMode: "url", url }, { browserMode: "url", url: maskedUrl }],
  ["browser", { browserMode: "scripted", script: "s" }, { browserMode: "scripted", script: REDACTED }],
  [
    "mcp",
    { endpoint: url, auth, testCalls: [{ toolName: "t", arguments: { q: 1, login: { password: "p" } } }] },
    {
      endpoint: maskedUrl,
      auth: maskedAuth,
      testCalls: [{ toolName: "t", arguments: { q: 1, login: { password: REDACTED } } }],
    },
  ],
  [
    "multistep",
    {
      steps: [
        { name: "s", url, headers: { "X-A": "b" }, body: "b", auth },
        { name: "t", url: "https://a.example.com/" },
      ],
    },
    {
      steps: [
        { name: "s", url: maskedUrl, headers: { "X-A": REDACTED }, body: REDACTED, auth: maskedAuth },
        { name: "t", url: "https://a.example.com/" },
      ],
    },
  ],
  ["a_type_of_a_newer_service", { endpoint: url, body: "b" }, { endpoint: maskedUrl, body: REDACTED }],
])("the configuration of a check of type %s is masked", (type, config, masked) => {
  expect(maskCheckConfig(type, config)).toEqual(masked);
});
