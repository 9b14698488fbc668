import { expect, it } from "vitest";
import { nextAttemptDelayMs, RETRY_SPAN_MS } from "./retry.ts";

it.each([
  ["the first follows after 2 s", 1, 0.5, 0, 0, 2_000],
  ["each waits twice as long", 4, 0.5, 0, 0, 16_000],
  ["up to 10 min", 20, 0.5, 0, 0, 600_000],
  ["jitter makes it 20 % shorter at most", 1, 0, 0, 0, 1_600],
  ["and 20 % longer at most", 1, 1, 0, 0, 2_400],
  ["never before the other side wants it", 1, 0.5, 0, 30_000, 30_000],
  ["a wish for less makes it no shorter", 4, 0.5, 0, 1_000, 16_000],
  ["the last one lies at an hour", 1, 0.5, RETRY_SPAN_MS - 2_000, 0, 2_000],
  ["after that there is none", 1, 0.5, RETRY_SPAN_MS - 1_999, 0, undefined],
  ["nor when the other side wants it later", 1, 0.5, 0, RETRY_SPAN_MS + 1, undefined],
  ["however often it was tried", 5_000, 0.5, 0, 0, 600_000],
])("%s", (_title, attempt, random, ageMs, retryAfterMs, expected) => {
  expect(nextAttemptDelayMs(attempt, random, ageMs, retryAfterMs)).toBe(expected);
});
