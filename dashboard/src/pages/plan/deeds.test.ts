import { expect, it } from "vitest";
import { deedsOf } from "./deeds.ts";

it.each([
  [
    { create: 0, update: 0, delete: 0, unchanged: 3 },
    "It would change nothing. 3 resources would stay as they are.",
  ],
  [
    { create: 1, update: 0, delete: 0, unchanged: 1 },
    "It would create 1 resource. 1 resource would stay as it is.",
  ],
  [
    { create: 2, update: 1, delete: 4, unchanged: 0 },
    "It would create 2 resources, update 1 resource and delete 4 resources. 0 resources would stay as they are.",
  ],
])("%o", (summary, sentence) => {
  expect(deedsOf(summary)).toBe(sentence);
});
