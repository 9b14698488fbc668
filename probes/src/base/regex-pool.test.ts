import fc from "fast-check";
import { afterEach, describe, expect, it } from "vitest";
import { FUZZ_INPUTS, FUZZ_TIMEOUT_MS } from "../../../contract/test-support/fuzz.ts";
import { closeRegexPool, type MatchOutcome, matchPattern, RegexPoolBusy } from "./regex-pool.ts";

afterEach(closeRegexPool);

const RUNAWAY = { pattern: "^(a+)+$", text: `${"a".repeat(60)}!` };
/** A text that the pattern has not overrun on before. */
const anotherText = (nth: number) => `${"a".repeat(60)}!${nth}`;

describe("matchPattern", () => {
  it("hands back what matched, in the order asked", async () => {
    const outcomes = await Promise.all(
      Array.from({ length: 20 }, (_, index) => matchPattern(`n${index}\\b`, "n0 n1 n2 n3 n4 n5 n6 n7")),
    );
    expect(outcomes.map(({ kind }) => kind)).toEqual([
      ...Array.from({ length: 8 }, () => "match"),
      ...Array.from({ length: 12 }, () => "no_match"),
    ]);
    expect(outcomes[3]).toEqual({ kind: "match", text: "n3" });
  });

  it("ends a runaway pattern, and other patterns are judged meanwhile", async () => {
    const finished: string[] = [];
    const runaway = matchPattern(RUNAWAY.pattern, RUNAWAY.text).then((outcome) => {
      finished.push("runaway");
      return outcome;
    });
    await matchPattern("b", "abc").then(() => finished.push("simple"));
    expect(await runaway).toEqual({ kind: "overrun" });
    expect(finished).toEqual(["simple", "runaway"]);
    expect(await matchPattern("b", "abc")).toEqual({ kind: "match", text: "b" });
  });

  it("keeps the event loop free while a pattern runs away", async () => {
    let turns = 0;
    const ticking = setInterval(() => turns++, 10);
    await matchPattern(RUNAWAY.pattern, RUNAWAY.text);
    clearInterval(ticking);
    expect(turns).toBeGreaterThan(20);
  });

  it("serves more runaway patterns than it has threads, one after another", async () => {
    const outcomes = await Promise.all(
      Array.from({ length: 6 }, () => matchPattern(RUNAWAY.pattern, RUNAWAY.text)),
    );
    expect(outcomes).toEqual(Array.from({ length: 6 }, () => ({ kind: "overrun" })));
  });

  it("one of several teams leaves threads to the others, however many of its patterns overrun", async () => {
    const finished: string[] = [];
    const runaways = Array.from({ length: 6 }, (_, nth) =>
      matchPattern(`${RUNAWAY.pattern}|${nth}`, RUNAWAY.text, "a").then(
        () => finished.push("runaway"),
        () => finished.push("closed"),
      ),
    );
    await matchPattern("b", "abc", "b").then(() => finished.push("another team's"));
    expect(finished).toEqual(["another team's"]);
    await closeRegexPool();
    await Promise.all(runaways);
  });

  it("serves other patterns at once while many that overran before wait for their turn", async () => {
    await matchPattern(RUNAWAY.pattern, RUNAWAY.text);
    const finished: string[] = [];
    const runaways = Array.from({ length: 8 }, (_, nth) =>
      matchPattern(RUNAWAY.pattern, anotherText(nth)).then(
        () => finished.push("runaway"),
        () => finished.push("closed"),
      ),
    );
    await matchPattern("b", "abc").then(() => finished.push("simple"));
    expect(finished[0]).toBe("simple");
    await closeRegexPool();
    await Promise.all(runaways);
  });

  it("refuses matches of patterns that overran before when too many wait", async () => {
    await matchPattern(RUNAWAY.pattern, RUNAWAY.text);
    const outcomes = Array.from({ length: 30 }, (_, nth) =>
      matchPattern(RUNAWAY.pattern, anotherText(nth)).catch((error: unknown) => error),
    );
    expect(await outcomes[29]).toBeInstanceOf(RegexPoolBusy);
    await closeRegexPool();
    await Promise.all(outcomes);
  });

  it("does not try a pattern again on a text that it just overran on", async () => {
    await matchPattern(RUNAWAY.pattern, RUNAWAY.text);
    const outcomes = await Promise.all(
      Array.from({ length: 1_000 }, () => matchPattern(RUNAWAY.pattern, RUNAWAY.text)),
    );
    expect(new Set(outcomes.map(({ kind }) => kind))).toEqual(new Set(["overrun"]));
  });

  it("trusts a pattern again once it finished in time", async () => {
    await matchPattern(RUNAWAY.pattern, RUNAWAY.text);
    expect(await matchPattern(RUNAWAY.pattern, "aaa")).toMatchObject({ kind: "match" });
    expect(await matchPattern(RUNAWAY.pattern, "aab")).toEqual({ kind: "no_match" });
  });

  it(
    "answers for any pattern and any text",
    async () => {
      const piece = fc.constantFrom(..."abc.*+?()[]{}|^$\\dwsb0123:=!<>,-u");
      const pattern = fc.oneof(
        fc.array(piece, { maxLength: 12 }).map((pieces) => pieces.join("")),
        fc.string({ unit: "binary", maxLength: 20 }),
      );
      const text = fc.oneof(
        fc.string({ unit: "binary", maxLength: 40 }),
        fc.array(fc.constantFrom("a", "b", "c", "1"), { maxLength: 20 }).map((letters) => letters.join("")),
      );
      const inputs = fc.sample(fc.tuple(pattern, text), FUZZ_INPUTS);
      const outcomes: MatchOutcome[] = await Promise.all(inputs.map((input) => matchPattern(...input)));
      for (const [index, outcome] of outcomes.entries()) {
        const [source, subject] = inputs[index] as [string, string];
        if (outcome.kind === "match") expect(subject).toContain(outcome.text);
        if (outcome.kind === "invalid") expect(() => new RegExp(source)).toThrow();
      }
    },
    FUZZ_TIMEOUT_MS,
  );
});
