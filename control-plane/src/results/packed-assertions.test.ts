import type { AssertionResult } from "@svc/contract";
import { expect, it } from "vitest";
import { packAssertions, unpackAssertions } from "./packed-assertions.ts";

const passed = (type: string, expected: unknown, actual: unknown): AssertionResult => ({
  type,
  passed: true,
  expected,
  actual,
});

const restored = (results: AssertionResult[]) => unpackAssertions(packAssertions(results) ?? "none");

it("what is packed is restored", () => {
  const results = [
    passed("status_code", 200, 200),
    passed("response_time", 2_000, 132.481),
    passed("header_value", true, true),
    passed("body_json_path", null, { a: [1] }),
    passed("ssl_expiry", 14, 61.5),
  ];
  expect(restored(results)).toEqual(results);
});

it("of long texts, lists and objects the beginning is kept", () => {
  const [text, object, emoji] = restored([
    passed("body_contains", "ok", "x".repeat(500)),
    passed("body_json_path", 1, { list: Array(100).fill(7) }),
    passed("body_matches", "a", "💥".repeat(50).slice(1)),
  ]);
  expect(text?.actual).toBe(`${"x".repeat(40)}...`);
  expect(object?.actual).toMatch(/^\{"list":\[7,7.*\.\.\.$/);
  expect(String(emoji?.actual).isWellFormed()).toBe(true);
});

it("results of which one failed are not packed", () => {
  const failed = { ...passed("status_code", 200, 500), passed: false, message: "got 500" };
  expect(packAssertions([passed("ssl_expiry", 14, 60), failed])).toBeUndefined();
});
