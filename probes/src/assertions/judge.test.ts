import type { Assertion } from "@svc/contract";
import { afterAll, expect, it } from "vitest";
import { judgeAssertion } from "../../test-support/judge-assertion.ts";
import { aMeasurement } from "../../test-support/measurement.ts";
import { closeRegexPool } from "../base/regex-pool.ts";
import { judgeAssertions } from "./judge.ts";

afterAll(closeRegexPool);

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
  const result = await judgeAssertion({ type: "body_contains", value: "no" }, { body });
  expect((result.actual as string).length).toBeLessThan(600);
  expect(JSON.stringify(result)).not.toContain("\\u0000");
  const nested = await judgeAssertion(
    { type: "body_json_path", path: "a", value: 1 },
    { body: '{"a":{"k":"\\u0000","l":"\\ud800"}}' },
  );
  expect(nested.actual).toEqual({ k: "\ufffd", l: "\ufffd" });
});
