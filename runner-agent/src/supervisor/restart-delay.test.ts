import { expect, it } from "vitest";
import { restartDelayMs } from "./restart-delay.ts";

it.each([
  ["the first end", 0, 10, 1_000],
  ["an end right after that", 1_000, 10, 2_000],
  ["the wait is never longer than 30 s", 30_000, 59_999, 30_000],
  ["after a minute of life the waits begin anew", 30_000, 60_000, 1_000],
])("%s", (_, lastDelayMs, livedMs, expected) => {
  expect(restartDelayMs(lastDelayMs, livedMs)).toBe(expected);
});
