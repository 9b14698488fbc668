import { expect, it } from "vitest";
import { nearestName } from "./nearest.ts";

const known = ["timeoutMs", "method", "url", "headers", "followRedirects"];

it.each([
  ["timeout", "timeoutMs"],
  ["timeoutms", "timeoutMs"],
  ["metohd", "method"],
  ["uri", "url"],
  ["URL", "url"],
  ["header", "headers"],
  ["follow_redirects", "followRedirects"],
  ["assertions", undefined],
  ["x", undefined],
  ["", undefined],
])("%j is nearest to %j", (name, nearest) => {
  expect(nearestName(name, known)).toBe(nearest);
});
