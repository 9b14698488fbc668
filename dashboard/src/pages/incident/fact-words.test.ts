import { describe, expect, it } from "vitest";
import { confidenceWords, factOf, sentenceOf, sharedFactsOf } from "./fact-words.ts";

describe("facts of a hypothesis", () => {
  it.each([
    ["deployment: shop 1.2.3, 5 min before", "Deployment", "shop 1.2.3, 5 min before"],
    [
      "error_category: assertion in 3 of 3 failing locations",
      "Failure",
      "the answer was not as expected in 3 of 3 failing locations",
    ],
    ["condition: consecutive_failures", "Condition", "consecutive failures"],
    ["host: 2 other checks on a_b.example fail, too", "Host", "2 other checks on a_b.example fail, too"],
    ["new_dimension: something", "New dimension", "something"],
    ["no dimension at all", "Fact", "no dimension at all"],
  ])("%s", (entry, about, text) => {
    expect(factOf(entry)).toEqual({ about, text });
  });

  it.each([
    ["error_category:assertion", "Failure", "the answer was not as expected"],
    ["error_category:unheard_of", "Failure", "unheard of"],
    ["host:shop.example", "Host", "shop.example"],
    ["label:team:web", "Label", "team:web"],
    ["location:loc_a", "Location", "Frankfurt"],
    ["location+error_category:loc_a+dns", "Locations", "Frankfurt: the name could not be resolved"],
  ])("shared: %s", (entry, about, text) => {
    expect(sharedFactsOf([entry], () => "Frankfurt")).toEqual([{ about, text }]);
  });

  it("locations of equal failures are one fact", () => {
    const entries = ["a+dns", "b+tls", "c+dns"].map((value) => `location+error_category:loc_${value}`);
    expect(sharedFactsOf(entries, (id) => id).map(({ text }) => text)).toEqual([
      "loc_a, loc_c: the name could not be resolved",
      "loc_b: the secure connection could not be made",
    ]);
  });

  it.each([
    ["status_code: expected status 200, got 503", "Status code: expected status 200, got 503"],
    ["no code here: at all", "no code here: at all"],
    ["Timed out", "Timed out"],
  ])("the sentence %s", (text, sentence) => {
    expect(sentenceOf(text)).toBe(sentence);
  });

  it.each([
    [0.95, "very likely"],
    [0.85, "very likely"],
    [0.84, "likely"],
    [0.6, "likely"],
    [0.59, "possible"],
    [0.4, "possible"],
    [0.39, "a guess"],
  ])("a confidence of %f is %s", (confidence, words) => {
    expect(confidenceWords(confidence)).toBe(words);
  });
});
