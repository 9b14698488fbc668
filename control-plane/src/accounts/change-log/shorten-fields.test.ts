import type { ChangedField } from "@svc/contract";
import { expect, it } from "vitest";
import { shortenFields } from "./shorten-fields.ts";

it("values that fit stay as they are", () => {
  const fields: ChangedField[] = [
    { field: "name", oldValue: "a", newValue: "x".repeat(4_096) },
    { field: "locations", oldValue: ["a"], newValue: null },
  ];
  expect(shortenFields(fields)).toEqual(fields);
});

it("a value that is too long becomes the beginning of its text, and is marked", () => {
  const [text, list] = shortenFields([
    { field: "body", oldValue: "y".repeat(5_000), newValue: "b" },
    { field: "assertions", oldValue: [], newValue: Array(3_000).fill(1) },
  ]);
  expect(text).toEqual({ field: "body", oldValue: "y".repeat(4_096), newValue: "b", truncated: true });
  expect(list).toMatchObject({ oldValue: [], truncated: true, newValue: expect.stringMatching(/^\[1,1/) });
});

it.each([
  ["many long values", Array.from({ length: 500 }, (_, n) => `headers.${n}`)],
  ["long names", Array.from({ length: 500 }, (_, n) => `headers.${n}${"h".repeat(9_000)}`)],
])("an entry stays small: %s", (_title, names) => {
  const long = names.map((field) => ({ field, oldValue: "o".repeat(4_000), newValue: "n".repeat(9_000) }));
  expect(JSON.stringify(shortenFields(long)).length).toBeLessThan(160 * 1024);
});
