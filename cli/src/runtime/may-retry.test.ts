import { ApiError } from "@svc/contract";
import { describe, expect, it } from "vitest";
import { generalError } from "./cli-error.ts";
import { mayReadAgain, writeRetrySeconds } from "./may-retry.ts";

describe("a failed read may be repeated", () => {
  const unreachable = new TypeError("fetch failed", { cause: new Error("connect ECONNREFUSED") });
  it.each([
    ["busy service", new ApiError(503, undefined), { sign_in: true, view: true, first_results: true }],
    ["too many requests", new ApiError(429, undefined), { sign_in: true, view: true, first_results: true }],
    ["wrong key", new ApiError(401, undefined), { sign_in: false, view: false, first_results: false }],
    ["lost connection", unreachable, { sign_in: true, view: true, first_results: true }],
    ["no answer in time", named("TimeoutError"), { sign_in: true, view: true, first_results: true }],
    ["Ctrl+C", named("AbortError"), { sign_in: false, view: true, first_results: false }],
    ["page of a proxy", generalError("text/html"), { sign_in: false, view: false, first_results: true }],
    ["broken JSON", new SyntaxError("JSON"), { sign_in: false, view: true, first_results: true }],
    ["unexpected shape", new TypeError("undefined"), { sign_in: false, view: true, first_results: true }],
    ["error without a cause", new Error("odd"), { sign_in: false, view: true, first_results: true }],
  ] as const)("after: %s", (_title, error, expected) => {
    for (const [purpose, may] of Object.entries(expected))
      expect([purpose, mayReadAgain(error, purpose as keyof typeof expected)]).toEqual([purpose, may]);
  });
});

it.each([
  ["429 that names its wait", new ApiError(429, undefined, 3), 3],
  ["503 that names its wait", new ApiError(503, undefined, 2), 2],
  ["503 without a wait", new ApiError(503, undefined), undefined],
  ["500, after which the service may have done the work", new ApiError(500, undefined, 3), undefined],
  ["lost connection", new TypeError("fetch failed"), undefined],
])("a write is repeated only after a refusal that names its wait: %s", (_title, error, seconds) => {
  expect(writeRetrySeconds(error)).toBe(seconds);
});

function named(name: string): DOMException {
  return new DOMException("ended", name);
}
