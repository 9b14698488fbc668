import { expect, it } from "vitest";
import { locationNames } from "./location-names.ts";

it.each([
  [["US East"], "US East"],
  [["US East", "EU West"], "US East and EU West"],
  [["US East", "EU West", "Tokyo"], "US East and EU West and Tokyo"],
  [["US East", "EU West", "Tokyo", "Sydney", "Mumbai"], "US East, EU West, Tokyo and 2 more"],
])("%j are named as %j", (names, expected) => {
  expect(locationNames(names.map((name) => ({ name })))).toBe(expected);
});
