import { expect, it } from "vitest";
import { nextAttemptDelayMs, REPORT_RETRY_TIMES, RETRY_TIMES } from "./retry.ts";

const { spanMs: RETRY_SPAN_MS } = RETRY_TIMES;

it.each([
  ["the first retry follows after 2 s", 1, 0.5, 0, 0, 2_000],
  ["each delay is twice the one before", 4, 0.5, 0, 0, 16_000],
  ["up to 10 min", 20, 0.5, 0, 0, 600_000],
  ["jitter makes it 20 % shorter at most", 1, 0, 0, 0, 1_600],
  ["and 20 % longer at most", 1, 1, 0, 0, 2_400],
  ["never before the delay that the other side asks for", 1, 0.5, 0, 30_000, 30_000],
  ["a shorter delay that the other side asks for changes nothing", 4, 0.5, 0, 1_000, 16_000],
  ["the last attempt is an hour after the writing", 1, 0.5, RETRY_SPAN_MS - 2_000, 0, 2_000],
  ["later than that there is none", 1, 0.5, RETRY_SPAN_MS - 1_999, 0, undefined],
  ["nor when the other side asks for more than that", 1, 0.5, 0, RETRY_SPAN_MS + 1, undefined],
  ["the delay stays bounded after any number of attempts", 5_000, 0.5, 0, 0, 600_000],
])("%s", (_title, attempt, random, ageMs, retryAfterMs, expected) => {
  expect(nextAttemptDelayMs({ kind: "triggered", attempt, random, ageMs, retryAfterMs })).toBe(expected);
});

it.each([
  ["the first is repeated at once", 1, 0, 0],
  ["so is the third", 3, 0, 0],
  ["the fourth waits like any other", 4, 0, 16_000],
  ["none comes before the delay that the other side asks for", 1, 30_000, 30_000],
])("of attempts that failed because this process was late %s", (_title, attempt, retryAfterMs, expected) => {
  expect(
    nextAttemptDelayMs({
      kind: "incident.opened",
      attempt,
      random: 0.5,
      ageMs: 0,
      retryAfterMs,
      wasOurs: true,
    }),
  ).toBe(expected);
});

it.each([
  ["the first retry follows as soon as any", 1, 0, 2_000],
  ["delays grow up to an hour", 30, 0, 3_600_000],
  ["an hour later there are more", 12, RETRY_SPAN_MS, 3_600_000],
  ["the last attempt is two days after the writing", 30, REPORT_RETRY_TIMES.spanMs - 3_600_000, 3_600_000],
  ["later than that there is none", 30, REPORT_RETRY_TIMES.spanMs - 3_599_999, undefined],
])("of a report %s", (_title, attempt, ageMs, expected) => {
  expect(nextAttemptDelayMs({ kind: "report.monthly", attempt, random: 0.5, ageMs })).toBe(expected);
});

it.each([0, 0.3, 0.999])(
  "a report is tried for a day at least, in fewer than 100 attempts, when chance is %d",
  (random) => {
    let [attempt, ageMs] = [1, 0];
    for (; ; attempt++) {
      const delayMs = nextAttemptDelayMs({ kind: "report.monthly", attempt, random, ageMs });
      if (delayMs === undefined) break;
      ageMs += delayMs;
    }
    expect(ageMs).toBeGreaterThan(24 * 3_600_000);
    expect(attempt).toBeLessThan(100);
  },
);
