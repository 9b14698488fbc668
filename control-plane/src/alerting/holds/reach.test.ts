import { STATUS_CODES } from "@svc/contract";
import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { isCutOff as isCutOffBy, isUnreached, reachOf, type SeenCheck } from "./reach.ts";

const NOW = 1_000_000;
const isCutOff = (checks: readonly SeenCheck[]) => isCutOffBy(reachOf(checks));

/** Checks by how they stand at the location. */
const seen = {
  unreached: (network: string): SeenCheck => ({
    network,
    here: { isFailing: true, isUnreached: true, firstFailureMs: NOW - 60_000 },
    elsewhere: [{ slotMs: NOW - 60_000, isFailing: false }],
  }),
  reached: (network: string): SeenCheck => ({
    ...seen.unreached(network),
    here: { isFailing: false, isUnreached: false, firstFailureMs: NOW },
  }),
  answering: (network: string): SeenCheck => ({
    ...seen.unreached(network),
    here: { isFailing: true, isUnreached: false, firstFailureMs: NOW - 60_000 },
  }),
  failing: (network: string): SeenCheck => ({
    ...seen.unreached(network),
    elsewhere: [{ slotMs: NOW, isFailing: true }],
  }),
  unproven: (network: string): SeenCheck => ({
    ...seen.unreached(network),
    elsewhere: [{ slotMs: NOW - 60_001, isFailing: false }],
  }),
  alone: (network: string): SeenCheck => ({ ...seen.unreached(network), elsewhere: [] }),
};
type Standing = keyof typeof seen;

/** Returns checks of a network each. */
const of = (...standings: Standing[]) => standings.map((standing, i) => seen[standing](`site${i}.com`));
const three: Standing[] = ["unreached", "unreached", "unreached"];

describe("a location", () => {
  it.each<[string, SeenCheck[], boolean]>([
    ["three networks don't answer there, and do elsewhere", of(...three), true],
    ["two don't", of("unreached", "unreached"), false],
    [
      "three checks of two networks don't",
      [...of("unreached", "unreached"), seen.unreached("site1.com")],
      false,
    ],
    ["three of five don't", of(...three, "reached", "reached"), true],
    ["three of six don't", of(...three, "reached", "reached", "reached"), false],
    ["one of three answers with an error", of("unreached", "unreached", "answering"), false],
    ["one of three fails elsewhere, too", of("unreached", "unreached", "failing"), false],
    ["three of six don't, the others fail everywhere", of(...three, "failing", "failing", "failing"), false],
    ["two of three have not run elsewhere since", of("unreached", "unproven", "unproven"), false],
    [
      "those that have not run elsewhere since count neither way",
      of(...three, ...three.map(() => "unproven" as const)),
      true,
    ],
    ["three run nowhere else", of("alone", "alone", "alone"), false],
    ["those that run nowhere else count neither way", of(...three, "alone", "alone", "alone"), true],
    [
      "one check of each network gets through",
      [...of(...three), ...of("reached", "reached", "reached")],
      false,
    ],
    ["nothing is known", [], false],
  ])("%s", (_, checks, isOut) => {
    expect(isCutOff(checks)).toBe(isOut);
  });

  it("fails elsewhere at one location and succeeds at another: that is enough", () => {
    const checks = of(...three).map((check) => ({
      ...check,
      elsewhere: [...check.elsewhere, { slotMs: NOW, isFailing: true }],
    }));
    expect(isCutOff(checks)).toBe(true);
  });

  const standings = fc.array(fc.constantFrom(...(Object.keys(seen) as Standing[])), { maxLength: 12 });

  it("is cut off only with three networks that answer elsewhere alone, whatever the others do", () => {
    fc.assert(
      fc.property(standings, (all) => {
        const checks = of(...all);
        const count = (...of: Standing[]) => all.filter((standing) => of.includes(standing)).length;
        const unreached = count("unreached");
        const total = unreached + count("reached", "answering", "failing");
        expect(isCutOff(checks)).toBe(unreached >= 3 && unreached * 2 > total);
      }),
    );
  });

  it("is no more cut off by another target that answers there, by a repeated check, or in another order", () => {
    fc.assert(
      fc.property(standings, fc.nat(), (all, seed) => {
        const checks = of(...all);
        const before = isCutOff(checks);
        if (!before) expect(isCutOff([...checks, seen.reached("other.org")])).toBe(false);
        const repeated = checks[seed % Math.max(1, checks.length)];
        expect(isCutOff(repeated ? [repeated, ...checks] : checks)).toBe(before);
        expect(isCutOff([...checks].reverse())).toBe(before);
      }),
    );
  });
});

it.each<[keyof typeof STATUS_CODES, string | undefined, boolean]>([
  ["success", undefined, false],
  ["failure", "assertion", false],
  ["failure", "connect", false],
  ["timeout", undefined, true],
  ["timeout", "timeout", true],
  ["timeout", "script", false],
  ["error", "dns", true],
  ["error", "connect", true],
  ["error", "tls", true],
  ["error", "http", false],
  ["error", "protocol", false],
  ["error", "heartbeat", false],
  ["error", undefined, false],
])("a %s of category %s is one of the way: %s", (status, category, expected) => {
  expect(isUnreached(STATUS_CODES[status], category)).toBe(expected);
});
