import type { Severity } from "@svc/contract";
import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { claimsOf } from "./claims.ts";

const facts = [
  "loc_us_east: 3 failing results in a row since 2026-06-01T11:57:00Z, the newest by connect: connection refused at 10.0.0.7:443",
  "deployment of shop 2.5.0 at 2026-06-01T11:55:00Z",
  'loc_eu: 300 ms instead of 12.5 ms; the body does not contain "Welcome"',
];
const kept = (text: string, factIds: number[], severity: Severity = "critical") =>
  claimsOf(JSON.stringify({ claims: [{ text, factIds }] }), {
    facts,
    subject: ["Shop", "shop.example"],
    severity,
  }).claims;

describe("a claim is kept when its facts bear out", () => {
  it.each<[string, string, number[]]>([
    ["plain words", "It refuses connections.", [1]],
    ["a number", "The newest 3 results failed in a row.", [1]],
    ["a spelled number", "Since then three results failed.", [1]],
    ["an instant", "It fails since 2026-06-01T11:57:00Z.", [1]],
    ["a time of day", "It fails since 11:57.", [1]],
    ["a version", "The deployment of shop 2.5.0 came before.", [2]],
    ["an address", "The address 10.0.0.7:443 refuses connections.", [1]],
    ["a location", "All failures are seen from loc_us_east.", [1]],
    ["the subject", "The target shop.example of Shop refuses connections.", [1]],
    ["a quote", 'The body lacks "Welcome".', [3]],
    ["numbers of two facts", "After the deployment of 2.5.0 it takes 300 ms instead of 12.5 ms.", [2, 3]],
    ["general names", "Check whether TLS or HTTP is served.", [1]],
    ["its genitive", "The shop's connections are refused.", [1]],
    ["a compound", "The failures are back-to-back.", [1]],
  ])("%s", (_, text, factIds) => {
    expect(kept(text, factIds)).toEqual([{ text, facts: factIds.map((id) => id - 1) }]);
  });
});

describe("a claim is dropped", () => {
  it.each<[string, string, number[]]>([
    ["without a fact", "It refuses connections.", []],
    ["with a fact that is none", "It refuses connections.", [1, 4]],
    ["with the fact 0", "It refuses connections.", [0]],
    ["with another number", "The newest 4 results failed.", [1]],
    ["with a part of a number", "It takes 30 ms.", [3]],
    ["with a part of a decimal number", "It took 12 ms.", [3]],
    ["with a number of a fact that it does not name", "It takes 300 ms.", [1]],
    ["with another spelled number", "Since then seven results failed.", [1]],
    ["with another compound number", "Since then twenty-five results failed.", [1]],
    ["with a number in a compound", "A thirty-minute gap came before.", [1]],
    ["with a number beyond twelve", "Since then fifteen results failed.", [1]],
    ["with another name", "The provider Initech is down.", [1]],
    ["with another name as its first word", "Initech is down.", [1]],
    ["with another name in its second sentence", "It is down. Initech knows.", [1]],
    ["with another host", "Look at status.initech.example first.", [1]],
    ["with another address", "The address 10.0.0.8 refuses connections.", [1]],
    ["with a link", "Look at https://evil.example/ first.", [1]],
    ["with another quote", 'The body says "Closed".', [3]],
    ["with a quote of a fact that it does not name", 'The body lacks "Welcome".', [1]],
    ["that plays the trouble down", "All is fine.", [1]],
    ["that calls it small", "It is a minor failure.", [1]],
    ["that calls for nothing", "There is no need to act.", [1]],
    ["that puts it off", "This can wait.", [1]],
    ["that says to leave it alone", "Please ignore this.", [1]],
    ["of no words", " \u202e ", [1]],
    ["that is longer than a sentence", `It ${"really ".repeat(60)}fails.`, [1]],
  ])("%s", (_, text, factIds) => {
    expect(kept(text, factIds)).toEqual([]);
  });
});

it("a check without trouble may be called fine", () => {
  expect(kept("All is fine.", [1], "info")).toHaveLength(1);
});

it("whatever number a model writes, it is kept only where a fact has it", () => {
  const numbers = new Set(facts[2]?.match(/\d+(?:\.\d+)?/g));
  fc.assert(
    fc.property(fc.oneof(fc.nat(400), fc.double({ min: 0, max: 400, noNaN: true })), (number) => {
      const text = String(number);
      if (!/^[\d.]+$/.test(text)) return;
      expect(kept(`It takes ${text} ms.`, [3]).length).toBe(numbers.has(text) ? 1 : 0);
    }),
  );
});

it.each([
  ["prose", "It is down."],
  ["half a JSON", '{"claims": ['],
  ["a list", "[]"],
  ["ids that are names", '{"claims": [{"text": "It is down.", "factIds": ["1"]}]}'],
  ["very much", `{"claims": [${" ".repeat(30_000)}]}`],
])("%s is no answer", (_, answer) => {
  expect(() => claimsOf(answer, { facts, subject: [], severity: "critical" })).toThrow(/language model/);
});

it("an answer in a code block is read, and no more than six claims are kept", () => {
  const claims = Array.from({ length: 9 }, () => ({ text: "It fails.", factIds: [1, 1] }));
  const answer = `\`\`\`json\n${JSON.stringify({ claims })}\n\`\`\``;
  expect(claimsOf(answer, { facts, subject: [], severity: "critical" })).toEqual({
    claims: Array.from({ length: 6 }, () => ({ text: "It fails.", facts: [0] })),
    dropped: 3,
  });
});
