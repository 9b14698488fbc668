import { REDACTED } from "@svc/contract";
import { expect, it } from "vitest";
import { changedFields } from "./changed-fields.ts";

it.each([
  ["nothing", { a: 1, b: [1] }, { a: 1, b: [1] }, []],
  ["a value", { a: 1 }, { a: 2 }, [{ field: "a", oldValue: 1, newValue: 2 }]],
  ["a list as a whole", { a: [1, 2] }, { a: [2, 1] }, [{ field: "a", oldValue: [1, 2], newValue: [2, 1] }]],
  [
    "deeper fields",
    { a: { b: 1, c: 2 } },
    { a: { b: 1, c: 3 } },
    [{ field: "a.c", oldValue: 2, newValue: 3 }],
  ],
  ["what came", {}, { a: 1 }, [{ field: "a", oldValue: null, newValue: 1 }]],
  ["what went", { a: { b: 1 } }, { a: undefined }, [{ field: "a", oldValue: { b: 1 }, newValue: null }]],
])("%s", (_title, before, after, expected) => {
  expect(changedFields(before, after)).toEqual(expected);
});

it("what is masked is recorded as changed, and nothing more", () => {
  const mask = { auth: { token: REDACTED }, url: "https://e.org/?key=***REDACTED***" };
  const hidden = { oldValue: REDACTED, newValue: REDACTED, redacted: true };
  expect(
    changedFields(
      { auth: { token: "a" }, url: "https://e.org/?key=1" },
      { auth: { token: "b" }, url: "https://e.org/?key=2" },
      { before: mask, after: mask },
    ),
  ).toEqual([
    { field: "auth.token", ...hidden },
    { field: "url", ...hidden },
  ]);
  expect(changedFields({ body: "a" }, {}, { before: { body: REDACTED }, after: {} })).toEqual([
    { field: "body", ...hidden },
  ]);
});
