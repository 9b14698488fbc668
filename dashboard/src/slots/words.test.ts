import { expect, it } from "vitest";
import { cellText, sentenceOf } from "./words.ts";

const at = "2026-11-23T14:02:10.000Z";
const clock = (ms: number) => new Date(ms).toISOString().slice(11, 19);

it.each([
  [{ expected: 1, received: 1, worst: "success" }, "14:02:10, Success"],
  [{ expected: 1, received: 1, worst: "timeout", late: 1 }, "14:02:10, Timeout, late"],
  [
    { expected: 1, received: 0, missing: { no_runner: 1 } },
    "14:02:10, missing: No runner was connected at this location when it was due.",
  ],
  [{ expected: 0, received: 0, pending: 1 }, "14:02:10, pending: its result may still come."],
] as const)("a slot: %j", (cell, text) => {
  expect(cellText({ at, ...cell }, null, clock)).toBe(text);
});

it("a cell of several slots counts them", () => {
  const cell = { at, expected: 6, received: 4, worst: "error", missing: { no_runner: 2 } } as const;
  expect(cellText(cell, 60_000, clock)).toBe(
    "14:02:10 to 14:03:10: 4 of 6 results, worst: Error, 2 missing (2 no runner)",
  );
});

it.each([
  [{ expected: 0, received: 0, late: 0, missing: {} }, "No slot was due in this range."],
  [{ expected: 2, received: 2, late: 0, missing: {} }, "2 of 2 slots accounted for: 2 results, none missing"],
  [
    { expected: 10, received: 6, late: 1, missing: { no_runner: 3, not_explained: 1 } },
    "9 of 10 slots accounted for: 6 results, 4 missing (3 no runner, 1 reason not looked up), 1 late",
  ],
])("%j", (counts, sentence) => {
  expect(
    sentenceOf({ locationId: "loc_a", cells: [], ...counts } as unknown as Parameters<typeof sentenceOf>[0]),
  ).toBe(sentence);
});
