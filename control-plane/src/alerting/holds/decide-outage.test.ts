import { expect, it } from "vitest";
import { decideOutage, type JudgedOutage } from "./decide-outage.ts";
import { answerOf, type ReachAnswer } from "./reach.ts";

const NOW = 10_000_000;
const MINUTE = 60_000;
const outage = (overrides: Partial<JudgedOutage> = {}): JudgedOutage => ({
  answer: "unknown",
  isGuarded: true,
  judgedAtMs: NOW - 5_000,
  reachedSinceMs: null,
  hasHeldAlerts: false,
  ...overrides,
});

const leave = { kind: "leave" };
it.each<[string, Partial<JudgedOutage>, object]>([
  ["is cut off", { answer: "cut_off", reachedSinceMs: NOW - 1 }, { kind: "confirm" }],
  ["is reached", { answer: "reached" }, { kind: "mark_reached" }],
  ["has been reached for a moment", { answer: "reached", reachedSinceMs: NOW - 14_999 }, leave],
  [
    "has been reached for 15 s",
    { answer: "reached", reachedSinceMs: NOW - 15_000 },
    { kind: "end", isRecovery: true },
  ],
  [
    "has been reached, and is silent since",
    { reachedSinceMs: NOW - 15_000 },
    { kind: "end", isRecovery: true },
  ],
  [
    "has been reached, and still holds alerts",
    { answer: "reached", reachedSinceMs: NOW - MINUTE, hasHeldAlerts: true },
    leave,
  ],
  ["is silent", {}, leave],
  ["is silent for less than an hour", { judgedAtMs: NOW - 60 * MINUTE + 1 }, leave],
  ["is silent for an hour", { judgedAtMs: NOW - 60 * MINUTE }, { kind: "end", isRecovery: false }],
  ["is silent for an hour, and holds alerts", { judgedAtMs: NOW - 60 * MINUTE, hasHeldAlerts: true }, leave],
  ["is guarded no longer", { answer: "cut_off", isGuarded: false }, { kind: "end", isRecovery: false }],
])("an outage whose location %s", (_, overrides, expected) => {
  expect(decideOutage(outage(overrides), NOW)).toEqual(expected);
});

const reach = (unreached: string, reached = "") => ({
  unreached: new Set(unreached),
  reached: new Set(reached),
  failing: new Set<string>(),
});
it.each<[string, ReturnType<typeof reach>, ReturnType<typeof reach>, string, ReachAnswer]>([
  ["three networks are unreached", reach("abc"), reach("abc"), "", "cut_off"],
  ["nothing is known", reach(""), reach(""), "abc", "unknown"],
  ["nothing was known for a while", reach(""), reach("abc"), "abc", "unknown"],
  ["two are left", reach("ab"), reach("ab"), "abc", "unknown"],
  [
    "two are left, and one that was reached all the while",
    reach("ab", "x"),
    reach("ab", "x"),
    "abc",
    "unknown",
  ],
  ["one of three is reached again", reach("ab", "c"), reach("ab", "c"), "abc", "reached"],
  [
    "one is reached again, of the others nothing is known",
    reach("", "d"),
    reach("abc", "d"),
    "abcd",
    "unknown",
  ],
  ["it is not known which were unreached, and one is reached", reach("", "d"), reach("", "d"), "", "reached"],
])("the answer where %s", (_, recent, lastHour, outNetworks, expected) => {
  expect(answerOf({ recent, lastHour }, [...outNetworks])).toBe(expected);
});
